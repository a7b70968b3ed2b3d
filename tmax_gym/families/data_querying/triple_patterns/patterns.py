"""Graph patterns of the triple-patterns family: rules, evaluator, graphs and queries.

A query has patterns over named edges, paths with operators, comparisons and negation, or asks for
the fewest steps.  Graphs have up to about forty edges, and names are single words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tmax_gym.rng import Rng
from tmax_gym.texts.skins import Skin, slugged

Triple = tuple[str, str, str]
Relation = frozenset[tuple[str, str]]
Binding = Mapping[str, str]
BREAK = "?"
"""The line between triples and queries."""
EDGES = ("feeds", "serves", "owns", "checks", "joins", "replaces", "follows", "covers")
MOST = 24
"""The largest number of rows of an answer."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The query language of one task."""

    bag: bool
    """Whether each solution gives a row; otherwise equal rows are printed once."""
    inverse: str
    """Sign before an edge that is followed backwards; a sign that does not exist is ""."""
    plus: str
    """Sign after an edge: one step or more."""
    star: str
    """Sign after an edge: any number of steps, including none."""
    sequence: str
    """Sign between two steps in a row."""
    either: str
    """Sign between alternatives, which bind weakest."""
    compare: bool
    """Whether a query may compare two variables."""
    negate: bool
    """Whether a pattern may be forbidden."""
    hops: Literal["directed", "both"]
    """Whether the fewest steps may also go backwards."""


def drawn(rng: Rng, level: float) -> Rules:
    """Return rules; a higher level has more operators."""
    closure = rng.choice(("plus", "star", "both")) if level >= 0.2 else ""
    return Rules(
        bag=rng.chance(0.5),
        inverse=rng.choice("^-") if level >= 0.35 or rng.chance(0.5) else "",
        plus=rng.choice("+!") if closure in ("plus", "both") else "",
        star=rng.choice("*~") if closure in ("star", "both") else "",
        sequence=rng.choice("/>") if level >= 0.5 else "",
        either=rng.choice("|,") if level >= 0.1 else "",
        compare=rng.chance(0.6),
        negate=level >= 0.6 or (level < 0.15 and rng.chance(0.4)),
        hops=rng.choice(("directed", "both")),
    )


def answer(rules: Rules, triples: Sequence[Triple], queries: Sequence[str]) -> list[str]:
    """Return one line for each query."""
    return [_answer(rules, triples, query) for query in queries]


def _answer(rules: Rules, triples: Sequence[Triple], query: str) -> str:
    head, _, tail = query.partition(" : ")
    if head.startswith("hops "):
        _, start, end = head.split()
        return _hops(rules, _path(rules, triples, tail), start=start, end=end)
    bindings: list[Binding] = [{}]
    later = []
    for part in tail.split(" . "):
        words = part.split()
        if len(words) == 4 or words[1] in ("!=", "<"):
            later.append(words)
            continue
        left, path, right = words
        pairs = sorted(_path(rules, triples, path))
        bindings = [new for b in bindings for new in _extended(b, (left, right), pairs)]
    for words in later:
        bindings = [b for b in bindings if _holds(rules, triples, b, words)]
    rows = [",".join(b[name] for name in head.split()) for b in bindings]
    return " ".join(sorted(rows if rules.bag else set(rows))) or "none"


def _extended(
    old: Binding, names: tuple[str, str], pairs: Sequence[tuple[str, str]]
) -> Iterator[Binding]:
    """Yield a binding with the variables of a pattern, for each pair that fits the pattern."""
    wanted = [old.get(name) if name.startswith("?") else name for name in names]
    for first, second in pairs:
        if wanted[0] in (None, first) and wanted[1] in (None, second):
            if names[0] == names[1] and first != second:
                continue
            ends = zip(names, (first, second), strict=True)
            yield {**old, **{name: value for name, value in ends if name.startswith("?")}}


def _holds(rules: Rules, triples: Sequence[Triple], binding: Binding, words: list[str]) -> bool:
    if len(words) == 4:
        left, right = (binding.get(words[n], words[n]) for n in (1, 3))
        return (left, right) not in _path(rules, triples, words[2])
    left, right = binding[words[0]], binding[words[2]]
    return left != right if words[1] == "!=" else left < right


def _path(rules: Rules, triples: Sequence[Triple], text: str) -> Relation:
    """Return every (start, end) of a path."""
    parts = text.split(rules.either) if rules.either else [text]
    relation: set[tuple[str, str]] = set()
    for part in parts:
        steps = part.split(rules.sequence) if rules.sequence else [part]
        pairs = _step(rules, triples, steps[0])
        for step in steps[1:]:
            more = _step(rules, triples, step)
            pairs = _composed(pairs, more)
        relation |= pairs
    return frozenset(relation)


def _step(rules: Rules, triples: Sequence[Triple], text: str) -> set[tuple[str, str]]:
    back = bool(rules.inverse) and text.startswith(rules.inverse)
    name, sign = text[back:], ""
    if name[-1] in (rules.plus, rules.star):
        name, sign = name[:-1], name[-1]
    pairs = {(o, s) if back else (s, o) for s, p, o in triples if p == name}
    if sign:
        size = 0
        while len(pairs) > size:
            size = len(pairs)
            pairs |= _composed(pairs, pairs)
        if sign == rules.star:
            pairs |= {(node, node) for s, _, o in triples for node in (s, o)}
    return pairs


def _composed(first: set[tuple[str, str]], second: set[tuple[str, str]]) -> set[tuple[str, str]]:
    ends: dict[str, list[str]] = {}
    for start, end in second:
        ends.setdefault(start, []).append(end)
    return {(a, d) for a, b in first for d in ends.get(b, ())}


def _hops(rules: Rules, pairs: Relation, *, start: str, end: str) -> str:
    if rules.hops == "both":
        pairs = pairs | {(b, a) for a, b in pairs}
    here, seen, steps = {start}, {start}, 0
    while here:
        if end in here:
            return str(steps)
        here = {b for a, b in pairs if a in here} - seen
        seen |= here
        steps += 1
    return "-"


def names(skin: Skin) -> list[str]:
    """Return names for the nodes of a graph."""
    phrases = [*skin.places, *(thing.singular for thing in skin.things)]
    return sorted({slugged(name) for name in phrases})


def graph(rng: Rng, nodes: Sequence[str], edges: Sequence[str], *, size: int) -> list[Triple]:
    """Return different triples, sometimes with loops."""
    triples: dict[Triple, None] = {}
    while len(triples) < size:
        triples[rng.choice(nodes), rng.choice(edges), rng.choice(nodes)] = None
    return list(triples)


def queries(rules: Rules, rng: Rng, triples: Sequence[Triple], *, count: int) -> list[str]:
    """Return queries; most of them have an answer, and none has a long one."""
    chosen: list[str] = []
    attempt = 0
    while len(chosen) < count:
        attempt += 1
        stream = rng.fork(attempt)
        # Every graph is asked for a way at least once.
        hops = not chosen or stream.chance(0.2)
        query = (_hop_query if hops else _pattern_query)(rules, stream, triples)
        answer = _answer(rules, triples, query)
        dull = answer in ("none", "-") and stream.chance(0.8)
        if query not in chosen and not dull and answer.count(" ") < MOST:
            chosen.append(query)
    return chosen


def _hop_query(rules: Rules, rng: Rng, triples: Sequence[Triple]) -> str:
    start, end = rng.choice(triples)[0], rng.choice(triples)[2]
    known = sorted({p for _, p, _ in triples})
    edges = rng.sample(known, min(2, len(known)))
    return f"hops {start} {end} : {rules.either.join(edges) if rules.either else edges[0]}"


def _pattern_query(rules: Rules, rng: Rng, triples: Sequence[Triple]) -> str:
    shape = rng.choice(
        ("?x @ o", "s @ ?x", "?x @ ?y", "?x @ ?y . ?y @ ?z", "?x @ ?y . ?x @ o",
         "?x @ ?y . ?x @ ?z", "?x @ ?y . ?z @ ?y . ?z @ o", "?x @ ?x")
    )  # fmt: skip
    subject, _, target = rng.choice(triples)
    edges = sorted({p for _, p, _ in triples})
    words = []
    for word in shape.split():
        fixed = {"s": subject, "o": target}.get(word, word)
        words.append(_drawn_path(rules, rng, edges) if word == "@" else fixed)
    tail = " ".join(words)
    known = sorted({word for word in words if word.startswith("?")})
    if rules.compare and len(known) > 1 and rng.chance(0.4):
        one, two = rng.sample(known, 2)
        tail += f" . {one} {rng.choice(('!=', '<'))} {two}"
    if rules.negate and rng.chance(0.4):
        path = _drawn_path(rules, rng, edges)
        tail += f" . not {rng.choice(known)} {path} {rng.choice((*known, target))}"
    shown = rng.sample(known, rng.integer(1, len(known)))
    return f"{' '.join(shown)} : {tail}"


def _drawn_path(rules: Rules, rng: Rng, edges: Sequence[str]) -> str:
    def step() -> str:
        back = rules.inverse if rng.chance(0.3) else ""
        signs = [sign for sign in (rules.plus, rules.star) if sign]
        return back + rng.choice(edges) + (rng.choice(signs) if signs and rng.chance(0.3) else "")

    path = step()
    if rules.sequence and rng.chance(0.25):
        path += rules.sequence + step()
    if rules.either and rng.chance(0.3):
        path += rules.either + step()
    return path
