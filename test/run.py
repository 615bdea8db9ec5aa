#!/usr/bin/env python3
"""Runs every test suite and ends with one line: N passed, N failed, N skipped.

A suite is a lit directory, a folder of googletest programs or a Python script
under test/suites/ that prints the same closing line. `./dev check WORD...` runs
only the suites whose name contains a WORD; `--all` adds the long ones.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIT = "/usr/lib/llvm-22/bin/lit"
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.M)


def run(command, env):
    """Runs a command, echoing its output; returns (exit code, output)."""
    process = subprocess.Popen(command, cwd=ROOT, env=env, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = []
    for line in process.stdout:
        sys.stdout.write(line)
        sys.stdout.flush()
        lines.append(line)
    return process.wait(), "".join(lines)


def run_lit(build, env):
    code, out = run([LIT, "-sv", "--no-progress-bar", str(build / "test")], env)
    count = lambda label: sum(map(int, re.findall(rf"^  {label}\s*: (\d+)", out, re.M)))
    passed = count("Passed") + count("Expectedly Failed")
    failed = count("Failed") + count("Unresolved") + count("Timed Out") + count("Unexpectedly Passed")
    if code and not failed:
        failed = 1
    return passed, failed, count("Unsupported") + count("Skipped")


def run_gtest(program, env):
    code, out = run([str(program), "--gtest_brief=1"], env)
    count = lambda label: sum(map(int, re.findall(rf"\[  {label}  \] (\d+) test", out)))
    passed, failed, skipped = count("PASSED"), count("FAILED"), count("SKIPPED")
    return passed, max(failed, int(code != 0)), skipped


def run_script(script, env):
    code, out = run([sys.executable, str(script)], env)
    match = CLOSING.search(out)
    if not match:
        return 0, 1, 0
    passed, failed, skipped = (int(g or 0) for g in match.groups())
    return passed, max(failed, int(code != 0)), skipped


def suites(build):
    yield "lit", run_lit, build
    for program in sorted((build / "unit").glob("*")):
        if program.is_file() and os.access(program, os.X_OK):
            yield f"unit/{program.name}", run_gtest, program
    for script in sorted((ROOT / "test" / "suites").glob("*.py")):
        if not script.stem.startswith("_"):
            yield f"suite/{script.stem}", run_script, script


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    build = (ROOT / options.build).resolve()
    env = dict(os.environ, MEMOPT_BUILD=str(build), MEMOPT_CHECK_ALL="1" if options.all else "")
    total = [0, 0, 0]
    for name, runner, what in suites(build):
        if options.words and not any(w in name for w in options.words):
            continue
        print(f"-- {name}", flush=True)
        total = [a + b for a, b in zip(total, runner(what, env))]
    print("{} passed, {} failed, {} skipped".format(*total))
    sys.exit(1 if total[1] or not total[0] else 0)


if __name__ == "__main__":
    main()
