"""Runs the forms of a case study that were built, at small sizes and on all devices that are here, and compares what they
report: every form says that its result is verified, and all checksums are the same (of Black-Scholes to five digits, since
logarithms are not rounded alike everywhere; of Mandelbrot to 2 %, since counts at its border hang on each rounding).

    cases_test.py FOLDER CASE      FOLDER: where the programs are

Ends with 1 where something differs, 77 where fewer than two forms can run.
"""

import re
import subprocess
import sys
from pathlib import Path

SIZES = {
    "matrix_add": [1, 3, 257],
    "matrix_multiply": [1, 3, 130],
    "black_scholes": [1, 3, 10007],
    "mandelbrot": [1, 3, 41],
}
TOLERANCE = {"black_scholes": 1e-5, "mandelbrot": 0.02}
# Devices and weights of the forelap forms; those that are not here are left out.
DEVICES = [
    ("cpu",),
    ("opencl:0",),
    ("cuda:0",),
    ("cpu:0,cpu:1", "0.3,0.7"),
    ("opencl:0,cpu", "0.6,0.4"),
    ("opencl:0,cpu", "1,0"),
    ("cuda:0,cpu", "0.9,0.1"),
]
REPORT = re.compile(r"size (\d+), (\d+) repetitions, time ([\d.]+) s, checksum (\S+), verified (yes|no)$")


def run(program, size, *more):
    """The checksum, or None where the program cannot run here. Exits where its result is wrong."""
    done = subprocess.run([program, str(size), "2", *more], capture_output=True, text=True)
    words = " ".join([program.name, str(size), *more])
    if done.returncode == 3:
        print(f"left out: {words}: {done.stderr.strip()}")
        return None
    report = REPORT.search(done.stdout.strip())
    if done.returncode != 0 or report is None or report.group(5) != "yes" or int(report.group(1)) != size:
        sys.exit(f"{words} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    print(f"ran: {words}: checksum {report.group(4)}")
    return float(report.group(4))


def forms_of(folder, case):
    """(program, further words) of each form that was built."""
    forms = [(folder / f"{case}_{form}", ()) for form in ("openmp", "cuda")]
    forms += [(folder / f"{case}_forelap", words) for words in DEVICES]
    return [(program, words) for program, words in forms if program.exists()]


def refuses_bad_command_lines(program):
    for words in (["x"], ["0"], ["-1"], ["5", "many"], ["5", "1", "cpu", "heavy"], ["5", "1", "cpu", "1", "more"]):
        done = subprocess.run([program, *words], capture_output=True, text=True)
        if done.returncode != 2 or "usage:" not in done.stderr:
            sys.exit(f"{program.name} {' '.join(words)} ended with {done.returncode} and not 2:\n{done.stderr}")


def main():
    folder, case = Path(sys.argv[1]), sys.argv[2]
    forms = forms_of(folder, case)
    for program in {program for program, _ in forms}:
        refuses_bad_command_lines(program)
    most = 0
    for size in SIZES[case]:
        found = {}
        for program, words in forms:
            checksum = run(program, size, *words)
            if checksum is not None:
                found[" ".join([program.name, *words])] = checksum
        most = max(most, len(found))
        for name, checksum in found.items():
            first, expected = next(iter(found.items()))
            if abs(checksum - expected) > TOLERANCE.get(case, 0) * abs(expected):
                sys.exit(f"size {size}: {name} has checksum {checksum}, {first} has {expected}")
    return 0 if most > 1 else 77


if __name__ == "__main__":
    sys.exit(main())
