"""A file editor for agents: view, create, str_replace, insert, undo_edit.

Runs inside the sandbox with the agent's own rights; its one argument is a JSON object, its output
is what the agent reads.  The last state of every edited file is kept below /tmp.
Does not cover binary files.
"""

import base64
import hashlib
import json
import os
import sys

MOST = 30_000
"""Characters of a file that are shown."""
KEPT = "/tmp/.editor"


def kept(path: str) -> str:
    """Return where the states before the edits of a file are."""
    return os.path.join(KEPT, hashlib.sha256(path.encode()).hexdigest()[:20])


def read(path: str) -> str:
    """Return a file's text, byte for byte."""
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()


def write(path: str, text: str) -> None:
    """Write a file whole and keep what it was."""
    if os.path.exists(path):
        os.makedirs(KEPT, exist_ok=True)
        history = []
        if os.path.exists(kept(path)):
            history = json.loads(read(kept(path)))
        history.append(read(path))
        with open(kept(path), "w", encoding="utf-8", errors="surrogateescape") as file:
            json.dump(history[-10:], file)
    os.makedirs(os.path.dirname(path) or "/", exist_ok=True)
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)


def numbered(text: str, first: int = 1) -> str:
    """Return lines with their numbers."""
    lines = text.split("\n")
    shown = "\n".join(f"{first + i:6}\t{line}" for i, line in enumerate(lines))
    return shown if len(shown) <= MOST else shown[:MOST] + "\n[... the rest is left out ...]"


def around(text: str, at: int) -> str:
    """Return the lines around a place in a text."""
    line = text.count("\n", 0, at)
    lines = text.split("\n")
    low = max(0, line - 4)
    return numbered("\n".join(lines[low : line + 8]), low + 1)


def view(path: str, job: dict) -> str:  # type: ignore[type-arg]
    """Return a file with line numbers, or what a directory holds, two levels deep."""
    if os.path.isdir(path):
        found = []
        for root, names, files in os.walk(path):
            names[:] = sorted(n for n in names if not n.startswith("."))
            found += [os.path.join(root, n) + "/" for n in names]
            found += [os.path.join(root, n) for n in sorted(files) if not n.startswith(".")]
            if root != path:
                names[:] = []
        return f"{path}/ holds:\n" + "\n".join(sorted(found)[:500])
    text = read(path)
    if job.get("view_range"):
        low, high = (int(n) for n in job["view_range"])
        lines = text.split("\n")
        high = len(lines) if high == -1 else high
        if not 1 <= low <= len(lines) or high < low:
            raise ValueError(f"view_range {[low, high]} is not within 1 to {len(lines)}")
        return numbered("\n".join(lines[low - 1 : high]), low)
    return numbered(text)


def create(path: str, job: dict) -> str:  # type: ignore[type-arg]
    """Write a new file."""
    if os.path.exists(path):
        raise ValueError(f"{path} exists already: edit it with str_replace or insert")
    write(path, str(job["file_text"]))
    return f"{path} was created."


def str_replace(path: str, job: dict) -> str:  # type: ignore[type-arg]
    """Replace the one occurrence of a text."""
    text, old, new = read(path), str(job["old_str"]), str(job.get("new_str") or "")
    count = text.count(old) if old else 0
    if count != 1:
        raise ValueError(f"old_str occurs {count} times in {path}; it must occur exactly once")
    at = text.index(old)
    text = text.replace(old, new)
    write(path, text)
    return f"{path} was changed:\n{around(text, at)}"


def insert(path: str, job: dict) -> str:  # type: ignore[type-arg]
    """Insert a text after a line."""
    lines, line = read(path).split("\n"), int(job["insert_line"])
    if not 0 <= line <= len(lines):
        raise ValueError(f"insert_line {line} is not within 0 to {len(lines)}")
    lines[line:line] = str(job["new_str"]).split("\n")
    text = "\n".join(lines)
    write(path, text)
    return f"{path} was changed:\n{around(text, len(chr(10).join(lines[:line])) + 1)}"


def undo_edit(path: str, job: dict) -> str:  # type: ignore[type-arg]
    """Bring back the state before the last edit."""
    history = json.loads(read(kept(path))) if os.path.exists(kept(path)) else []
    if not history:
        raise ValueError(f"no edit of {path} is known")
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(history.pop())
    with open(kept(path), "w", encoding="utf-8") as file:
        json.dump(history, file)
    return f"The last edit of {path} was undone."


def main() -> int:
    """Do what the argument says; return the exit status."""
    job = json.loads(base64.b64decode(sys.argv[1]))
    path = str(job.get("path"))
    try:
        if not path.startswith("/"):
            raise ValueError(f"{path} is no absolute path")
        deeds = {
            "view": view,
            "create": create,
            "str_replace": str_replace,
            "insert": insert,
            "undo_edit": undo_edit,
        }
        if job.get("command") not in deeds:
            raise ValueError(f"command {job.get('command')!r} is none of {', '.join(deeds)}")
        print(deeds[job["command"]](path, job))
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"ERROR: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
