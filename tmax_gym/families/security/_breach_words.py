"""Words of the breach-timeline family: the questions of the report, and the instruction."""

from __future__ import annotations

from collections.abc import Iterable

from tmax_gym.words.clauses import Clause

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
"""Answer to the level from which on it is asked for."""
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


_SEEN = (
    "{somebody|an outsider} got into one of our accounts"
    "|one account {was|has been} taken over"
    "|there was a break-in {that day|on this network}"
    "|{insurance|the insurer} wants {an incident report|a report} {today|by tonight}"
    "|an account of ours {fell|was opened} to {an outsider|a stranger}"
    "|{one of our passwords|a password of ours} was guessed"
    "|we {had|suffered} an intrusion"
    "|{reconstruct|piece together} an intrusion"
)
_SOURCE = (
    "the logs {are|lie} {in|under} {logs}"
    "|{all|everything} that was {kept|saved} is in {logs}"
    "|its {story|traces} can be read from {logs}"
    "|{logs} {holds|has} the {logs|evidence} of that day"
    "|{read|search} the logs {in|under} {logs}"
    "|the {evidence|raw material} is {what {logs} holds|in {logs}}"
)
_ANSWER = (
    "{put|write} the answers to {questions} {into|in} {report}"
    "|{fill in|complete} the form {questions} and {save|store} it as {report}"
    "|{questions} {lists|names} the fields of {report}"
    "|{questions} says which {facts|details} {matter|count}, {report} is where they {go|belong}"
    "|{report} {answers|is to answer} what {questions} asks"
    "|{tell|report} in {report} what {questions} {wants to know|asks}"
    "|{report} has the fields that {questions} {explains|describes}"
)
GOAL = (
    f"{{{_SEEN}}}. {{{_SOURCE}}}; {{{_ANSWER}}}.",
    f"{{{_SEEN}}}: {{{_SOURCE}}}, {{and|while}} {{{_ANSWER}}}.",
    f"{{{_SEEN}}}; {{{_SOURCE}}}. {{{_ANSWER}}}.",
)
_PAIR = (
    "{count|take} {failures|failed logins} per account and address"
    "|mistyped passwords are {normal|common}, {bursts|series} of them are not"
    "|{beware of|there are} scanners and forgetful {people|users} in the logs"
    "|not {every|each} failed login {is|means} an attack"
    "|{many|a lot of} addresses fail {now and then|sometimes}"
)
_BURST = (
    "an accepted login {that follows|after} at least {five} failed ones of {that|the same} account "
    "and address {in|within} the {span} before it {is the break-in|makes the break-in}"
    "|{the intruder is|look for} the one address {let in|admitted} after failing the same "
    "account {five} times or more {during|in} the last {span}"
    "|{five} or more failures of one address {at|for} one account, {none older than|within} {span} "
    "{when|before} it is accepted there, {give|mean} the attack"
    "|{only|just} {five} or more {failures|of them}, same account {and|plus} same address, within "
    "{span} before the accepted login {mean|make} a break-in"
    "|{what counts|the criterion} is a login that the {very |}same account and address failed "
    "{five} times or {more|oftener} {within|in} the {span} {before|ahead of} it"
)
CRITERION = (
    f"{{{_PAIR}}}: {{{_BURST}}}.",
    f"{{{_PAIR}}}; {{{_BURST}}}.",
    f"{{{_BURST}}}; it happened {{just |}}once.",
    f"{{{_PAIR}}}. {{{_BURST}}}.",
)
_SKEW = (
    "the {hosts|machines} {disagree|do not agree} on the time"
    "|{correct|mind} the clocks"
    "|no two clocks were {in step|right}"
    "|{each|every} log has a clock of its own"
    "|the clocks {differ|were off}"
)
_AHEAD = (
    "{clocks} {says|tells} how many seconds each log is {ahead|fast} (negative: behind)"
    "|{clocks} has the seconds by which {every|each} log runs ahead, negative where it {lags|is "
    "behind}"
    "|a log shows true time plus the seconds that {clocks} {lists|gives} for it"
    "|{clocks} {names|gives} the lead of {each|every} log in seconds"
    "|by {clocks} {each|every} log leads {true time |}by so many seconds (or lags, if {negative|"
    "below zero})"
)
_TRUE = (
    "{report|give} true times"
    "|{times|all times} in the report are true ones"
    "|the report {wants|needs} times {without|less} {that|this} lead"
    "|{take that off|subtract that} before {reporting or comparing|you compare or report} times"
)
CLOCKED = (
    f"{{{_SKEW}}}: {{{_AHEAD}}}. {{{_TRUE}}}.",
    f"{{{_SKEW}}}. {{{_AHEAD}}}; {{{_TRUE}}}.",
    f"{{{_AHEAD}}}; {{{_TRUE}}}.",
)


def questions(asked: Iterable[str]) -> str:
    """Return the form that the report fills in."""
    rows = "".join(f"- `{name}`: {_ASKED[name]}\n" for name in asked)
    return f"# Incident report\n\nOne JSON object with these fields:\n\n{rows}"


def say(logs: str, questions_: str, report: str, *, clocks: str) -> tuple[Clause, ...]:
    """Return the clauses."""
    made = [_goal(logs, questions_, report), _criterion()]
    return (*made, _clocks(clocks)) if clocks else tuple(made)


def _goal(logs: str, questions_: str, report: str) -> Clause:
    return Clause(
        "goal",
        GOAL,
        facts={"logs": logs, "questions": questions_, "report": report},
        role="goal",
        brief=(
            "Answer {questions} from {logs} in {report}.",
            "{report} answers {questions} {from|by} the logs in {logs}.",
            "From {logs}, {report}: what {questions} asks about the break-in.",
        ),
    )


def _criterion() -> Clause:
    return Clause(
        "criterion",
        CRITERION,
        facts={"five": "5", "span": "600 seconds"},
        brief=(
            "A break-in is a login after at least {five} failures of that account and address in "
            "{span}.",
            "{Look for|It is} {five} or more failures of one account and address in {span}, then a "
            "login.",
            "{Criterion|Break-in}: within {span} before the login, {five} failures {or more|at "
            "least} of {its|the same} account and address.",
        ),
    )


def _clocks(clocks: str) -> Clause:
    return Clause(
        "clocks",
        CLOCKED,
        facts={"clocks": clocks},
        role="input",
        brief=(
            "Correct times by {clocks}: the seconds that each log is ahead.",
            "{clocks} {has|gives} each log's lead in seconds; {report|use} true times.",
        ),
    )
