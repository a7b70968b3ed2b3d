"""What the stencil family says."""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.families.scientific_computing.stencil.profiles import Law
from tmax_gym.texts.clauses import Clause

GOAL = (
    "{Write|Build} a solver in {language}, {program}, for steady {profiles|states} along a rod: "
    "{equation}.",
    "{Steady|The steady} {profiles|temperatures} of our rods obey {equation}. {Put|We need} a "
    "{solver|program} for it {in|at} {program}, {language}.",
    "{program} {shall|should} solve {equation} on an interval, {a boundary value problem|with "
    "conditions at both ends}, in {language} and {without|with no} libraries.",
    "{Solve|Treat} {equation} numerically: {code|program} it in {language} and {save|store} it as "
    "{program}, for any {numbers|data}.",
    "{Our|The} old solver for {equation} is {lost|gone}. {Replace|Rewrite} it {by|as} one "
    "{language} {file|program}, {program}.",
    "{A|Our} {reviewer|colleague} {wants|asks for} profiles u(x) that {satisfy|solve} {equation}. "
    "{Provide|Prepare} {program} ({language}), a solver for {these|such} rods.",
)
FEED = (
    "Standard input {holds|has} lines of a word and numbers: {span} is the interval, {terms}; "
    "{at} {lists|names} the places where u is {wanted|asked for}. {Print|It prints} u {there|"
    "at each}, one number a line{mean}.",
    "{Read|It reads} lines that start with a word {from|on} standard input: {span} (the "
    "interval), {terms}, and {at}, the places for which u is {printed|written}, one a line{mean}.",
    "{Input|On standard input}: {span} {gives|has} the interval, {terms}; {output|out comes}: u "
    "at the places {after|behind} {at}, a number per line{mean}.",
    "{Each|Every} line of standard input {begins|starts} with a word, {span} for the interval, "
    "{terms}, {then|and} {at} with places; {answer|reply} with u at {these|those}, line by "
    "line{mean}.",
    "{A|One} problem {comes|arrives} on standard input, {a keyword|one word} a line, then "
    "numbers: {span} for the interval, {terms}. {Print|Write} u at the places of {at}, one "
    "below the other{mean}.",
    "{Keywords|Words} {open|begin} the lines {on|of} standard input: {span} (both ends of the "
    "interval), {terms}; for {each|every} place of {at} print u {on|in} a line{mean}.",
)
ENDS = (
    "{The ends|Both ends} {have|are given by} lines {left} and {right}, of these kinds: {kinds}.",
    "{Lines|The lines} {left} and {right} {say|state} what {holds|is true} at the ends: {kinds}.",
    "{At|For} the ends, {left} and {right} {come|stand} with {one|any} of {these|the following}: "
    "{kinds}.",
    "{left} and {right} {mean|are} the ends of the interval{, each|}; {possible|there} are "
    "{kinds}.",
    "{What|The condition that} an end {obeys|has} {follows|stands behind} {left} or {right}: "
    "{kinds}.",
    "{Conditions|End conditions} are {given|told} by {left} and {right}: {kinds}.",
)
ERROR = (
    "{A|Each} number {may|can} be off by {tolerance} of the range of u (largest less smallest "
    "over the places) {at most|, no more}; {less exact|coarser} answers count {less|in part}.",
    "Errors {up to|of} {tolerance} of the {spread|range} of u among the places {are|count as} "
    "fine, larger ones {cost|lose} {marks|credit}.",
    "{Keep|Stay} within {tolerance} of the difference between the largest and the smallest u "
    "{asked for|wanted}; {beyond|past} that {credit|the score} {falls|sinks} by digits.",
    "{Accuracy|Precision}: {tolerance} of the range that u {has|covers} at the places{ asked for|"
    "}; {each|every} digit {missing|short of it} {costs|is a loss}.",
    "{We|Others} compare with {exact|known} solutions: {tolerance}, {relative to|as a share of} "
    "the range of u over the places, is {enough|good}.",
    "{Aim|Go} for errors {below|under} {tolerance} of the range of u, {taken|measured} over the "
    "places; {worse|larger} ones {earn|get} {less|fewer marks}.",
)
REPORT = (
    "{Then|Also} solve {problems} and {save|write} {report}, CSV under {header}: {case} is the "
    "file without its suffix, `x` {what|the place as} {at} has{label}.",
    "{report} {should|is to} {have|list} the answers to {problems} as CSV, {headed|first line} "
    "{header}, {case} {being|as} the file name less its suffix and `x` as {it "
    "stands|written} after {at}{label}.",
    "{Run|Try} it on {problems}: {answers|results} {go|belong} {to|in} {report}, a CSV file with "
    "{header}, {case} {from|after} the file name without suffix, `x` {copied|taken} from "
    "{at}{label}.",
    "{For|With} {problems} {make|write} {report}: {header} {first|on top}, {then|and} {a row|one "
    "row} {per|a} number; {case} is the {bare|plain} file name, `x` is {spelt|written} as in "
    "{at}{label}.",
    "{Solve|Work out} {problems} as well; {a|the} CSV {table|file} {report} ({header}) {has|"
    "gets} a row per number, {case} {as|being} the file name without suffix, `x` as in "
    "{at}{label}.",
    "{Put|Collect} what it says of {problems} {in|into} {report}: CSV, {header}, {case} for the "
    "file (no suffix), `x` {just|exactly} as {behind|after} {at}{label}.",
)


def say(*, of: Law, program: tuple[str, str], report: Mapping[str, str]) -> tuple[Clause, ...]:
    """Return the equation, the input, the ends, the accuracy and the table."""
    language, path = program
    goal = {"language": language, "program": path, "equation": f"`{of.equation}`"}
    feed = {"span": "`span`", "at": "`at`", "terms": _terms(of)}
    mean = ", and last the mean of u over the interval" if of.mean else ""
    label = ", or `mean`" if of.mean else ""
    return (
        Clause("goal", GOAL, facts=goal, role="goal"),
        _with("feed", FEED, feed, ("mean", mean)),
        Clause(
            "ends",
            ENDS,
            facts={"left": "`left`", "right": "`right`", "kinds": _kinds(of)},
            role="format",
        ),
        Clause("error", ERROR, facts={"tolerance": "1e-4"}, role="constraint"),
        _with(
            "report",
            REPORT,
            {**report, "header": "`case,x,u`", "case": "`case`", "at": "`at`"},
            ("label", label),
        ),
    )


def _with(
    id_: str, frames: tuple[str, ...], facts: Mapping[str, str], more: tuple[str, str]
) -> Clause:
    """Return a clause with a fact that some laws lack: then its slot goes."""
    name, value = more
    if value:
        return Clause(id_, frames, facts={**facts, name: value}, role="format")
    bare = tuple(frame.replace(f"{{{name}}}", "") for frame in frames)
    return Clause(id_, bare, facts=facts, role="format")


def _terms(of: Law) -> str:
    """Return the keywords of the terms of the equation."""
    powers = "coefficients by rising powers of x"
    terms = [f"`section` A ({powers})"] if of.taper else []
    terms.append("`conductivity` k0 k1" if of.bent else "`conductivity` k0")
    terms += ["`drift` c"] if of.drift else []
    terms += ["`loss` r"] if of.loss else []
    terms.append("`source` q (likewise)" if of.taper else f"`source` q ({powers})")
    return ", ".join(terms)


def _kinds(of: Law) -> str:
    """Return the conditions that an end may have."""
    flow = of.conduction
    meanings = {
        "value": "`value g` for u = g",
        "flux": f"`flux g` for {flow} = g",
        "exchange": f"`exchange h g` for {flow} = h (u - g) on the left and -h (u - g) on the "
        "right",
    }
    return ", ".join(meanings[end] for end in of.ends)
