"""The method sheet of a nearest-shelf task: how each question is answered."""

from __future__ import annotations

from tmax_gym.families.data_science.nearest_shelf.plans import HASHES, Plan
from tmax_gym.families.shared.sheets import flowed

_WORDS = """# Method

## Words and features

Turn a text to lower case. Its words are the longest runs of {run}. Drop the words that have fewer
than {shortest} characters.

The features of a text are {features}. The hash h of a feature is computed from its bytes: start
with h = {start}, and for each byte b set `{mixed}` modulo 2^32.

## `vectors`

A vector has {axes} axes, counted from 0. A feature with the hash h belongs to the axis {axis}.
{weight}{sign}

`vectors` prints one line for each item, in the order of the input: the name of the item and the
numbers of its vector, separated by single blanks.

## `covariance`

The covariance of two axes x and y is `n * sum(x * y) - sum(x) * sum(y)`, where n is the number of
items and the sums go over all items. Requests do not count. `covariance` prints one line for each
axis i: its covariances with the axes 0 to i, separated by single blanks.

## `axes`

"""
_DIRECTION = """First remove the direction that all vectors have in common. Start with v as a vector
of ones. Repeat this {rounds} times: compute w = C v, where C is the matrix of covariances, and set
v to `64 * w / m`, where m is the largest absolute value in w. Then replace every vector x, of items
and of requests, by `x - v * (v . x) / (v . v)`. The fractions of all these quotients are cut off
towards zero, for each number of the vector. From here on, covariances are those of the changed
items.

"""
_REST = """Go through the axes in order of falling variance. Of axes with the same variance, the one
with the lower number comes first. {keep} `axes` prints {shown}, separated by single blanks.

## `nearest`

{request}

For each request, rank the items by {measure}. Use only the kept axes. Of items that rank equally,
the one that is {tie} in the input comes first. `nearest` prints one line for each request: the
names of the first COUNT items, separated by single blanks.
"""


def sheet(plan: Plan) -> str:
    """Return the method sheet of a plan."""
    parts = (_WORDS, _DIRECTION if plan.removed else "", _REST)
    return flowed("".join(parts).format(**_vectors(plan), **_axes(plan), **_nearest(plan)))


def _vectors(plan: Plan) -> dict[str, str]:
    """Return what fills the chapters about words and vectors."""
    start, factor = HASHES[plan.hash]
    sign = (
        f"If bit {plan.signed} of h is set, where bit 0 is the lowest one, subtract this number "
        "from the axis instead."
    )
    return {
        "run": "letters a to z and digits" if plan.digits else "letters a to z",
        "shortest": str(plan.shortest),
        "features": {
            "words": "its words",
            "pairs": "its words, and all pairs of neighbours among these words, written as `a+b`",
            "trigrams": "all runs of three characters in each word, after a `#` has been put in "
            "front of the word and another one behind it",
        }[plan.features],
        "start": str(start),
        "mixed": f"h = (h xor b) * {factor}" if plan.hash == "fnv" else f"h = h * {factor} + b",
        "axes": str(plan.axes),
        "axis": f"`(h >> 16) mod {plan.axes}`" if plan.high else f"`h mod {plan.axes}`",
        "weight": {
            "count": "Add 1 to this axis each time the feature occurs in the text.",
            "once": "Add 1 to this axis, but only once for each hash, however often it occurs in "
            "the text.",
            "rarity": "Each time the feature occurs in the text, add `n / d` to this axis, rounded "
            "down. Here n is the number of items, and d is the number of items that have a "
            "feature with this hash. If d is 0, add nothing.",
        }[plan.weight],
        "sign": f" {sign}" if plan.signed >= 0 else "",
        "rounds": str(plan.rounds),
    }


def _axes(plan: Plan) -> dict[str, str]:
    """Return what fills the chapter about axes."""
    top, bottom = plan.limit
    product = "the product of both variances"
    kept = "the numbers of the kept axes, in the order in which they were kept"
    return {
        "keep": f"Keep the first {plan.kept} of them."
        if plan.reduce == "variance"
        else "Keep an axis unless its variance is 0, or the square of its covariance with an axis "
        f"that was kept earlier, times {bottom}, is more than "
        f"{product if top == 1 else f'{top} times {product}'}.",
        "shown": f"v on one line, and on the next line {kept}" if plan.removed else kept,
    }


def _nearest(plan: Plan) -> dict[str, str]:
    """Return what fills the chapter about the nearest items."""
    return {
        "request": "A request lists the names of items that somebody liked. Its vector is the sum "
        "of the vectors of these items, and they are not named again in the answer."
        if plan.liked
        else "A request is a text. It is made into a vector in the same way as an item.",
        "measure": {
            "cosine": "the cosine between their vector and that of the request, largest first. "
            "Compare cosines exactly; the cosine with a vector of zeros is 0",
            "euclid": "the squared Euclidean distance between their vector and that of the "
            "request, smallest first",
            "manhattan": "the sum of the absolute differences between their vector and that of "
            "the request, smallest first",
            "dot": "the dot product of their vector and that of the request, largest first",
            "signs": "the number of axes on which their vector and that of the request have the "
            "same sign (plus, minus or zero), largest first",
        }[plan.measure],
        "tie": "later" if plan.late else "earlier",
    }
