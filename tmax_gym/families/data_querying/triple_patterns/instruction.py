"""What the instruction of the triple-patterns family says."""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.families.data_querying.triple_patterns.patterns import BREAK, Rules
from tmax_gym.families.shared import sources
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world import toolchains

SIGNS: Mapping[str, str] = {
    "inverse": "`{sign}edge` follows the edge backwards",
    "plus": "`edge{sign}` follows such edges one or more times in a row",
    "star": "`edge{sign}` follows such edges any number of times in a row, including not at all, "
    "so that every node of the graph reaches itself",
    "sequence": "`a{sign}b` is `a` and then `b`",
    "either": "`a{sign}b` is `a` or `b`",
}
"""What a path can contain, by the name of the rule."""
COUNTS = {
    True: "There is one row for each assignment of values to all variables of the query, so equal "
    "rows can occur several times.",
    False: "Equal rows are printed only once.",
}
WAYS = {
    "directed": "A step may follow the path only from its start to its end.",
    "both": "A step may also follow the path from its end to its start.",
}


def say(
    rules: Rules, programs: sources.Sources, paths: Mapping[str, str]
) -> tuple[Obligation, ...]:
    """Return the language of queries, rule by rule, and the run that is wanted."""
    first, *others = programs
    which = "both programs" if others else "the program"
    return (
        Obligation(
            "goal",
            f"Write a small query engine in {first.name}, `{first.path}`, that answers questions "
            "about a graph of named edges.",
            "goal",
        ),
        *(
            Obligation(
                "twin",
                f"Write the same program in {other.name} as well, as `{other.path}`. All that is "
                "said here applies to both.",
                "goal",
            )
            for other in others
        ),
        Obligation(
            "feed",
            "The program reads standard input. First come the edges of the graph, one on each "
            f"line, in the form `start edge end`. Then comes a line `{BREAK}`, and each line after "
            "it is a query. For each query, print one line.",
            "input",
        ),
        Obligation(
            "query",
            "A query looks like `?x ?y : ?x edge ?y . ?y edge name`. Before the colon are the "
            "variables to show, and after it are patterns with ` . ` between them. A pattern is a "
            "start, a path and an end. Words that begin with `?` are variables, and any other "
            "start or end is the name of a node. All patterns must hold together.",
        ),
        *_paths(rules),
        *_conditions(rules),
        Obligation(
            "hops",
            "A query of the form `hops a b : path` asks for the fewest steps from the node `a` to "
            "the node `b`, where one step follows the whole path once. "
            f"{WAYS[rules.hops]} Print the number of steps, which is 0 if `a` and `b` are the same "
            "node, or `-` if there is no way.",
        ),
        Obligation(
            "rows",
            "To any other query, the answer is its rows. A row is the values of the variables to "
            "show, joined by commas. Sort the rows in byte order and put single spaces between "
            f"them. {COUNTS[rules.bag]} If there are no rows, print `none`.",
            "format",
        ),
        Obligation(
            "report",
            f"Also answer the queries in `{paths['queries']}` about the graph in "
            f"`{paths['graph']}`, and save the lines that the program prints as "
            f"`{paths['answers']}`.",
            "output",
        ),
        *_built(programs),
        Obligation(
            "keep", f"Leave `{paths['graph']}` and `{paths['queries']}` unchanged.", "limit"
        ),
        Obligation(
            "unseen",
            f"We will run {which} on graphs and queries that you have not seen.",
            "grading",
            ("not seen", "unseen", "other graphs", "hidden", "new graphs", "different graphs"),
        ),
    )


def _paths(rules: Rules) -> tuple[Obligation, ...]:
    """Return what a path can be."""
    signs = [
        text.format(sign=getattr(rules, name))
        for name, text in SIGNS.items()
        if getattr(rules, name)
    ]
    if not signs:
        return (Obligation("paths", "A path is the name of one edge.", keys=("path is", "edge")),)
    form = "this form" if len(signs) == 1 else "one of these forms or a combination of them"
    text = f"A path is the name of an edge, or it has {form}: {'; '.join(signs)}."
    repeat = rules.plus or rules.star
    if rules.inverse and repeat:
        text += f" `{rules.inverse}edge{repeat}` repeats the step backwards."
    order = []
    if rules.either and len(signs) > 1:
        order.append(f"`{rules.either}` binds weakest")
    if rules.sequence and any((rules.inverse, rules.plus, rules.star)):
        order.append(f"`{rules.sequence}` binds weaker than the signs at a single edge")
    if order:
        text += f" In a combination, {', and '.join(order)}."
    return (Obligation("paths", text),)


def _conditions(rules: Rules) -> tuple[Obligation, ...]:
    """Return what can stand in place of a pattern."""
    conditions = []
    if rules.compare:
        conditions.append(
            Obligation(
                "compare",
                "In place of a pattern there can be `?x != ?y` or `?x < ?y`, which compares the "
                "values of two variables byte by byte.",
            )
        )
    if rules.negate:
        conditions.append(
            Obligation(
                "negate",
                "A pattern with `not` before it must not hold. All its variables also occur in "
                "patterns without `not`.",
            )
        )
    return tuple(conditions)


def _built(programs: sources.Sources) -> tuple[Obligation, ...]:
    """Return how each program is run, or compiled first."""
    return tuple(
        Obligation(
            f"built in {source.language}",
            f"We compile `{source.path}` with `{toolchains.call(source.language)}`, "
            "without any other file and without a network, so use only the standard library.",
            "limit",
        )
        for source in programs
        if source.build
    )
