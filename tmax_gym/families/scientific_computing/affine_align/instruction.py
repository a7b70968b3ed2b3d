"""What the affine-align family says: the prescribed alignment, its ties, and the table."""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.families.scientific_computing.affine_align.alignment import Plan
from tmax_gym.families.shared.sources import Sources, compiled, twins
from tmax_gym.texts.obligations import Obligation

ENDS = {
    "global": "The alignment is global: it covers the whole query and the whole target, and gaps "
    "at the ends cost as much as other gaps.",
    "fit": "The whole query is aligned with a stretch of the target. The letters of the target "
    "before and after this stretch are left out at no cost. `start` and `end` are the positions "
    "of the first and the last letter of the stretch, counted from 1.",
    "local": "The alignment is local: a stretch of the query is aligned with a stretch of the "
    "target, and whatever is outside is left out at no cost. `from` and `to` are the positions "
    "of the first and the last letter of the stretch in the query, and `start` and `end` those "
    "in the target, all counted from 1. If no alignment has a score above 0, print 0 for the "
    "score and for all four positions, and `*` as `columns`.",
}
GLOBAL = ("global", "whole", "end to end")
TOUCH = {
    True: "A column `I` may stand directly next to a column `D`. They belong to two gaps, and "
    "each of the gaps pays for its first letter.",
    False: "A column `I` never stands directly next to a column `D`; alignments in which that "
    "happens are not allowed.",
}
STRAND = (
    "Align also the reverse complement of each query (`N` stays `N`). If its score is higher than "
    "that of the query itself, report its alignment instead, with `-` as `strand`; the positions "
    "and `columns` then refer to the reverse complement. Otherwise, even if both scores are "
    "equal, `strand` is `+`."
)
KINDS = {"M": "a pair of letters", "I": "`I`", "D": "`D`"}


def say(plan: Plan, programs: Sources, paths: Mapping[str, str]) -> tuple[Obligation, ...]:
    """Return the interface, the prescribed alignment, and the table.

    `paths` names the files: `sheet`, `reads`, `target` and `report`.
    """
    first, *others = programs
    return (
        Obligation(
            "goal",
            f"Our labs use different tools for pairwise alignment and get different results where "
            f"several alignments are equally good. Write an aligner with affine gap costs in "
            f"{first.name}, `{first.path}`, that settles every such case by fixed rules.",
            "goal",
        ),
        *twins(others),
        Obligation(
            "feed",
            "The program reads FASTA from standard input. The first record is the target and all "
            "further records are queries. The name of a record is the first word after `>`, a "
            "sequence may span several lines, and lower case letters mean the same as capitals. "
            "The letters are A, C, G, T and N.",
            "input",
        ),
        Obligation(
            "sheet",
            f"The score of each pair of letters and the costs of gaps are in `{paths['sheet']}`. "
            f"The first letter of a gap costs `first`, and each further letter of the same gap "
            f"costs `further`; costs are subtracted. The line `query_only` is for letters of the "
            f"query that stand against a gap, and `target_only` for letters of the target that "
            f"stand against a gap.",
        ),
        Obligation("ends", ENDS[plan.mode], keys=GLOBAL if plan.mode == "global" else ()),
        Obligation("gaps", TOUCH[plan.touch]),
        Obligation("tie", _tie(plan)),
        *([Obligation("strand", STRAND)] if plan.strands else []),
        Obligation(
            "row",
            f"For each query, in the order of the input, the program prints one line "
            f"`{' '.join(plan.columns)}`, separated by single blanks; `query` is the name of the "
            f"query.",
            "format",
        ),
        Obligation("columns", _columns(plan), "format"),
        Obligation(
            "report",
            f"Also align all queries of `{paths['reads']}` with the target in `{paths['target']}`, "
            f"and write the same rows to `{paths['report']}`, as a CSV file with the header "
            f"`{','.join(plan.columns)}`.",
            "output",
        ),
        Obligation(
            "keep",
            f"Leave `{paths['sheet']}`, `{paths['reads']}` and `{paths['target']}` as they are.",
            "limit",
        ),
        _judged(programs),
    )


def _columns(plan: Plan) -> str:
    """Return how the columns of an alignment are written."""
    pair = (
        "`=` for two equal letters, `X` for two different letters"
        if plan.split
        else "`M` for two letters"
    )
    runs = (
        "Write equal neighbouring columns as their number and the letter once, as in `3I` (a "
        "single one as `1I`)."
        if plan.runs
        else "Write every column; nothing is counted or shortened."
    )
    return (
        f"`columns` describes the alignment from its first column to its last, with one letter "
        f"per column: {pair}, `I` for a letter of the query against a gap, and `D` for a letter "
        f"of the target against a gap. {runs}"
    )


def _tie(plan: Plan) -> str:
    """Return which of several best alignments is right."""
    side = "first" if plan.front else "last"
    place = ""
    if plan.mode != "global":
        # With `front`, the sequences are turned: the first place found is then the latest.
        when = "latest" if plan.late != plan.front else "earliest"
        place = f"take the one whose {side} aligned letter of the target comes {when}"
        if plan.mode == "local":
            place += f", and of these the one whose {side} aligned letter of the query comes {when}"
        place += ". If there is still a choice, "
    one, two, three = (KINDS[state] for state in plan.order)
    over = (
        " An alignment that is over at this point wins over one that goes on."
        if plan.mode == "local"
        else ""
    )
    return (
        f"If several alignments have the best score, {place}compare the alignments column by "
        f"column, beginning with the {side} column. At the first column where they differ, {one} "
        f"wins over {two}, and {two} wins over {three}.{over}"
    )


def _judged(programs: Sources) -> Obligation:
    """Return how the programs are built and tried."""
    it = "Both programs are" if len(programs) > 1 else "The program is"
    return Obligation(
        "judged",
        f"{compiled(programs)}{it} run without any other file, on sequences that you have not "
        f"seen, so the scores and costs must be in the source.",
        "grading",
        keys=("not seen", "unseen", "hidden", "other sequences", "further sequences"),
    )
