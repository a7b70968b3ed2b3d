import re, sys
from pathlib import Path

JOINER = "@joiner"
STAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} ")


def records(lines, kind):
    found, left, open_ = [], 0, False
    for line in lines:
        if kind == "stamped":
            if STAMP.match(line):
                found.append([line])
            elif found:
                found[-1].append(line)
        elif kind == "indented":
            if line[:1] not in (" ", "\t"):
                found.append([line])
            elif found:
                found[-1].append(line)
        elif kind == "slashed":
            if not open_:
                found.append([])
            open_ = line.endswith("\\")
            found[-1].append(line[:-1] if open_ else line)
        elif kind == "counted":
            if left:
                found[-1].append(line)
                left -= 1
            else:
                line, _, count = line.rpartition(" +")
                left = int(count)
                found.append([line])
        elif line == "<<":
            found.append([])
            open_ = True
        elif line == ">>":
            open_ = False
        elif open_:
            found[-1].append(line)
    return found


def sheet(path):
    blocks = {"": []}
    into = blocks[""]
    for line in path.read_text(encoding="utf-8").splitlines():
        words = [a or b for a, b in re.findall(r'"([^"]*)"|(\S+)', line)]
        if not words or line.startswith("#"):
            continue
        if words[0] == "macro":
            into = blocks.setdefault(words[1], [])
        elif words[0] == "end":
            into = blocks[""]
        else:
            into.append(words)
    return blocks


def cut(text, start, stop):
    made = ""
    while True:
        before, found, rest = text.partition(start)
        inside, closed, after = rest.partition(stop)
        if not found or not closed:
            return made + text
        made += before if HOLE("@ends") else before + start + stop
        text = after


def mask(found):
    hidden = max(0, len(found[2]) - HOLE("@spared"))
    return found[1] + "@cover" * hidden + found[2][hidden:]


def edited(blocks, name, text, level):
    for command, *words in blocks[name]:
        if command == "run":
            if words[1:2] == ["when"] and words[2] not in text:
                continue
            if words[1:2] == ["for"] and words[2] != level:
                continue
            text = edited(blocks, words[0], text, level)
            if text is None:
                return None
        elif command == "drop":
            if words[0] in text:
                return None
        elif command == "replace":
            text = text.replace(words[0], words[1], -1 if HOLE("@everywhere") else 1)
        elif command == "cut":
            text = cut(text, *words)
        elif command == "mask":
            text = re.sub(f"({re.escape(words[0])})([0-9]+)", mask, text)
        elif command == "tag" and words[0] in text:
            text = f"[{words[1]}] {text}" if HOLE("@front") else f"{text} [{words[1]}]"
        elif command == "limit" and len(text) > int(words[0]):
            text = text[:int(words[0])] + "@more"
        elif command == "skip":
            text = JOINER.join(p for p in text.split(JOINER) if not p.startswith(words[0]))
    return text


folder = Path(sys.argv[1])
blocks, made = sheet(folder / "edits.txt"), []
for row in (folder / "sources.tsv").read_text(encoding="utf-8").splitlines():
    name, encoding, kind = row.split("\t")
    path = folder / name
    with open(path, encoding=encoding) as file:
        lines = file.read().removeprefix("\ufeff").split("\n")[:-1]
    for pieces in records(lines, kind):
        trimmed = [p for p in (piece.strip(" \t") for piece in pieces) if p]
        head = JOINER.join(trimmed)
        stamp, (level, _, text) = head[:19], head[20:].partition(" ")
        text = edited(blocks, "", text, level)
        if text is not None:
            made.append((stamp, f"{stamp}\t{name.partition('.')[0]}\t{level}\t{text}\n"))
made.sort(key=lambda one: one[0])
sys.stdout.buffer.write("".join(line for _, line in made).encode())
