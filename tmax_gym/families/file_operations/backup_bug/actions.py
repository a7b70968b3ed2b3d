"""What a backup does with each path, from an old and a new inventory entry."""

from tmax_gym.families.file_operations.backup_bug.entries import Entry, excluded, parse


def action(old: Entry | None, new: Entry | None) -> str:
    """Name what has to be done."""
    if new is None:
        return "drop"
    if old is None:
        return "add"
    if old.kind != new.kind:
        return "replace"
    if new.kind == "l":
        return "keep" if old.target == new.target else "relink"
    if new.kind == "f" and (old.size != new.size or old.mtime != new.mtime):
        return "copy"
    return "keep" if old.mode == new.mode else "chmod"


def stored(path: str) -> str:
    """Name the object of a path: no slash may be left, and no two paths may meet."""
    return path.replace("=", "==").replace("/", "=.")


def blocks(entry: Entry | None) -> int:
    """Count the blocks of 1024 bytes that a file fills or begins."""
    return (entry.size + 1023) // 1024 if entry and entry.kind == "f" else 0


def plan(line: str, patterns: list[str]) -> str:
    """Turn one line `path|old|new` into `action object mode blocks`."""
    path, old_text, new_text = line.split("|")
    if excluded(path, patterns):
        return f"skip {stored(path)} - 0"
    old, new = parse(old_text), parse(new_text)
    mode = f"{new.mode & 0o7777:04o}" if new else "-"
    todo = action(old, new)
    moved = blocks(new) if todo in ("add", "copy", "replace") else 0
    return f"{todo} {stored(path)} {mode} {moved}"
