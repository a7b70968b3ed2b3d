"""What the leak-fix family says."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause

RULES = """\
How this evaluation is meant
============================

`python3 {package} STAGE TABLE` prints what a stage decides, fold by fold.

- folds     Groups (`grp`) in order of name are dealt out to folds 0, 1, 2, 0, ...; all rows of a
            group are tested together.
- columns   The two columns whose means differ most between the targets, among the rows trained
            on. Columns `late_...` are filled in after the outcome and never candidates.
- scale     Mean and spread of the chosen columns, from the rows trained on.
- score     A row is predicted by the three nearest rows trained on, ties by id.

No row that is tested may have a say in how it is predicted.
"""
GOAL = (
    "The score of {package} on {table} is too good to be true: {something|information} leaks "
    "from the {tested|test} rows. {Find|Close} the {leak|leaks} in the source.",
    "{Nobody|No one} {believes|trusts} the accuracy {reported|printed} by {package} for "
    "{table}. {Repair|Fix} the evaluation {in place|where it leaks}.",
    "{Offline|In tests} {package} {shines|does well} on {table}, {online|in production} it "
    "{fails|does not}. {Remove|Stop} whatever {leaks|is leaked} from test to training.",
    "{Audit|Check} the evaluation code {package} ({table} is {a|one} data set): "
    "{where|wherever} tested rows {influence|reach} the training, {mend|correct} it.",
    "A {reviewer|colleague} {suspects|sees} target leakage in {package}, {run|used} on {table}. "
    "{Track|Hunt} it down and {fix|repair} the source.",
    "{Make|Get} {package} honest: its {figures|scores} on {table} {profit|benefit} from rows "
    "that {should|ought to} be unseen.",
)
NOTES = (
    "{notes} {says|explains} what {every|each} stage {should|is meant to} do; {stick|keep} to "
    "{it|that} {exactly|to the letter}, our tables will {differ|be others}.",
    "How it {should|ought to} work {is|stands} in {notes}; {hidden|other} tables are "
    "{tried|run} afterwards.",
    "The {intended|right} behaviour is {laid down|written} in {notes}. We {test|check} with "
    "{other|unseen} tables.",
    "{Follow|Go by} {notes}, stage by stage; {the repair|it} must hold for {any|every} table.",
    "{notes} {decides|settles} what is {right|correct}, {whatever|no matter what} the code "
    "{says|does} now; it is {tried|checked} on {new|further} tables.",
    "{Take|Read} {notes} as the {rule|specification}; {tables|data} you have not seen "
    "{will|must} come out right {too|as well}.",
)
KEEP = (
    "{Stages|Commands} and output {format|form} {stay|remain}.",
    "{Keep|Leave} the command line and the {form|format} of its output.",
    "The command line {must not|may not} change, and its lines keep their {form|look}.",
    "{Calls|Other programs} {depend|rely} on the {stages|commands} and their output {form|format}.",
    "{What|All that} is {printed|output} {keeps|retains} its {form|shape}, {called|run} {the "
    "same way|as before}.",
    "Do not {touch|alter} how it is {called|run} and how it {prints|writes}.",
)
SCORE = (
    "{Save|Store} the honest output of stage {stage} for {table} as {score}.",
    "{score} {gets|holds} what stage {stage} then {prints|says} {for|on} {table}.",
    "{Run|Call} stage {stage} on {table} {afterwards|at the end} and {keep|leave} the lines in "
    "{score}.",
    "{Finally|Then} {write|put} the output of {stage} for {table} {to|into} {score}.",
    "{Report|Leave} the {repaired|true} result, stage {stage} on {table}, in {score}.",
    "The lines {printed|given} by {stage} for {table}, {once|when} repaired, {go|belong} in "
    "{score}.",
)


def say(*, package: str, notes: str, table: str, score: str) -> tuple[Clause, ...]:
    """Return the clauses."""
    facts = {"stage": "`score`", "table": table, "score": score}
    return (
        Clause("goal", GOAL, facts={"package": package, "table": table}, role="goal"),
        Clause("notes", NOTES, facts={"notes": notes}, role="input"),
        Clause("keep", KEEP, role="constraint"),
        Clause("score", SCORE, facts=facts, role="output"),
    )
