"""Words of the breach-timeline family: the questions of the report, and the instruction."""

from __future__ import annotations

from collections.abc import Iterable

from tmax_gym.texts.clauses import Clause

REPORTS = ("incident", "intrusion", "breach", "finding", "case_file", "answers")
FORMS = ("questions", "form", "report_form", "asked", "insurer", "fields")
CLOCKS = ("clocks", "leads", "drift", "ahead", "time_offsets")
FROM = {
    "account": 0.0,
    "address": 0.0,
    "entered": 0.0,
    "failures": 0.2,
    "first": 0.2,
    "bytes": 0.4,
    "commands": 0.6,
    "last": 0.6,
}
"""Answers, each with the level from which it is asked for."""
_ASKED = {
    "account": "the account that was taken over",
    "address": "the address from which that was done",
    "entered": "when that address got in, as `YYYY-MM-DDTHH:MM:SS`",
    "failures": "how many times it had failed for that account (a number)",
    "first": "when its first failed attempt was, in the same form",
    "bytes": "sum of the sizes (last column of the access log) of its requests that were "
    "answered with a status of 200 to 299 (a number)",
    "commands": "how many sudo commands carry the session that it opened (a number)",
    "last": "when the last line of any log with its address or its session was written, "
    "in the same form",
}


def questions(asked: Iterable[str]) -> str:
    """Return the form that the report fills in."""
    rows = "".join(f"- `{name}`: {_ASKED[name]}\n" for name in asked)
    return f"# Incident report\n\nOne JSON object with these fields:\n\n{rows}"


def say(logs: str, questions_: str, report: str, *, clocks: str) -> tuple[Clause, ...]:
    """Return the clauses."""
    clauses = [_goal(logs, questions_, report), _criterion()]
    return (*clauses, _clocks(clocks)) if clocks else tuple(clauses)


def _goal(logs: str, questions_: str, report: str) -> Clause:
    return Clause(
        "goal",
        (
            "{Somebody|An outsider} got into one of our accounts. {Work out|Find out} from the "
            "logs in {logs} what {questions} asks, and {answer|report} in {report}.",
            "The logs below {logs} {hold|cover} the day of a break-in: {fill in|complete} the "
            "form {questions} and {save|store} it as {report}.",
            "{We need|Please prepare} the incident report {report}; {questions} {lists|names} "
            "its fields, {logs} is {all|everything} that was {kept|saved}.",
            "One account {was|has been} taken over. Its {story|traces} can be read from {logs}; "
            "{write|put} the answers to {questions} {into|in} {report}.",
            "{Reconstruct|Piece together} an intrusion from {logs}: {questions} says which "
            "{facts|details} {matter|count}, and {report} is where they {go|belong}.",
            "Insurance wants {report} {today|by tonight}. {Its fields|The fields} are explained "
            "in {questions}, the {evidence|raw material} is in {logs}.",
        ),
        facts={"logs": logs, "questions": questions_, "report": report},
        role="goal",
        brief="Answer {questions} from {logs} in {report}.",
    )


def _criterion() -> Clause:
    return Clause(
        "criterion",
        (
            "{A break-in is|By a break-in we mean} an accepted login {that follows|after} at "
            "least {five} failed ones of {that|the same} account and address {in|within} the "
            "{span} before it{; it happened once|, which is the case once}.",
            "{Look for|The intruder is} the one address {that was let in|admitted} after "
            "{failing|missing} the same account {five} times or more {during|in} the last {span}.",
            "{What counts|The criterion} is {five} or more failures of one address {at|for} one "
            "account {no longer than|at most} {span} before {that address|it} is accepted there.",
            "Mistyped passwords are {normal|common}; only {five} or more of them, same account "
            "{and|plus} same address, within {span} before the {success|accepted login} {are|mean} "
            "an attack.",
            "{Count|Take} failures per account and address: {five} of them (or more) in the "
            "{span} {up to|before} an accepted login of that pair {give|single out} the culprit.",
            "{Beware of|There are} scanners and forgetful {people|users}: the intrusion is the "
            "login {ahead of|before} which that pair of {account and address|address and account} "
            "failed {five} times or {more|oftener} in {span}.",
        ),
        facts={"five": "5", "span": "600 seconds"},
        brief="A break-in is a login after at least {five} failures of that account and address "
        "in {span}.",
    )


def _clocks(clocks: str) -> Clause:
    return Clause(
        "clocks",
        (
            "The {hosts|machines} {disagree|do not agree} on the time: {clocks} {says|tells} how "
            "many seconds each log is {ahead|fast}. {Report|Give} true times.",
            "{Correct|Mind} the clocks. {clocks} has the seconds {by which|that} {every|each} log "
            "runs ahead, negative where it {lags|is behind}; {answers|times in the report} are "
            "true.",
            "{Times|All times} in the report are true ones; a log {shows|has} true time plus the "
            "seconds that {clocks} {lists|gives} for it.",
            "{Subtract|Take off} what {clocks} {gives|lists} for a log, in seconds, from its "
            "times {before|and only then} {you compare or report|reporting or comparing} them.",
            "No two clocks were {in step|right}. {clocks} names the lead of {each|every} log in "
            "seconds, and the report {wants|needs} the time {without|less} that lead.",
            "By {clocks} every log {leads|is ahead of} true time {by|for} so many seconds (or "
            "lags, if {negative|below zero}); {all|the} times you report {must be|are} true.",
        ),
        facts={"clocks": clocks},
        role="input",
        brief="Correct times by {clocks}: the seconds that each log is ahead.",
    )
