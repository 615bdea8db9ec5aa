#!/usr/bin/env python3
"""Rules of the tree that no compiler checks: FileCheck directives that check
nothing, long files and functions, and names of machines."""
import re
import subprocess

from _suite import ROOT, Suite

MAX_LINES = 400
MAX_FUNCTION = 100
CODE = {".h", ".cpp", ".td", ".py", ".cmake"}
TEXT = CODE | {".mlir", ".md"}
# A directive without its colon is a comment to FileCheck, so the test passes.
DIRECTIVES = r"(?:-(?:NEXT|SAME|NOT|DAG|LABEL|EMPTY|COUNT-\d+))"
NO_COLON = re.compile(rf"^\s*//\s*(CHECK{DIRECTIVES}?|RUN|XFAIL|REQUIRES)(?![-\w:])\s+[%\"@{{\w]")
SPACED = re.compile(rf"^\s*//\s*[A-Z][A-Z0-9_]*{DIRECTIVES}?\s+:")
UNKNOWN = re.compile(r"^\s*//\s*(CHECK-[A-Z0-9_-]+)[ :]")
FUNCTION = re.compile(r"^( {0,4})(?!namespace|struct|class|enum|union|if|for|while|switch|else|do|\}"
                      r"|//|extern|return|case|default)\S.*\).*\{$")
MACHINE = re.compile(r"(?<![\w./])/(?:home|root|work|Users|tmp|mnt|data)/[\w.]")


def tracked():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout
    return [ROOT / line for line in listed.splitlines() if (ROOT / line).is_file()]


def prefixes(text):
    """The check prefixes that the RUN lines of a test name."""
    found = set()
    for run in re.findall(r"//\s*RUN:(.*)", text):
        found.update(p for names in re.findall(r"--?check-prefix(?:es)?[= ](\S+)", run)
                     for p in names.split(","))
        if "FileCheck" in run and "check-prefix" not in run:
            found.add("CHECK")
    return found


def test_faults(text):
    """Lines of a lit test that look like directives but check nothing."""
    used = prefixes(text)
    for number, line in enumerate(text.splitlines(), 1):
        if NO_COLON.match(line) or SPACED.match(line):
            yield f"line {number}: a directive without its colon checks nothing: {line.strip()}"
        match = UNKNOWN.match(line)
        if match and not any(re.fullmatch(rf"{re.escape(p)}{DIRECTIVES}?", match[1]) for p in used):
            yield f"line {number}: no RUN line uses the prefix of {match[1]}"
    for prefix in sorted(used):
        if not re.search(rf"^\s*//\s*{re.escape(prefix)}{DIRECTIVES}?:", text, re.M):
            yield f"the prefix {prefix} checks nothing"
    if "RUN:" not in text:
        yield "no RUN line"


def long_functions(text):
    """C++ functions of more than MAX_FUNCTION lines, by where their brace closes."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        match = FUNCTION.match(line)
        window = lines[number + 1:number + MAX_FUNCTION]
        # A signature's last line may be indented further than the brace that closes.
        if match and not any(re.match(rf" {{0,{len(match[1])}}}\}}", other) for other in window):
            yield f"line {number + 1}: {line.strip()}"


def self_test(suite):
    """The patterns find what they are for and leave good lines alone."""
    head = "// RUN: mem-opt %s | FileCheck %s\n// CHECK: func\n"
    for line in ("// CHECK %x = math.exp", "// CHECK-NEXT return", "// CHECK-NEXT : return",
                 "// CHECK-NXT: return", "// CHECK : return"):
        suite.check(f"finds '{line}'", list(test_faults(head + line)))
    suite.check("finds a long function",
                list(long_functions("void f() {\n" + "  g();\n" * MAX_FUNCTION + "}\n")))
    suite.check("accepts one that fits",
                not list(long_functions("void f() {\n" + "  g();\n" * (MAX_FUNCTION - 2) + "}\n")))
    for line in ("// CHECK-NEXT: return", "// CHECK-COUNT-2: call", "// Checks that it is so."):
        suite.check(f"accepts '{line}'", not list(test_faults(head + line)))


def main():
    suite = Suite()
    self_test(suite)
    for path in tracked():
        name = path.relative_to(ROOT)
        if path.suffix not in TEXT:
            continue
        text = path.read_text()
        lines = text.count("\n") + 1
        is_input = "Inputs" in name.parts
        if path.suffix in CODE and not is_input:
            suite.check(f"{name} is short enough", lines <= MAX_LINES,
                        f"{lines} lines, at most {MAX_LINES}")
        if path.suffix in {".h", ".cpp"}:
            functions = list(long_functions(text))
            suite.check(f"{name} has short functions", not functions, "; ".join(functions))
        if name.name != "lint.py":
            found = MACHINE.search(text)
            suite.check(f"{name} names no machine's folder", not found, found and found[0])
        if path.suffix == ".mlir" and name.parts[0] == "test" and not is_input:
            faults = list(test_faults(text))
            suite.check(f"{name} checks what it says", not faults, "; ".join(faults))
    suite.close()


if __name__ == "__main__":
    main()
