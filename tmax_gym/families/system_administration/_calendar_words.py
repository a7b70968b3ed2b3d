"""Syntax and words of the calendar-math family."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.words.clauses import Clause

_RULES = {
    "list": "A field may be several values with commas between them: any of them.",
    "range": "A value may be a range `a-b`, both ends included.",
    "step": "`*/n` and `a-b/n` take every n-th value, the first one included.",
    "either": "Where day and weekday are both restricted (neither begins with `*`), either is"
    " enough.",
    "names": "Weekdays may be written `sun` to `sat`, months `jan` to `dec`.",
    "last": "The day `L` is the last day of its month.",
    "wrap": "A range whose end is below its start goes on from the lowest value of the field.",
    "sunday": "The weekday 7 is Sunday as well.",
}


def syntax(features: Sequence[str]) -> str:
    """Return the file that describes the syntax."""
    lines = [
        "# Timers",
        "",
        "A timer has five fields: minute (0-59), hour (0-23), day (1-31), month (1-12), weekday",
        "(0-6, Sunday is 0). A field is a number, or `*` for any value. A timer fires at every",
        "minute on which all fields fit.",
        "",
        *(f"- {_RULES[feature]}" for feature in features),
    ]
    return "\n".join(lines).rstrip() + "\n"


def clauses(kind: str, tool: str, *, syntax: str, samples: str) -> tuple[Clause, ...]:
    """Return the interface."""
    return (
        Clause(
            "goal",
            (
                "{Write|Create} {tool}, {kind} that {says|tells} when a timer {fires next|will "
                "fire next}; the {timer syntax|syntax} is {described|written down} in {syntax}.",
                "The on-call {board|rota} {shows|has to show} the next run of each timer. "
                "{Supply|Provide} {kind}, {tool}, that {computes|works out} it by {syntax}.",
                "{Our timers|The timers here} follow {syntax}{, which is not quite cron|}. "
                "{Make|Build} {tool}, {kind} for their next run.",
                "{Needed|Wanted} is {kind}, {tool}: it {finds|gives} the next moment of "
                "timers {written|as} in {syntax}.",
                "{Implement|Put} the rules of {syntax} in {tool}, {kind} {which|that} prints "
                "when timers {run|fire} next.",
                "{syntax} defines our timers. {tool} should be {kind} {that answers|answering} "
                "the question when {one|a timer} {is due|fires} next.",
            ),
            facts={"tool": tool, "kind": kind, "syntax": syntax},
            role="goal",
            brief="Write {tool}, {kind} that prints when a timer of {syntax} fires next.",
        ),
        Clause(
            "interface",
            (
                "{Standard input has|It reads from standard input} lines {line}; for each it "
                "prints the first {minute|moment} after the given one, {form}. All times are "
                "{in one zone|of one time zone}{ without summer time|, no summer time}.",
                "{Per|For each} line {line} on standard input {print|write} {form}: the next "
                "firing {strictly after|later than} that moment{, no time zones involved|}.",
                "{Lines|Its lines} {come|arrive} as {line} on standard input{, times without "
                "zones|}; {answers|the answers} go out as {form}, one a line, always {later "
                "than|after} the moment given.",
                "{line} {goes in|is one line} on standard input; out {goes|comes} {form}, the "
                "{earliest|first} firing after the moment{ (not at it)|, never the moment "
                "itself}. {There are no|Ignore} time zones.",
                "{Input|Its input} is {line}, line {by|after} line; {the output|each answer} "
                "is {form}, {strictly later|later} than the moment in question{, zones aside|}.",
                "{Read|Take} {line} from standard input and {answer|reply with} {form} {for "
                "each|per line}: the next minute {beyond|after} the moment at which the timer "
                "fires{, local time throughout|}.",
            ),
            facts={"line": "`<timer> | YYYY-MM-DD HH:MM`", "form": "`YYYY-MM-DD HH:MM`"},
            role="format",
            brief="Lines {line} on standard input; print {form} of the first firing after it.",
        ),
        Clause(
            "samples",
            (
                "{samples} {has|holds} a few {questions|lines} with their answers behind {arrow}.",
                "{Some|A few} answered lines are in {samples}, {each|question and answer} "
                "{split|separated} by {arrow}.",
                "{Test|Check} with {samples}: {left of|before} {arrow} the line, {right of "
                "it|after it} the answer.",
                "{See|There is} {samples} for {examples|worked examples}, {arrow} {before|in "
                "front of} each answer.",
                "{Worked examples|Examples}: {samples}, {where|in which} {arrow} {leads "
                "to|precedes} the answer.",
                "{To begin with|For a start}, {samples} {gives|shows} lines and, "
                "{behind|after} {arrow}, what they {yield|must print}.",
            ),
            facts={"samples": samples, "arrow": "`=>`"},
            role="input",
            brief="{samples} has lines with answers behind {arrow}.",
        ),
        Clause(
            "judged",
            (
                "{Other|Hidden} lines {will be asked|are asked}, {some|many} of them years "
                "away or {at|near} the end of a month.",
                "It is {tried|tested} on {unseen|new} timers{, every rule of the syntax "
                "included|, all rules occur}; {files|other files} beside the program are "
                "{kept|there}.",
                "We {ask|query} timers {of our own|you have not seen}, {short|near} and long "
                "distances, each rule {several times|more than once}.",
                "{Expect|Reckon with} {further|unseen} lines, {leap years|29 February} and "
                "{long|distant} waits {among them|included}.",
                "{Every|Each} rule {is asked|gets tried} in {hidden|unseen} lines; "
                "{wrong|missing} answers {count|cost} one by one.",
                "The {real|actual} list of timers is {longer|larger}, {with|and has} all the "
                "rules in it, and {answers|lines} are compared {singly|one by one}.",
            ),
            role="constraint",
            brief="It is tried on unseen lines, every rule included.",
        ),
    )
