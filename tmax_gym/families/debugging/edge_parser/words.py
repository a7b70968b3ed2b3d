"""Words of the edge-parser family."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause

_GOAL = (
    "{module} {takes|reads|judges} some rows wrongly, as {issue} {complains|says|reports}: {find|"
    "track down|locate} the {faults|errors} and {mend|remove|correct} them.",
    "{Repair|Debug|Fix} {our|the} row reader {module}. {What|The troubles that} users {have|met} "
    "with it {are|stand} {listed |}in {issue}.",
    "{issue} {is about|collects|lists} rows that {module} {refuses|lets in} {without reason|by "
    "mistake} or {reads|takes} {amiss|wrongly}. {Correct|Fix|Mend} the {reader|code}.",
    "{Some|Several} rows at the {edge|limits} of the format {defeat|fool|confuse} {module}; {see|"
    "the reports are in|users wrote} {issue}. {Make|Get|Put} it right{ again|}.",
    "{The|An} importer {at {place} |}chokes on {good|valid} rows and {swallows|accepts} bad ones. "
    "{Its|The} reader is {module}, the {complaints|details} are in {issue}; {put an end to|cure|"
    "stop} that.",
    "{Work|Go} through {issue} and {mend|fix|correct} {module} until {no|not one} complaint {is "
    "left|holds any more|remains}.",
    "{person2} {has|keeps} {a list|notes} of rows that are {read|taken} wrongly, {issue}: {repair|"
    "correct} {their|the} reader, {module}{, until all is well|}.",
    "{According to|By} {issue}, {good|valid} rows are {turned away|refused} and {bad|invalid} ones "
    "{pass|get in}, {or|and} {some|others} come out {wrong|garbled}; {find|see} {why|the cause} in "
    "{module} and {repair|mend} {it|that}.",
    "{Rows|Lines} {go|come out} wrong in {module}{ again|}: {{place} wrote|users filed} {issue} "
    "about {it|them}. {Remove|Cure} {the|its} {cause|faults}.",
)
_TRUTH = (
    "{Docstrings|Its docstrings} {say|define|lay down} what a row is. {tool} {prints|shows} the "
    "reading of {each|every} line it gets; {other|further|more} rows than the reported ones {are "
    "{tried|sent} through it|will pass through it}{, and it stays as it is|; leave it unchanged}.",
    "{What the docstrings state|The text of the docstrings} is {right|the format}, {word for word|"
    "to the letter}. {tool} {stays|remains} {as it is|unchanged} and will {get|be given|be fed} "
    "{many more|other|new} rows.",
    "{Rows|New rows|Further rows} of {both|either} kind, {valid|good} and {invalid|bad}, will go "
    "through {tool}, {an unchanged|which is not to be changed} one, and be {compared with|held "
    "against} {the|what the} docstrings{ say|}.",
    "{Do not|Never} {change|edit|touch} {tool} {or|nor} what {works|is read rightly} now: the "
    "docstrings are the {measure|standard|reference} for rows you {have not seen|cannot see} "
    "{either|as well}.",
    "{By|According to} the docstrings {every|each} row is either {valid|sound|good} or not; "
    "{tool} ({leave it|to be left} {alone|as it is}) {tells|reports|prints} which, {line by line|"
    "one line each}, {for|on} {unseen|hidden} rows {too|as well}.",
    "{Trust|Believe} {the |}docstrings, {distrust|not} {the |}code. {We|The test will} feed {tool} "
    "with rows of {all sorts|every sort} and {want|expect} readings {as|that are} documented; {the "
    "tool|it} itself {stays|is right}.",
    "{tool} {stays|is to stay} {untouched|the same}; {old and new|known and unknown} rows {go|are "
    "sent} through it, and {what it prints|its output} {has to|must} {agree with|be what follows "
    "from} the docstrings, {which|and they} are {right|in order}.",
    "{Code|The code} {yields|gives way} to {the|its} docstrings {wherever|where} {they|the two} "
    "differ. {tool}, {itself|which is} {right|in order} and {not|never} to be {edited|changed}, "
    "{will show|shows} how {rows|lines} {of all kinds|not in the issue} {are read|come out}.",
)
_EXPORT = (
    "{Then|Afterwards} {read|take} {export} {again|anew|once more} and {keep|save|store} what the "
    "tool prints {in|as} {verdicts}.",
    "{export} was {misread|read wrongly} {too|as well}: {put|write} the {right|correct} output for "
    "it {into|in} {verdicts}.",
    "{verdicts} {should|is to} hold the tool's {output|answer} for {export}, {line for line|as it "
    "is} {after|once} the repair{ is made|}.",
    "{Run|Send|Pass} {export} through the {mended|repaired} reader; {the output|what comes out} "
    "{belongs|goes} {in|into} {verdicts}.",
    "{For|Regarding} {export}, {leave|store|put} the {correct|right} readings in {verdicts}, a "
    "line {each|per row}.",
    "{Also|Finally} {deliver|make|write} {verdicts}, the tool's {answer|output} {to|for} {export} "
    "{once|when} the reader is right.",
)


def said(module: str, issue: str, *, tool: str) -> tuple[Clause, ...]:
    """Return where the issue is, and what is right."""
    return (
        Clause(
            "goal",
            _GOAL,
            facts={"module": module, "issue": issue},
            role="goal",
            brief="{Mend|Repair} {module}: {issue} {says|tells} what it {reads|takes} wrongly.",
        ),
        Clause(
            "truth",
            _TRUTH,
            facts={"tool": tool},
            role="constraint",
            brief=(
                "The docstrings are right; {tool} stays {as it is|unchanged} and is {fed|given} "
                "{other|new} rows."
            ),
        ),
    )


def again(export: str, verdicts: str) -> Clause:
    """Return the rows to read again."""
    return Clause(
        "export",
        _EXPORT,
        facts={"export": export, "verdicts": verdicts},
        role="output",
        brief="{Write|Put} the tool's output for {export} {to|in} {verdicts}.",
    )
