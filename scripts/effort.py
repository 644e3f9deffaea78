#!/usr/bin/env python3
"""How much code the case studies take in CUDA, OpenMP and forelap (examples/cases): lines without blanks and comments,
cyclomatic complexity (summed over all functions, by pmccabe), and Halstead's effort (tokens by Pygments).

    scripts/effort.py                 a table
    scripts/effort.py --json          one JSON object a line: {figure, value, unit, spread, samples}
    scripts/effort.py --check         ends with 1 where forelap's figures are not all below CUDA's
    scripts/effort.py --shared        the headers that the forms of a case share are counted in each
    scripts/effort.py FILE...         these files instead, one row each

Host and kernel code count alike: kernels that stand in a raw string are counted as code, not as one string. Ends with 3
where pmccabe or Pygments is not here (Debian: pmccabe, python3-pygments).
"""

import argparse
import json
import math
import re
import subprocess
import sys
from pathlib import Path

try:
    from pygments.lexers import CppLexer
    from pygments.token import Comment, Keyword, Name, Operator, Punctuation, String
except ImportError:
    print("Pygments is not here; install python3-pygments.", file=sys.stderr)
    sys.exit(3)

TREE = Path(__file__).resolve().parent.parent
CASES = ["matrix_add", "matrix_multiply", "black_scholes", "mandelbrot"]
FORMS = {"CUDA": "cuda.cu", "OpenMP": "openmp.cpp", "forelap": "forelap.cpp"}
MEASURES = ["lines", "complexity", "effort"]
CLOSING = {")", "]", "}"}  # a pair of brackets is one operator, counted where it opens
LITERAL = re.compile(r'\w*"(\\.|[^"\\])*"|\w*\'(\\.|[^\'\\])+\'', re.DOTALL)
LONG_OPERATORS = "<<< >>> <<= >>= <=> ... ->* :: -> ++ -- << <= >= == != && || += -= *= /= %= &= |= ^=".split()
RAW_STRING = re.compile(r'R"(\w*)\((.*?)\)\1"', re.DOTALL)


def unwrapped(text):
    """The text with what stands in raw strings taken out of them and put behind the rest."""
    inside = [match.group(2) for match in RAW_STRING.finditer(text)]
    return "\n".join([RAW_STRING.sub('""', text)] + inside)


def arguments_of(text, begin):
    """The arguments of a macro whose opening bracket is at `begin`, and where it closes."""
    depth, at, arguments = 0, begin + 1, []
    for i in range(begin, len(text)):
        depth += (text[i] in "({[") - (text[i] in ")}]")
        if depth == 0 or depth == 1 and text[i] == "," and not text[at:i].lstrip().startswith("{"):
            arguments.append(text[at:i].strip())
            at = i + 1
        if depth == 0:
            return arguments, i
    raise RuntimeError("a macro is not closed")


def as_functions(text):
    """The text with kernels and functions that are made by forelap's macros written as plain functions."""
    while match := re.search(r"\bFORELAP_(KERNEL|FUNCTION)(?=\()", text):
        arguments, end = arguments_of(text, match.end())
        name = arguments[0 if match.group(1) == "KERNEL" else 1]
        text = f"{text[:match.start()]} void {name}{arguments[2]} {arguments[3]} {text[end + 1:]}"
    return text


def tokens_of(text):
    """(line, kind, word) of all that is no blank and no comment. What Pygments gives in pieces is joined: operators of
    several characters, and string literals."""
    pieces = [
        (begin, kind, word)
        for begin, kind, word in CppLexer(stripnl=False, ensurenl=False).get_tokens_unprocessed(text)
        if word.strip() and (kind not in Comment or kind in Comment.Preproc or kind in Comment.PreprocFile)
    ]
    at, literal = 0, ""
    for begin, kind, word in pieces:
        if begin < at:
            continue  # a piece of what has been given already
        at = begin + len(word)
        line = text.count("\n", 0, begin) + 1
        if kind in String:
            literal += word
            if LITERAL.fullmatch(literal):
                yield line, String, literal
                literal = ""
        elif kind in Comment.Preproc:
            for part in re.findall(r"\w+|[^\w\s]", word):
                yield line, Name if re.match(r"\w", part) else Operator, part
        elif kind in Operator or kind in Punctuation:
            joined = next((longer for longer in LONG_OPERATORS if text.startswith(longer, begin)), word)
            at = begin + len(joined)
            yield line, Operator, joined
        else:
            yield line, kind, word.strip()


def is_operator(kind, word):
    return kind in Operator or kind in Keyword and word not in ("true", "false", "nullptr", "this")


def halstead_effort(text):
    """Halstead (1977): volume V = N log2 n, difficulty D = n1/2 N2/n2, effort E = D V."""
    operators, operands = [], []
    for _, kind, word in tokens_of(text):
        if word in CLOSING:
            continue
        (operators if is_operator(kind, word) else operands).append(word)
    different_operators, different_operands = len(set(operators)), len(set(operands))
    if not different_operands:
        return 0.0
    volume = (len(operators) + len(operands)) * math.log2(different_operators + different_operands)
    return different_operators / 2 * len(operands) / different_operands * volume


def count_lines(text):
    lines = set()
    for line, _, word in tokens_of(text):
        lines.update(range(line, line + word.count("\n") + 1))
    return len(lines)


def cyclomatic_complexity(text):
    """The sum of pmccabe's modified figure (a switch counts once) over all functions."""
    try:
        done = subprocess.run(["pmccabe"], input=as_functions(text), capture_output=True, text=True, check=True)
    except FileNotFoundError:
        print("pmccabe is not here; install the package of that name.", file=sys.stderr)
        sys.exit(3)
    if done.stderr.strip():
        raise RuntimeError(f"pmccabe does not understand the program: {done.stderr.strip()}")
    return sum(int(line.split("\t")[0]) for line in done.stdout.splitlines())


def measure(paths):
    text = "\n".join(unwrapped(path.read_text()) for path in paths)
    return {"lines": count_lines(text), "complexity": cyclomatic_complexity(text), "effort": round(halstead_effort(text))}


def measure_cases(folder, shared):
    rows = []
    for case in CASES:
        for form, name in FORMS.items():
            headers = [folder / "case.hpp", folder / case / "case.hpp"] if shared else []
            rows.append({"case": case, "form": form} | measure([folder / case / name] + headers))
    return rows


def not_below(rows):
    """What forelap's form has no less of than CUDA's."""
    figures = {(row["case"], row["form"]): row for row in rows}
    return [
        f"{case}: {measure} {figures[case, 'forelap'][measure]} with forelap, {figures[case, 'CUDA'][measure]} with CUDA"
        for case in CASES
        for measure in MEASURES
        if figures[case, "forelap"][measure] >= figures[case, "CUDA"][measure]
    ]


def print_rows(rows, as_json):
    if as_json:
        for row in rows:
            for name in MEASURES:
                figure = f"{name} of {row['case']}, {row['form']}"
                unit = {"lines": "lines", "complexity": "paths", "effort": "decisions"}[name]
                print(json.dumps({"figure": figure, "value": row[name], "unit": unit, "spread": 0, "samples": 1}))
        return
    wide = max(len(row["case"]) for row in rows)
    print(f"{'case':{wide}}  {'form':8} {'lines':>6} {'complexity':>11} {'effort':>9}")
    for row in rows:
        print(f"{row['case']:{wide}}  {row['form']:8} {row['lines']:6} {row['complexity']:11} {row['effort']:9}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--shared", action="store_true")
    options = parser.parse_args()
    if options.files:
        print_rows([{"case": str(path), "form": "-"} | measure([path]) for path in options.files], options.json)
        return 0
    rows = measure_cases(TREE / "examples" / "cases", options.shared)
    print_rows(rows, options.json)
    missed = not_below(rows) if options.check else []
    for line in missed:
        print(f"not below: {line}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
