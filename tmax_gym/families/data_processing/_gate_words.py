"""What the quality gate's instruction says."""

from __future__ import annotations

from tmax_gym.words.clauses import Clause


def short(kind: str, program: str, wanted: str) -> tuple[Clause, ...]:
    """Return the clauses of a task with one rule."""
    return (
        Clause(
            "goal",
            (
                "{Write|Make} {kind}, {program}, that {reads|takes} lines from standard input and "
                "exits with {yes} {if|when} every line is {wanted}, with {no} {otherwise|if not}.",
                "We need {a check|a gate}, {kind}, at {program}: {lines come|it gets lines} on "
                "standard input, exit status {yes} {if|when} each of them is {wanted}, {no} "
                "{otherwise|if not}.",
                "{program} should be {kind} that {accepts|lets in} (exit status {yes}) input of "
                "which every line is {wanted} and {rejects|refuses} the rest (exit status {no}).",
                "Put {kind} at {program}. It exits with {yes} if all lines of standard input are "
                "{wanted}; a {single other line|line that is not} {makes|turns} that {no}.",
            ),
            facts={"kind": kind, "program": program, "wanted": wanted, "yes": "0", "no": "1"},
            role="goal",
            brief="Write {kind}, {program}: exit {yes} if every line of standard input is "
            "{wanted}, else {no}.",
        ),
    )


def goal(kind: str, program: str, sheet: str) -> Clause:
    """Return what is to be written, by which rules."""
    return Clause(
        "goal",
        (
            "{Write|Build} {kind} at {program} that {checks|validates} a table {by|against} the "
            "rules {in|of} {sheet}.",
            "Bad {rows|tables} keep {getting through|slipping in}: {put|we need} a gate, {kind}, "
            "at {program} that {applies|enforces} {sheet}.",
            "{sheet} {lists|holds} the rules for {our tables|a table}. {Turn|Make} {them|it} into "
            "{kind}, {program}.",
            "{program} should {be|become} {kind} that {accepts|lets through} a table only if "
            "{it|each row} {obeys|keeps} {sheet}.",
        ),
        facts={"kind": kind, "program": program, "sheet": sheet},
        role="goal",
        brief="Write {kind}, {program}, that checks tables by {sheet}.",
    )


def rest(sample: str, verdicts: str) -> tuple[Clause, ...]:
    """Return the interface and the example."""
    return (
        Clause(
            "table",
            (
                "The table {comes|arrives} on standard input: a {heading|header} line, which "
                "{no rule applies to|is not checked}, then {rows|one row a line} with {sep} "
                "between {fields|two fields} and {no quoting|without quotes}.",
                "Standard input {holds|carries} the table, {fields|cells} separated by {sep} and "
                "never quoted; {skip|do not check} its first line, the {heading|header}.",
            ),
            facts={"sep": "`;`"},
            role="input",
            bullet=True,
        ),
        Clause(
            "first",
            (
                "{Try|Apply} the rules {to|on} a row in the order of the sheet; the first {one "
                "that|rule which} the row breaks {rejects it|is the reason to reject it}, and "
                "{later ones|the others} {are not tried|do not matter}.",
                "A row is {rejected|refused} for the first rule, in {sheet order|the order of the "
                "sheet}, that it {breaks|violates}; {what else is wrong|further faults} {does not "
                "matter|need no mention}.",
            ),
            bullet=True,
        ),
        Clause(
            "lines",
            (
                "For {each|every} rejected row {print|write} {form} to standard output, {which "
                "is|meaning} its line number (the {heading|header} is line {one}), a blank and "
                "the {rule's name|name of the rule}.",
                "{Print|Report} rejected rows {in order|from top to bottom}, one a line, as "
                "{form}: the number of the line, {counting|where} the {heading|header} {as|is} "
                "line {one}, and the rule.",
            ),
            facts={"form": "`7 R2`", "one": "1"},
            role="format",
            bullet=True,
        ),
        Clause(
            "summary",
            (
                "{End|Finish} with {a line|one line} like {form}, and {exit with|let the exit "
                "status be} {yes} if no row was rejected, {no} {otherwise|if any was}.",
                "The last line {counts|sums up}, as in {form}; {the|its} exit status is {yes} "
                "{for a table without|when there are no} rejected rows and {no} "
                "{otherwise|for any other}.",
            ),
            facts={"form": "`12 accepted, 3 rejected`", "yes": "0", "no": "1"},
            role="format",
            bullet=True,
        ),
        Clause(
            "sample",
            (
                "{sample} is {a small table|an example}, {report} what {has to|should} be printed "
                "for it.",
                "{For|To check} {yourself|your work}: {report} is the {output|report} {for|that "
                "belongs to} {sample}.",
            ),
            facts={"sample": sample, "report": verdicts},
            role="input",
        ),
        Clause(
            "other",
            (
                "{Leave|Keep} the {sheet|rule sheet} and the example as they are; {the gate|it} "
                "will {be run on|see} other tables, {all|each} in plain ASCII.",
                "{It|The gate} will be {tried on|run with} other tables, in plain ASCII, "
                "{so|and} {the sheet|the rules} and the example {stay|remain} as they are.",
            ),
            role="constraint",
        ),
    )
