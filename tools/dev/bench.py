#!/usr/bin/env python3
"""Benchmarks by name: `bench.py --build DIR NAME... [-- ARGS]`.

A benchmark is a module tools/dev/bench_NAME.py with

    def run(build, arguments): -> str

that returns its section of docs/benchmarks.md, without the heading's markers.
Sections stand between `<!-- bench:NAME -->` and `<!-- end:NAME -->` and are
replaced one by one, so that one benchmark never overwrites another's numbers.
`all` runs every benchmark.
"""
import argparse
import importlib
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
INTRODUCTION = """# Benchmarks

Written by `./dev bench NAME`; every section says what it was measured on.
"""


def names():
    return sorted(p.stem[len("bench_"):] for p in HERE.glob("bench_*.py"))


def write_section(name, text):
    """Replaces the section of `name`, or adds it at the end."""
    page = PAGE.read_text() if PAGE.exists() else INTRODUCTION
    begin, end = f"<!-- bench:{name} -->", f"<!-- end:{name} -->"
    section = f"{begin}\n{text.strip()}\n{end}"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.S)
    if pattern.search(page):
        page = pattern.sub(lambda _: section, page)
    else:
        page = page.rstrip() + "\n\n" + section + "\n"
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("name", help="one of " + ", ".join(names() + ["all"]))
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    chosen = names() if options.name == "all" else [options.name]
    if not set(chosen) <= set(names()):
        sys.exit(f"bench: no benchmark '{options.name}'; there are {', '.join(names())}")
    sys.path.insert(0, str(HERE))
    build = (ROOT / options.build).resolve()
    for name in chosen:
        print(f"-- {name}", flush=True)
        module = importlib.import_module(f"bench_{name}")
        write_section(name, module.run(build, options.arguments))
        print(f"   written to {PAGE.relative_to(ROOT)}", flush=True)


if __name__ == "__main__":
    main()
