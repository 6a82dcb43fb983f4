"""The files of the project, and how a check of them is run.

A check is a function from the tree's root to a list of problems. Each script first runs its check on small made-up trees:
a check that finds nothing in a tree with a mistake would pass forever."""

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("actors", "base", "bench", "cli", "config", "docs", "examples", "http", "messages", "persistence", "scripts",
           "tests", "web")
PRODUCTION = ("actors", "base", "cli", "config", "http", "messages", "persistence")
NOT_OURS = {"__pycache__", "build", "dist", "node_modules"}
CPP = (".cpp", ".hpp")


def files(root, folders=FOLDERS, suffixes=None):
    """Paths below `root`, as text with slashes, in order."""
    found = []
    for folder in folders:
        for at, below, names in os.walk(Path(root) / folder):
            below[:] = [name for name in below if name not in NOT_OURS and not name.startswith(".")]
            found += [(Path(at) / name).relative_to(root).as_posix() for name in names]
    return sorted(path for path in found if suffixes is None or path.endswith(suffixes))


def text_of(root, path):
    return (Path(root) / path).read_text(encoding="utf-8", errors="replace")


def _found_in(check, tree):
    with tempfile.TemporaryDirectory(prefix="callboard-tidy.") as folder:
        for path, text in tree.items():
            file = Path(folder) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            if text.startswith("#!"):
                file.chmod(0o755)
        return check(folder)


def main(check, cases):
    """`cases`: pairs of a tree {path: text} and the words its one problem must hold, or None where there must be none."""
    bad = 0
    for tree, wanted in cases:
        found = _found_in(check, tree)
        if not found if wanted is None else len(found) == 1 and wanted in found[0]:
            continue
        bad += 1
        print(f"the check itself is wrong: in {tree} it should find {wanted!r} and finds {found}")
    problems = check(ROOT)
    print("".join(f"{line}\n" for line in problems), end="")
    print(f"{'FAIL' if bad or problems else 'OK'}: {len(problems)} problems, {len(cases)} cases of the check itself")
    sys.exit(1 if bad or problems else 0)
