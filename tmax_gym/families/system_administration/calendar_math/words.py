"""Syntax and words of the calendar-math family."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.texts.clauses import Clause

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


_GOAL = (
    "{Write|Create|Supply} {tool}, {kind} that {says|tells|prints} when a timer {fires next|will "
    "fire next|is next due}; the {timer syntax|syntax} is {described|written down|set down} in "
    "{syntax}.",
    "The {on-call|duty} {board|rota} {of|at} {place} {shows|has to show|lists} the next run of "
    "each timer. {Supply|Provide} {kind}, {tool}, that {computes|works out|finds} it by {syntax}.",
    "{Our timers|The timers here|Timers at {place}} follow {syntax}{, which is not quite cron|, a "
    "cousin of cron}. {Make|Build|Write} {tool}, {kind} {for their next run|that finds their next "
    "run}.",
    "{Needed|Wanted} {is|at {place} is} {kind}, {tool}: it {finds|gives|reports} the next {moment|"
    "firing} of timers {written|as} in {syntax}.",
    "{Implement|Put} the {rules|syntax} of {syntax} in {tool}, {kind} {which|that} {prints|tells} "
    "{when|at what minute} timers {run|fire} next.",
    "{syntax} {defines|describes|lays down} {our timers|timers at {place}}. {tool} should be "
    "{kind} {that answers|answering} {the question|} when {one|a timer} {is due|fires} next.",
    "{When|At what minute} does a timer {of|by} {syntax} {fire|run} next? {Let|Have} {tool}, "
    "{kind} {to be written|you write}, {answer|tell}{ that|}{ for any timer| for every timer|}.",
    "{person2} {keeps asking|wants to know} when {timers|our timers} will {fire|run} next. {Answer|"
    "Settle it} {by|with} {kind}, {tool}, {built to|that keeps to} {syntax}.",
)
_INTERFACE = (
    "{Standard input has|It reads from standard input} lines {line}; for {each|every one} it "
    "{prints|gives} the first {minute|moment} after the given one {at which|when} the timer fires, "
    "{as |}{form}. All times {are|belong} {in|to} one {time |}zone{ without summer time|, no "
    "summer time}.",
    "{Per|For each} line {line} {on|from} standard input {print|write} {form}: the next {firing|"
    "run} {strictly after|later than} that moment{, no time zones involved|, zones aside}.",
    "{Lines|Its lines} {come|arrive} as {line} {on|by} standard input{, times without zones|}; "
    "{answers|the answers|replies} go {out|to standard output} as {form}, {one a line|a line "
    "each}, {always|each time} the first firing {later than|after} the moment given.",
    "{line} {goes in|is one line} on standard input; out {goes|comes} {form}, the {earliest|first} "
    "{firing|run} after {the|that} moment{ (not at it)|, never the moment itself}. {There are no|"
    "Ignore} time zones.",
    "{Input|Its input|Standard input} is {line}, line {by|after} line; {the output|each answer} "
    "{is|reads} {form}, the {first|nearest} firing {strictly later|later} than the moment {in "
    "question|asked}{, zones aside|}.",
    "{Read|Take} {line} from standard input and {answer|reply with} {form} {for each|per line}: "
    "the {next|first} minute {beyond|after} that moment {at which|when} the timer fires{, local "
    "time throughout|, time zones left out}.",
    "{Questions come as|Asked are lines} {line} on standard input, {a|one} timer and {a|one} "
    "moment each; {print|report} {form}, the {first|nearest} firing {that is later|past it}, for "
    "{each|every one}{ in turn|, in order}.",
    "{The moment|A moment} in {line} (standard input, {any number of|many such} lines) does not "
    "count itself: {form} of the {earliest|next} {later firing|firing after it} is {the|each} "
    "{answer|reply}{, a line each|, one per line}.",
)
_SAMPLES = (
    "{samples} {has|holds|gives} {a few|some} {questions|lines} with {their|the} answers "
    "{behind|after} {arrow}.",
    "{Some|A few} answered {lines|questions} {are|stand} in {samples}, {each|question and answer} "
    "{split|separated|parted} by {arrow}.",
    "{Test|Check|Compare} with {samples}: {left of|before} {arrow} the {line|question}, {right of "
    "it|after it} the answer.",
    "{See|There is} {samples} for {examples|worked examples|some examples}, {arrow} {before|in "
    "front of|ahead of} each answer.",
    "{Worked examples|Examples|Answered lines}: {samples}, {where|in which} {arrow} {leads to|"
    "precedes|comes before} the answer.",
    "{To begin with|For a start|As a first test}, {samples} {gives|shows} lines and, "
    "{behind|after} {arrow}, what they {yield|must print}.",
    "{Answers|Right answers} {to|for} {some|a few} lines follow {arrow} in {samples}.",
)
_JUDGED = (
    "{Other|Hidden|Further} {lines|timers} {will be asked|are asked}, {some|many} of them years "
    "away or {at|near} the end of a month.",
    "It is {tried|tested} on {unseen|new|hidden} timers{, every rule of the syntax included|, all "
    "rules occur|, each rule among them}; {files|other files} {beside|next to} the program are "
    "{kept|there|available}.",
    "{We|People at {place}} {ask|query|will try} timers {unknown to you|you have not seen}, "
    "{short|near} and {long|far} distances, {each|every} rule {several times|more than "
    "once|repeatedly}.",
    "{Expect|Reckon with|Count on} {further|unseen|other} lines, {leap years|29 February} and "
    "{long|distant} waits {among them|included}.",
    "{Every|Each} rule {is asked|gets tried|turns up} in {hidden|unseen|other} lines; {wrong|"
    "missing} answers {count|cost} {one by one|singly}.",
    "The {real|actual|full} list of timers {is {longer|larger}, {with|and has} all the rules in it|"
    "has all the rules in it}, and {answers|lines} are {compared|judged} {singly|one by one}.",
    "{person2} {has|keeps} {more|other} {lines|timers} for {the|a} test, {near|close} ones and "
    "some {years|far} off, {using|with} {every|each} rule.",
)


def clauses(kind: str, tool: str, *, syntax: str, samples: str) -> tuple[Clause, ...]:
    """Return the interface."""
    return (
        Clause(
            "goal",
            _GOAL,
            facts={"tool": tool, "kind": kind, "syntax": syntax},
            role="goal",
            brief=(
                "{Write|Create} {tool}, {kind} that {prints|tells} when a timer of {syntax} "
                "{fires|will fire|is due} next.",
            ),
        ),
        Clause(
            "interface",
            _INTERFACE,
            facts={"line": "`<timer> | YYYY-MM-DD HH:MM`", "form": "`YYYY-MM-DD HH:MM`"},
            role="format",
            brief=(
                "Lines {line} {on|from} standard input; print {form} of the {first|next} firing "
                "{after it|later than that moment}.",
                "{Reads|Takes} {line} lines on standard input, prints {form}: the {first|next} "
                "{firing|run} after the moment.",
            ),
        ),
        Clause(
            "samples",
            _SAMPLES,
            facts={"samples": samples, "arrow": "`=>`"},
            role="input",
            brief="{samples} {has|holds} lines with {their|the} answers {behind|after} {arrow}.",
        ),
        Clause(
            "judged",
            _JUDGED,
            role="constraint",
            brief="It is tried on unseen lines, every rule included.",
        ),
    )
