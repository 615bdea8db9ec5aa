"""What the Python suites share: where things are, and counting checks."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("MEMOPT_BUILD", ROOT / "build")).resolve()
SHARED = ROOT.parent / "shared"
INPUTS = ROOT / "test" / "Inputs"
LLVM_BIN = pathlib.Path("/usr/lib/llvm-22/bin")
ALL = bool(os.environ.get("MEMOPT_CHECK_ALL"))
sys.path.insert(0, str(ROOT / "tools" / "dev"))


class Suite:
    """Counts checks and prints each that fails, then the closing line."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def check(self, name, ok, why=""):
        if ok:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAIL {name}{': ' if why else ''}{why}", flush=True)
        return ok

    def skip(self, name, why):
        self.skipped += 1
        print(f"SKIP {name}: {why}", flush=True)

    def close(self):
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped", flush=True)
        sys.exit(1 if self.failed else 0)


def command(arguments, **options):
    """Runs a command; returns (exit code, standard output, standard error)."""
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, **options)
    return done.returncode, done.stdout, done.stderr
