"""scripts/effort.py: its measures on texts whose figures are worked out by hand, and what it must show of the case
studies: forelap's forms take less code than CUDA's by every measure, and other devices change at most four lines."""

import difflib
import json
import math
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
SCRIPT = TREE / "scripts" / "effort.py"
CASES = TREE / "examples" / "cases"

try:
    import pygments  # noqa: F401
except ImportError:
    print("skipped: Pygments is not here (package python3-pygments)")
    sys.exit(77)
if shutil.which("pmccabe") is None:
    print("skipped: pmccabe is not here (package pmccabe)")
    sys.exit(77)

sys.path.insert(0, str(SCRIPT.parent))
import effort  # noqa: E402


class Measures(unittest.TestCase):
    def test_lines_without_blanks_and_comments_are_counted(self):
        text = '// one\nint a;\n\n/* two\n   three */\nint b;  // four\n#include <c>\nconst char* d = "// no comment";\n'
        self.assertEqual(effort.count_lines(text), 4)

    def test_effort_follows_halsteads_formula(self):
        # Operators: int = + ; (4 different, 4 in all); operands: a b c (3 different, 3 in all).
        expected = 4 / 2 * 3 / 3 * (4 + 3) * math.log2(4 + 3)
        self.assertAlmostEqual(effort.halstead_effort("int a = b + c;"), expected)

    def test_operators_of_several_characters_and_strings_are_one_token_each(self):
        words = [word for _, _, word in effort.tokens_of(r'f<<<g, b>>>(x += "a \" b", std::y->z[1]);')]
        self.assertEqual(
            words,
            ["f", "<<<", "g", ",", "b", ">>>", "(", "x", "+=", r'"a \" b"', ",", "std", "::", "y", "->", "z", "[", "1",
             "]", ")", ";"],
        )

    def test_a_pair_of_brackets_is_one_operator(self):
        # Operators: ( [ ; (3 different, 3 in all); operands: f a 1.
        expected = 3 / 2 * 3 / 3 * (3 + 3) * math.log2(6)
        self.assertAlmostEqual(effort.halstead_effort("f(a[1]);"), expected)

    def test_kernels_in_raw_strings_count_as_code(self):
        text = 'const char* k = R"(\n__kernel void f(int n) {\n  if (n > 1) return;\n}\n)";\n'
        self.assertEqual(effort.cyclomatic_complexity(effort.unwrapped(text)), 2)
        self.assertEqual(effort.count_lines(effort.unwrapped(text)), 4)

    def test_decisions_in_kernels_made_by_macros_are_counted(self):
        text = (
            "FORELAP_FUNCTION(float, g, (float x), { return x > 0 ? x : 0; });\n"
            "FORELAP_KERNEL(f, (i, j), (in<float, 2> a, out<float> b), {\n"
            "  for (int k = 0, n = 2; k < n; ++k) if (k && a(i, j)) b(i) = g(1);\n});\n"
            "int main() { return 0; }\n"
        )
        self.assertEqual(effort.cyclomatic_complexity(text), 2 + 4 + 1)

    def test_a_text_that_the_counter_does_not_understand_is_an_error(self):
        with self.assertRaises(RuntimeError):
            effort.cyclomatic_complexity("int main() { if (1) {\n")


class CaseStudies(unittest.TestCase):
    def setUp(self):
        self.rows = {(row["case"], row["form"]): row for row in effort.measure_cases(CASES, shared=False)}

    def test_forelap_takes_less_code_than_cuda_by_every_measure(self):
        for shared in (False, True):
            self.assertEqual(effort.not_below(effort.measure_cases(CASES, shared)), [])

    def test_what_is_not_below_is_named(self):
        worse = [dict(row) for row in self.rows.values()]
        for row in worse:
            if row["case"] == "mandelbrot" and row["form"] == "forelap":
                row["lines"] = self.rows["mandelbrot", "CUDA"]["lines"]
        found = effort.not_below(worse)
        self.assertEqual(len(found), 1)
        self.assertIn("mandelbrot: lines", found[0])

    def test_all_forms_of_a_case_read_the_same_options_time_check_and_report(self):
        for case in effort.CASES:
            for name in effort.FORMS.values():
                text = (CASES / case / name).read_text()
                for shared in ("cases::run(", "cases::lowest_seconds(", "cases::report(", f"cases::check_{case}("):
                    self.assertEqual(text.count(shared), 1, f"{case}/{name}: {shared}")

    def test_the_script_prints_one_json_object_a_figure(self):
        done = subprocess.run([sys.executable, "-B", SCRIPT, "--json", "--check"], capture_output=True, text=True, check=True)
        figures = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(figures), len(effort.CASES) * len(effort.FORMS) * len(effort.MEASURES))
        self.assertEqual(set(figures[0]), {"figure", "value", "unit", "spread", "samples"})
        named = {figure["figure"]: figure["value"] for figure in figures}
        self.assertEqual(named["lines of mandelbrot, CUDA"], self.rows["mandelbrot", "CUDA"]["lines"])


class OtherDevices(unittest.TestCase):
    def test_going_from_one_gpu_to_a_gpu_and_cpu_cores_changes_at_most_four_lines(self):
        one = (CASES / "devices" / "one_gpu.cpp").read_text().splitlines()
        other = (CASES / "devices" / "gpu_and_cores.cpp").read_text().splitlines()
        changed = [line for line in difflib.ndiff(one, other) if line[0] in "+-"]
        removed = [line for line in changed if line[0] == "-"]
        added = [line for line in changed if line[0] == "+"]
        self.assertTrue(changed, "the two programs are the same")
        self.assertLessEqual(max(len(removed), len(added)), 4, "\n".join(changed))


if __name__ == "__main__":
    unittest.main()
