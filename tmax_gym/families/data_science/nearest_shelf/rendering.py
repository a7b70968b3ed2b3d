"""The nearest shelf as a program: one source of whole numbers, printed in five languages.

Covers every plan.  Does not cover expected answers: those are the evaluator's, in `evaluator`.
"""

from __future__ import annotations

from tmax_gym.axes import Language
from tmax_gym.families.data_science.nearest_shelf.plans import HASHES, Plan
from tmax_gym.families.data_science.nearest_shelf.sketch import SOURCE
from tmax_gym.world.programs import portable


def render(plan: Plan, language: Language) -> str:
    """Return a complete program."""
    numbers = {
        "AXES": plan.axes,
        "SHORTEST": plan.shortest,
        "ROUNDS": plan.rounds,
        "KEPT": plan.kept,
        "BIT": plan.signed,
        "TOP": plan.limit[0],
        "BOTTOM": plan.limit[1],
        "START": HASHES[plan.hash][0],
        "FACTOR": HASHES[plan.hash][1],
    }
    return portable.render(portable.filled(SOURCE, _pieces(plan), numbers), language)


def _pieces(plan: Plan) -> dict[str, str]:
    """Return what stands for each mark."""
    fnv = plan.hash == "fnv"
    return {
        "digits": "if c >= 48 and c <= 57:\n    return c" if plan.digits else "",
        "hash": "(h ^ c) * FACTOR % 4294967296" if fnv else "(h * FACTOR + c) % 4294967296",
        "before": "before = 0" if plan.features == "pairs" else "",
        "features": _FEATURES[plan.features],
        "weight": _WEIGHT[plan.weight],
        "signed": "if ((h >> BIT) & 1) == 1:\n    w = -w" if plan.signed >= 0 else "",
        "axis": "(h >> 16) % AXES" if plan.high else "h % AXES",
        "fits": _FITS[plan.reduce],
        "measure": _MEASURE[plan.measure],
        "finish": "top = top * abs(top)\nbottom = max(bottom - 1, 1)"
        if plan.measure == "cosine"
        else "",
        "order": ">=" if plan.late else ">",
        "remove": _REMOVE if plan.removed else "",
        "shown": "numbers(v, 0, AXES)" if plan.removed else "",
        "request": _LIKED if plan.liked else _TEXT + (_REMOVED if plan.removed else ""),
    }


_WORD = """\
h = START
for k in range(i, j):
    h = step(h, inside(text[k]))
made[count[0]] = h
count[0] += 1"""
_FEATURES = {
    "words": _WORD,
    "pairs": f"""\
{_WORD}
if before > 0:
    pair = step(before - 1, 43)
    for k in range(i, j):
        pair = step(pair, inside(text[k]))
    made[count[0]] = pair
    count[0] += 1
before = h + 1""",
    "trigrams": """\
for k in range(i, j):
    left = 35
    right = 35
    if k > i:
        left = inside(text[k - 1])
    if k < j - 1:
        right = inside(text[k + 1])
    h = step(START, left)
    h = step(h, inside(text[k]))
    made[count[0]] = step(h, right)
    count[0] += 1""",
}
_WEIGHT = {
    "count": "return 1",
    "once": """\
for t in range(from_, k):
    if made[t] == made[k]:
        return 0
return 1""",
    "rarity": """\
found = 0
for i in range(0, n):
    here = 0
    for t in range(starts[i], starts[i + 1]):
        if made[t] == made[k]:
            here = 1
    found += here
if found == 0:
    return 0
return n // found""",
}
_FITS = {
    "variance": "if kept >= KEPT:\n    fits = 0",
    "decorrelate": """\
if c[best * AXES + best] == 0:
    fits = 0
for k in range(0, kept):
    b = axes[k]
    both = c[best * AXES + b]
    if BOTTOM * both * both > TOP * c[best * AXES + best] * c[b * AXES + b]:
        fits = 0""",
}
_MEASURE = {
    "cosine": "top += a * b\nbottom += a * a",
    "euclid": "top -= (a - b) * (a - b)",
    "manhattan": "top -= abs(a - b)",
    "dot": "top += a * b",
    "signs": "if (a > 0 and b > 0) or (a < 0 and b < 0) or (a == 0 and b == 0):\n    top += 1",
}
_REMOVE = """\
v = array(AXES)
direction(c, v)
for k in range(0, n):
    take_out(x, k * AXES, v)
covariance(x, n, c)"""
_LIKED = """\
while i < j:
    while text[i] == 32:
        i += 1
    end = i
    while text[end] > 32:
        end += 1
    h = hash_of(text, i, end)
    for k in range(0, n):
        if hash_of(text, ids[2 * k], ids[2 * k + 1]) == h:
            used[k] = 1
            for a in range(0, AXES):
                y[a] += x[k * AXES + a]
    i = end"""
_TEXT = """\
count[0] = starts[n]
features(text, i, j, made, count)
embed(made, starts[n], count[0], starts, n, y, 0)"""
_REMOVED = "\ntake_out(y, 0, v)"
