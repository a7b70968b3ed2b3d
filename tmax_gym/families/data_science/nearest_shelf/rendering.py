"""The nearest shelf as a program: one source of whole numbers, printed in five languages.

Covers every plan.  Does not cover expected answers: those are the evaluator's, in `evaluator`.
"""

from __future__ import annotations

from tmax_gym.axes import Language
from tmax_gym.families.data_science.nearest_shelf.plans import HASHES, Plan
from tmax_gym.families.shared.programs import program_sections, program_text
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
    return portable.render(portable.filled(_SOURCE, _pieces(plan), numbers), language)


def _pieces(plan: Plan) -> dict[str, str]:
    """Return the replacement of each mark."""
    fnv = plan.hash == "fnv"
    return {
        "digits": "if c >= 48 and c <= 57:\n    return c" if plan.digits else "",
        "hash": "(h ^ c) * FACTOR % 4294967296" if fnv else "(h * FACTOR + c) % 4294967296",
        "before": "before = 0" if plan.features == "pairs" else "",
        "features": _PIECES[plan.features],
        "weight": "return 1" if plan.weight == "count" else _PIECES[plan.weight],
        "signed": "if ((h >> BIT) & 1) == 1:\n    w = -w" if plan.signed >= 0 else "",
        "axis": "(h >> 16) % AXES" if plan.high else "h % AXES",
        "fits": _KEPT if plan.reduce == "variance" else _PIECES["decorrelate"],
        "measure": _MEASURE[plan.measure],
        "finish": "top = top * abs(top)\nbottom = max(bottom - 1, 1)"
        if plan.measure == "cosine"
        else "",
        "ahead": f"score[2 * i] * score[2 * best + 1] {'>=' if plan.late else '>'}"
        " score[2 * best] * score[2 * i + 1]",
        "remove": _PIECES["remove"] if plan.removed else "",
        "shown": "numbers(v, 0, AXES)" if plan.removed else "",
        "request": _PIECES["liked"]
        if plan.liked
        else _PIECES["text"] + ("take_out(y, 0, v)" if plan.removed else ""),
    }


_SOURCE = program_text(__package__, "main.py")
_PIECES = program_sections(__package__, "pieces.py")
_KEPT = "if kept >= KEPT:\n    fits = 0"
_MEASURE = {
    "cosine": "top += a * b\nbottom += a * a",
    "euclid": "top -= (a - b) * (a - b)",
    "manhattan": "top -= abs(a - b)",
    "dot": "top += a * b",
    "signs": "if (a > 0 and b > 0) or (a < 0 and b < 0) or (a == 0 and b == 0):\n    top += 1",
}
