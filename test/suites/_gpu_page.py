"""The tables of docs/gpu-kernels.md: each stands between two comments with its name, is compared
by the suite that measures it, and written anew by that suite's `--write`."""
import re
import sys

from _suite import ROOT

PAGE = ROOT / "docs" / "gpu-kernels.md"


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def check_section(suite, name, text):
    """Compares the section `name` of the page, or writes it."""
    page = PAGE.read_text()
    place = re.compile(rf"(<!-- {name}.*? -->\n).*?(<!-- end -->)", re.S)
    known = place.search(page)
    if known and "--write" in sys.argv:
        PAGE.write_text(place.sub(lambda m: m[1] + text + m[2], page))
        return
    suite.check(f"{PAGE.name}, {name}, is as measured", known and known[0] == known[1] + text + known[2],
                "write it anew by the option --write of this suite")
