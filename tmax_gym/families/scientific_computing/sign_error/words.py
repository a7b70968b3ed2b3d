"""What the sign-error family says."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause

GOAL = (
    "{Since|After} the last {clean-up|refactoring}, the numerical package {package} "
    "{gives|returns} wrong results. {Find|Track down} the {mistakes|slips} and {repair|fix} "
    "them in place.",
    "{Some|Part} of the routines in {package} {compute|deliver} nonsense {lately|now}. "
    "{Correct|Repair} {the|its} source {there|where it is}.",
    "A {colleague|student} {retyped|reformatted} {package} and {introduced|left} wrong "
    "{coefficients or signs|signs or coefficients}. {Put|Set} them right, {in place|in these "
    "files}.",
    "{package} no longer {converges|agrees with theory}. {Compare|Check} its routines "
    "{with|against} the {textbook|literature} and {restore|mend} whatever {deviates|is off}.",
    "{Our copy of|The vendored copy of} {package} {fails|is wrong} in {places|some places}: "
    "{make|get} it {right|correct} {again|once more}.",
    "{Reviewers|Two reviewers} {doubt|question} the numbers {from|out of} {package}, "
    "{rightly|and they are right}. {Locate|Find} and {remove|undo} the wrong {factors, signs "
    "and indices|formulas}.",
)
USE = (
    "{run} reads lines {like|such as} {line} and {answers|prints} one exact fraction {each|a "
    "line}; {notes} {says|explains} what {every|each} routine {is|computes}.",
    "{notes} {describes|documents} the routines. {They|All of them} {run|are called} by {run}, "
    "{with|given} lines like {line} on standard input.",
    "{Lines|A line} like {line} {go|goes} into {run}, fractions come out; what they "
    "{should|must} be {follows|can be told} from {notes}.",
    "{Call|Use} {run} with {input|lines} like {line}; {exact fractions|the results} are printed "
    "line by line, {and|while} {notes} {names|states} the methods.",
    "{See|Read} {notes} for the {methods|formulas meant}. {Feed|Pipe} lines like {line} to "
    "{run} {and|to} {get|see} fractions.",
    "The {command|entry point} is {run}: {one|a} call {a|per} line ({line}, {for example|say}), "
    "one fraction back; {notes} {has|lists} the {contracts|definitions}.",
)
SCOPE = (
    "{Everything|All} that {works|is right} {now|today} {must|has to} {go on|keep} working, "
    "{calls|names} and {output|form of output} included; {other|hidden} inputs will be "
    "{tried|used}.",
    "{Keep|Leave} the interface, and {break|spoil} nothing that {works|is correct}; "
    "{unseen|new} inputs {decide|are tried} at the end.",
    "The healthy routines {stay|remain} {healthy|right} and the command line {stays|remains} as "
    "it is. {We test|Tests run} {with|on} {other|fresh} numbers.",
    "{Do not|Never} {trade|exchange} one mistake for another: what {is|was} right {is "
    "checked|gets checked} {too|as well}, {with|on} numbers {not|nowhere} shown here.",
    "{Only|Just} the {faulty|wrong} formulas {should|may} change their results; "
    "{inputs|numbers} {we try|in our test} are not {listed|given} {here|anywhere}.",
    "{Calls|The calls} and their {format|output} {remain|are kept}; correct routines "
    "{remain|stay} so, {as|and} {new|different} numbers will {show|prove}.",
)
FINDINGS = (
    "{findings} {lists|names} the {faulty|wrong} routines, one {a|per} line, {in alphabetical "
    "order|alphabetically}.",
    "{Write|Put} the names of {all|the} routines that were wrong {into|in} {findings}, "
    "{alphabetically|sorted}, one {per|a} line.",
    "{For|As} the {record|log}: {findings}, {with|holding} {every|each} {faulty|wrong} routine "
    "on a line, {sorted|ordered by name}.",
    "{Report|Note} {in|to} {findings} which routines {were|had been} {wrong|faulty}, a name "
    "{per|a} line, {from a to z|alphabetically}.",
    "{Leave|Add} {a|the} list {findings}: {names|the names} of the {broken|bad} routines, "
    "{sorted|a to z}, line by line.",
    "The {culprits|routines at fault} {go|belong} by name {into|in} {findings}, one {on each|a} "
    "line and {sorted|in order}.",
)
NOTES = """\
Exact numerics
==============

Run `python3 {package}` and give one call a line; numbers may be fractions.

- simpson a b n c0 c1 ...      composite Simpson rule, n panels, each halved
- boole a b n c0 c1 ...        composite Boole rule, n panels, each in four
- richardson a b n c0 c1 ...   trapezoid rule with n and 2n panels, extrapolated
- stencil x h c0 c1 ...        first derivative, five-point central difference
- newton x x1 .. xk y1 .. yk   interpolating polynomial through k points, at x
- heun p q y h n               n steps of improved Euler for y' = p*y + q*t from t = 0
- rk4 p q y h n                the same by the classical Runge-Kutta method

c0 c1 ... are the coefficients of the polynomial, constant first.
"""


def say(*, package: str, notes: str, line: str, findings: str) -> tuple[Clause, ...]:
    """Return the clauses."""
    run = {"run": f"`python3 {package}`", "line": f"`{line}`", "notes": notes}
    clauses = [
        Clause("goal", GOAL, facts={"package": package}, role="goal"),
        Clause("use", USE, facts=run, role="input"),
        Clause("scope", SCOPE, role="constraint"),
    ]
    if findings:
        clauses.append(Clause("findings", FINDINGS, facts={"findings": findings}, role="output"))
    return tuple(clauses)
