#!/usr/bin/env python3
"""The demo runs, and itself finds nothing wrong: it checks every figure it prints."""
import sys

from _suite import BUILD, ROOT, Suite, command

suite = Suite()
code, out, err = command([sys.executable, ROOT / "tools" / "dev" / "demo.py", "--build", BUILD])
suite.check("./dev demo", code == 0, err[-2000:])
suite.check("it has all three tables", all(f"\n{n}. " in out for n in (1, 2, 3)))
suite.close()
