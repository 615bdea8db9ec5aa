#!/usr/bin/env python3
"""mem-knapsack: its JSON, messages and exit codes, and its answers on the
committed instances and, where they are, on those of ../shared/knapsack."""
import hashlib
import json
import pathlib
import re
import tarfile
import tempfile

from _suite import ALL, BUILD, ROOT, SHARED, Suite, command

TOOL = BUILD / "bin" / "mem-knapsack"
# The choice on each committed instance: the same on every run and build type.
CHOICES = ROOT / "test" / "Knapsack" / "choices.tsv"
ARCHIVE = ROOT / "test" / "Knapsack" / "instances.tar.xz"
KEYS = ["instance", "n", "capacity", "solver", "value", "weight", "upper_bound", "optimal",
        "seconds", "peak_bytes"]
# Bytes that the default solver may hold; it counts the same on every run and build.
PEAKS = [(r"[UTO]2000g?", 128 << 10), (r"M2000", 256 << 10), (r"(P_|MM|OO).*", 16 << 20),
         (r"OF.*", 128 << 20)]
SMALL = "3 5\n4 2\n5 3\n7 4\n"

# (what is wrong, command line, standard input, exit code, message on standard error)
MISTAKES = [
    ("no file", [], "", 2, "mem-knapsack: no FILE given"),
    ("an unknown option", ["--fast", "-"], SMALL, 2, "no option '--fast'"),
    ("an unknown option with a value", ["--speed=1", "-"], SMALL, 2, "no option '--speed'"),
    ("an unknown solver", ["--solver=best", "-"], SMALL, 2,
     "--solver takes auto, list, hirschberg, table or exhaustive, not 'best'"),
    ("an unknown order", ["--order=first", "-"], SMALL, 2,
     "--order takes earlier or later, not 'first'"),
    ("a negative time", ["--time-limit=-1", "-"], SMALL, 2,
     "--time-limit takes seconds that are not negative, not '-1'"),
    ("a time that is no number", ["--time-limit=soon", "-"], SMALL, 2, "not 'soon'"),
    ("no memory", ["--memory-limit=0", "-"], SMALL, 2,
     "--memory-limit takes a positive number of bytes, not '0'"),
    ("too much memory", ["--memory-limit=99999999999G", "-"], SMALL, 2, "not '99999999999G'"),
    ("no repetition", ["--repeat=0", "-"], SMALL, 2,
     "--repeat takes a positive number, not '0'"),
    ("a file that is not there", ["no-such-file.txt"], "", 1,
     "no-such-file.txt: cannot be read"),
    ("an empty text", ["-"], "", 1, "<stdin>:0: the text is empty"),
    ("a word for a number", ["-"], "1 5\nfour 2\n", 1,
     "<stdin>:2: value 'four' is not an integer"),
    ("a missing item", ["-"], "2 5\n4 2\n", 1, "<stdin>:2: the text ends after 1 of 2 items"),
    ("an item too many", ["-"], "1 5\n4 2\n4 2\n", 1,
     "<stdin>:3: more lines than the first line announces"),
    ("a negative weight", ["-"], "2 5\n4 2\n4 -2\n", 1,
     "<stdin>:3: item 1: the weight is negative (-2)"),
    ("a negative capacity", ["-"], "1 -5\n4 2\n", 1,
     "<stdin>:1: the capacity is negative (-5)"),
    ("values that overflow", ["-"], f"2 5\n{2**62} 2\n{2**62} 2\n", 1,
     "<stdin>:3: item 1: the sum of values up to here does not fit into 64 bits"),
    ("a class without states", ["-"], "classes 1 5\n0\n", 1,
     "<stdin>:2: number of states 0 is not between 1 and 2147483647"),
    ("a class's weights that overflow", ["-"],
     f"classes 2 5\n1\n1 {2**62}\n# heavier\n1\n1 {2**62}\n", 1,
     "<stdin>:6: class 1, state 0: the sum of weights up to here does not fit into 64 bits"),
]


def solve(arguments, text=None):
    code, out, err = command([TOOL, *arguments], input=text)
    return code, [json.loads(line) for line in out.splitlines()], err


def check_mistakes(suite):
    for what, arguments, text, expected, message in MISTAKES:
        code, lines, err = solve(arguments, text)
        suite.check(f"{what} is refused", code == expected and message in err and not lines,
                    f"exit code {code}, {err!r}")


def check_output(suite):
    code, lines, _ = solve(["-", "--items"], SMALL)
    suite.check("one object a line, in the promised order",
                code == 0 and len(lines) == 1 and list(lines[0]) == KEYS + ["items"], str(lines))
    answer = lines[0]
    suite.check("the answer", answer["value"] == 9 and answer["weight"] == 5
                and answer["items"] == [0, 1] and answer["optimal"], str(answer))
    code, lines, _ = solve(["-", "--repeat=3"], SMALL)
    suite.check("--repeat reports the best and the first",
                lines[0]["seconds"] <= lines[0]["cold_seconds"], str(lines))
    code, lines, _ = solve(["-", "--items", "--order=later"], "4 2\n1 1\n1 1\n1 1\n1 1\n")
    suite.check("--order=later", lines[0]["items"] == [2, 3], str(lines))
    code, lines, _ = solve(["-", "--items"], "classes 2 5\n2\n0 0\n5 3\n2\n1 1\n9 2\n")
    suite.check("--items names each class's state", lines[0]["items"] == [1, 1], str(lines))
    code, lines, _ = solve(["-", "--certify"], "classes 1 5\n1\n9 6\n")
    suite.check("nothing fits", code == 0 and lines[0]["value"] is None
                and lines[0]["feasible"] is False and lines[0]["certificate"] == "optimal",
                str(lines))
    code, lines, err = solve(["-", "no-such-file.txt"], SMALL)
    suite.check("a bad file does not keep the others from being solved",
                code == 1 and len(lines) == 1 and "cannot be read" in err, err)
    code, out, _ = command([TOOL, "--help"])
    suite.check("--help", code == 0 and out.startswith("usage: mem-knapsack"))


def check_limits(suite, path):
    """At a limit the answer is feasible, the bound holds and the reason is given."""
    _, (best,), _ = solve([path])
    for limit, stop in (("--time-limit=0", "time-limit"), ("--memory-limit=64K", "memory-limit")):
        _, (answer,), _ = solve([path, limit, "--solver=hirschberg"])
        suite.check(f"{limit}", answer["stop"] == stop and not answer["optimal"]
                    and answer["weight"] <= answer["capacity"]
                    and answer["value"] <= best["value"] <= answer["upper_bound"], str(answer))


EMBEDDED = """#include "MemOpt/Knapsack/Solve.h"
int main() {
  memopt::knapsack::Problem p;
  p.capacity = 5;
  p.states = {{4, 2}, {5, 3}, {7, 4}};
  return memopt::knapsack::solve(p).value == 9 ? 0 : 1;
}
"""


def check_embedding(suite):
    """Nothing of a compiler is needed to link the library, or to build it."""
    _, out, _ = command(["readelf", "-d", TOOL])
    suite.check("the tool links neither LLVM nor MLIR",
                "NEEDED" in out and "LLVM" not in out and "MLIR" not in out, out)
    if not ALL:
        return
    with tempfile.TemporaryDirectory() as scratch:
        main = pathlib.Path(scratch) / "main.cpp"
        main.write_text(EMBEDDED)
        code, _, err = command(["g++", "-std=c++17", "-I", ROOT / "include",
                                *sorted((ROOT / "lib" / "Knapsack").glob("*.cpp")), main,
                                "-o", main.with_suffix("")])
        if suite.check("the sources compile by themselves", code == 0, err):
            suite.check("and solve", command([main.with_suffix("")])[0] == 0)


def read_optima(path):
    rows = (line.split("\t") for line in path.read_text().splitlines()[1:])
    return {name: None if value == "infeasible" else int(value) for name, value in rows}


def check_instances(suite, folder, optima, solver):
    """Every instance, in one process, to the known optimum, with a certificate."""
    names = sorted(optima)
    code, lines, err = solve([f"--solver={solver}", "--certify"]
                             + [folder / f"{name}.txt" for name in names])
    suite.check(f"{solver} answers all of {folder.name}",
                code == 0 and [a["instance"] for a in lines] == names, err)
    for answer in lines:
        good = (answer["value"] == optima[answer["instance"]] and answer["optimal"]
                and answer["certificate"] == "optimal")
        suite.check(f"{solver} on {answer['instance']}", good, str(answer))
    return lines


def check_choices(suite, folder):
    expected = dict(line.split("\t") for line in CHOICES.read_text().splitlines())
    _, lines, _ = solve(["--items"] + [folder / f"{name}.txt" for name in sorted(expected)])
    for answer in lines:
        digest = hashlib.sha256(repr(answer["items"]).encode()).hexdigest()
        suite.check(f"the choice on {answer['instance']}",
                    digest == expected[answer["instance"]], digest)


def check_peaks(suite, answers):
    for answer in answers:
        for pattern, most in PEAKS:
            if re.fullmatch(pattern, answer["instance"]):
                suite.check(f"peak of {answer['instance']}", answer["peak_bytes"] <= most,
                            f"{answer['peak_bytes']} bytes, at most {most}")


def main():
    suite = Suite()
    check_mistakes(suite)
    check_output(suite)
    check_embedding(suite)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "committed"
        with tarfile.open(ARCHIVE) as archive:
            archive.extractall(folder)
        check_limits(suite, folder / "strongly400.txt")
        for solver in ("auto", "list"):
            check_instances(suite, folder, read_optima(folder / "optima.tsv"), solver)
        check_choices(suite, folder)
    shared = SHARED / "knapsack"
    if shared.is_dir():
        optima = read_optima(shared / "optima.tsv")
        check_peaks(suite, check_instances(suite, shared / "instances", optima, "auto"))
    else:
        suite.skip("the shared instances", f"no {shared.relative_to(ROOT.parent)}")
    suite.close()


if __name__ == "__main__":
    main()
