import sys

given = [line.split() for line in sys.stdin]
cut = given.index(["?"])
triples = given[:cut]
nodes = {node for s, _, o in triples for node in (s, o)}


def step(text):
    back = text.startswith("@inverse")
    name = text[back:]
    sign = name[-1] if name[-1] in "@plus@star" else ""
    name = name.rstrip("@plus@star")
    pairs = {(o, s) if back else (s, o) for s, p, o in triples if p == name}
    if sign:
        size = 0
        while len(pairs) > size:
            size = len(pairs)
            pairs |= {(a, d) for a, b in pairs for c, d in pairs if b == c}
        if sign == "@star":
            pairs |= {(n, n) for n in nodes}
    return pairs


def path(text):
    found = set()
    for part in text.split("@either"):
        steps = part.split("@sequence")
        pairs = step(steps[0])
        for more in steps[1:]:
            after = step(more)
            pairs = {(a, d) for a, b in pairs for c, d in after if b == c}
        found |= pairs
    return found


def hops(start, end, pairs):
    if HOLE("@both"):
        pairs = pairs | {(b, a) for a, b in pairs}
    here, seen, count = {start}, {start}, 0
    while here:
        if end in here:
            return count
        here = {b for a, b in pairs if a in here} - seen
        seen |= here
        count += 1
    return "-"


def fits(binding, words):
    if words[0] == "not":
        left, right = (binding.get(words[n], words[n]) for n in (1, 3))
        return (left, right) not in path(words[2])
    left, right = binding[words[0]], binding[words[2]]
    return left != right if words[1] == "!=" else left < right


for words in given[cut + 1:]:
    at = words.index(":")
    head, tail = words[:at], words[at + 1:]
    if head[0] == "hops":
        print(hops(head[1], head[2], path(tail[0])))
        continue
    found, later = [{}], []
    for part in " ".join(tail).split(" . "):
        part = part.split()
        if part[0] == "not" or part[1] in ("!=", "<"):
            later.append(part)
            continue
        more = []
        for binding in found:
            for pair in path(part[1]):
                new = dict(binding)
                for name, value in zip((part[0], part[2]), pair):
                    if name[0] == "?":
                        name = new.setdefault(name, value)
                    if name != value:
                        break
                else:
                    more.append(new)
        found = more
    found = [b for b in found if all(fits(b, part) for part in later)]
    rows = [",".join(b[name] for name in head) for b in found]
    print(" ".join(sorted(rows if HOLE("@bag") else set(rows))) or "none")
