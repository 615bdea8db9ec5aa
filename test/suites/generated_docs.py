#!/usr/bin/env python3
"""The pages that the build generates from .td files are those that are committed."""
from _suite import BUILD, ROOT, Suite


def main():
    suite = Suite()
    generated = BUILD / "docs"
    pages = sorted(p.relative_to(generated) for p in generated.rglob("*.md"))
    suite.check("the build generates pages", pages, f"none in {generated.name}")
    for page in pages:
        committed = ROOT / "docs" / page
        same = committed.is_file() and committed.read_text() == (generated / page).read_text()
        suite.check(f"docs/{page} is what the .td files say", same, "run ./dev docs")
    for committed in sorted((ROOT / "docs" / "passes").glob("*.md")):
        page = committed.relative_to(ROOT / "docs")
        suite.check(f"docs/{page} belongs to a stage", page in pages,
                    "no .td file generates it")
    suite.close()


if __name__ == "__main__":
    main()
