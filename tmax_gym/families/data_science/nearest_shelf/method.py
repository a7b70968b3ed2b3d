"""The method sheet of a nearest-shelf task: how each question is answered."""

from __future__ import annotations

from tmax_gym.families.data_science.nearest_shelf.plans import HASHES, Plan
from tmax_gym.families.shared.sheets import flowed

_WORDS = """# Method

## Words and features

Convert the text to lower case. Its words are the maximal runs of {run}. Drop the words that have
fewer than {shortest} characters.

The features of a text are {features}. The hash h of a feature is computed from its bytes: start
with h = {start}, and for each byte b in order, set `{mixed}` modulo 2^32.

## `vectors`

A vector has {axes} axes, numbered from 0, and starts with 0 on each of them. A feature with the
hash h belongs to the axis {axis}. {weight}{sign}

`vectors` prints one line for each item, in the order of the input: the name of the item and the
numbers of its vector, separated by single spaces.

## `covariance`

The covariance of two axes is `n * sum(x * y) - sum(x) * sum(y)`, where x and y are the numbers of
an item on these axes, n is the number of items, and the sums are over all items. Requests are not
included. The variance of an axis is its covariance with itself. `covariance` prints one line for
each axis i: its covariances with the axes 0 to i, separated by single spaces.

## `axes`

"""
_DIRECTION = """First remove the direction that all vectors have in common. Start with v as a vector
of ones. Repeat this {rounds} times: compute w = C v, where C is the covariance matrix, and set v to
`64 * w / m`, where m is the largest absolute value in w. If m is 0, leave v as it is. Then replace
{changed} by `x - v * (v . x) / (v . v)`, where `.` is the dot product. Compute both quotients for
each number of the vector: first multiply, then divide, and truncate towards zero. From here on,
variances and covariances are those of the changed items.

"""
_REST = """Go through the axes in descending order of variance. If axes have the same variance, the
one with the lowest number comes first. {keep} `axes` prints {shown}, separated by single spaces.

## `nearest`

{request}

Use only the kept axes. For each request, rank the items by {measure}. If items are tied, the one
that is {tie} in the input comes first. `nearest` prints one line for each request: the names of the
first COUNT items, separated by single spaces.
"""


def sheet(plan: Plan) -> str:
    """Return the method sheet of a plan."""
    parts = (_WORDS, _DIRECTION if plan.removed else "", _REST)
    return flowed("".join(parts).format(**_vectors(plan), **_axes(plan), **_nearest(plan)))


def _vectors(plan: Plan) -> dict[str, str]:
    """Return what fills the chapters about words and vectors."""
    start, factor = HASHES[plan.hash]
    sign = (
        f"If bit {plan.signed} of h is set, where bit 0 is the lowest one, subtract instead of "
        "adding."
    )
    return {
        "run": "the letters a to z and the digits 0 to 9" if plan.digits else "the letters a to z",
        "shortest": str(plan.shortest),
        "features": {
            "words": "its words",
            "pairs": "its words and all pairs of consecutive words, written as `a+b`. The pairs "
            "are formed after the short words have been dropped",
            "trigrams": "all substrings of three characters in each word, after one `#` has been "
            "added before the word and another one after it",
        }[plan.features],
        "start": str(start),
        "mixed": f"h = (h xor b) * {factor}" if plan.hash == "fnv" else f"h = h * {factor} + b",
        "axes": str(plan.axes),
        "axis": f"`(h >> 16) mod {plan.axes}`" if plan.high else f"`h mod {plan.axes}`",
        "weight": {
            "count": "Each time the feature occurs in the text, add 1 to this axis.",
            "once": "Add 1 to this axis, but only once for each hash, no matter how often the hash "
            "occurs in the text.",
            "rarity": "Each time the feature occurs in the text, add `n / d`, rounded down, to "
            "this axis. Here n is the number of items, and d is the number of items that have a "
            "feature with this hash. If d is 0, add nothing.",
        }[plan.weight],
        "sign": f" {sign}" if plan.signed >= 0 else "",
        "rounds": str(plan.rounds),
    }


def _axes(plan: Plan) -> dict[str, str]:
    """Return what fills the chapter about axes."""
    top, bottom = plan.limit
    product = "the product of their variances"
    kept = "the numbers of the kept axes, in the order in which they were kept"
    return {
        "changed": "the vector x of every item"
        if plan.liked
        else "every vector x, of items and of requests,",
        "keep": f"Keep the first {plan.kept} of them."
        if plan.reduce == "variance"
        else f"Drop an axis if its variance is 0, or if {bottom} times the square of its "
        "covariance with any axis that has already been kept is greater than "
        f"{product if top == 1 else f'{top} times {product}'}. Keep the others.",
        "shown": f"v on one line, and on the next line {kept}" if plan.removed else kept,
    }


def _nearest(plan: Plan) -> dict[str, str]:
    """Return what fills the chapter about the nearest items."""
    return {
        "request": "A request lists the names of items that somebody liked. Its vector is the sum "
        f"of the {'changed ' * plan.removed}vectors of these items. The answer does not include "
        "these items."
        if plan.liked
        else "A request is a text. Its vector is computed in the same way as that of an item.",
        "measure": {
            "cosine": "the cosine between their vector and that of the request, largest first. "
            "Compare cosines exactly; the cosine with a vector of zeros is 0",
            "euclid": "the squared Euclidean distance between their vector and that of the "
            "request, smallest first",
            "manhattan": "the sum of the absolute differences between their vector and that of "
            "the request, smallest first",
            "dot": "the dot product of their vector and that of the request, largest first",
            "signs": "the number of axes on which their vector and that of the request have the "
            "same sign (positive, negative or zero), largest first",
        }[plan.measure],
        "tie": "later" if plan.late else "earlier",
    }
