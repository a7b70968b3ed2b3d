"""Words of the log-keeper family, and the manual of the two programs."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.texts.clauses import Clause


def manual(rotation: str, supervision: str, mark: str, *, features: Sequence[str]) -> str:
    """Return the manual; `features` are those of supervision."""
    beat, operator = "beat" in features, "operator" in features
    more = "    SECOND SERVICE beat\n" if beat else ""
    more += "    SECOND SERVICE stop\n    SECOND SERVICE go\n" if operator else ""
    kinds = ["kill"] if beat else []
    kinds += ["giveup"] if "limit" in features else []
    actions = "".join(f", or as `SECOND {kind} SERVICE`" for kind in kinds)
    return f"""\
# Keeping logs and services

## rotate CONF DIR NOW

Looks at the logs in the directory DIR once; NOW is the time, in seconds since 1970, and no other
clock counts. A line of CONF is the name of a log in DIR and its rules, in any order; empty lines
and lines that begin with `#` are none. A log that is due is renamed to its name and `.1`, the
former `.1` to `.2`, and so on, and an empty log takes its place. A log that is empty or missing is
left alone, due or not. Prints the name of each log that was rotated, one a line. Apart from these
files and `{mark}`, DIR stays as it is.

{rotation}
## guard CONF < EVENTS

Says what a supervisor does about events, without doing it. A line of CONF is the name of a service
and its policy; empty lines and lines that begin with `#` are none. All services run at second 0.
Events are ordered by time:

    SECOND SERVICE exit STATUS
{more}    SECOND end

Actions are printed as `SECOND start SERVICE`{actions},
ordered by second, and within a second by the name of the service; of those that fall due after
`end`, none is printed.

{supervision}"""


def clauses(rotate: str, guard: str, manual_: str, *, samples: str) -> tuple[Clause, ...]:
    """Return the goal, and how it is tested."""
    return (
        Clause(
            "goal",
            (
                "{The appliance|Our appliance} has neither logrotate nor a supervisor. {Write|"
                "Make} {both|these two} for it: {rotate} and {guard}, {as|the way} {manual} {says|"
                "describes}.",
                "{manual} {describes|is the manual of} two small programs {that|which} nobody "
                "{wrote|has written} yet: {rotate} keeps logs in bounds, {guard} decides when "
                "services {start|are started} again. {Please write|Write} them.",
                "Logs {fill|are filling} the disk and crashed services stay down. What "
                "we {need|lack} {stands|is} in {manual}: {rotate} for the {former|logs}, "
                "{guard} for the {latter|services}.",
                "{There is|We have} no room for {systemd|an init system} and logrotate on the "
                "{appliance|box}{, so we roll our own|}: {write|provide} {rotate} and {guard} {by|"
                "according to} {manual}.",
                "{Implement|Carry out} {manual}: a log rotation, {rotate}, and the {decisions|"
                "brain} of a supervisor, {guard}.",
                "{Write|Create} {rotate}, which rotates logs, and {guard}, which {says|tells} when "
                "a service is {to be restarted|restarted}; {manual} {has|holds} every rule.",
            ),
            facts={"rotate": rotate, "guard": guard, "manual": manual_},
            role="goal",
            brief="Write {rotate} and {guard} by the manual {manual}.",
        ),
        Clause(
            "form",
            (
                "{Both|The two} are executable files {in|of} any language {this machine has|"
                "installed here}; no other file {of yours|} may be needed{ by them|}.",
                "{Any|Whatever} language that is installed will do, as long as each is {one|a "
                "single} executable file {by itself|on its own}.",
                "{Each|Every one} is one executable file {with|that has} an interpreter line or "
                "{a binary|compiled}, and {depends on|needs} nothing else {you write|of yours}.",
                "{Make|Keep} each of them {a single|one} executable file; {the language|which "
                "language} is {up to you|your choice}{, of those installed|}.",
                "{Executable|Runnable as they are}, one file {each|per program}, {in a|in any} "
                "language {of your choice|you like}{: that is all|}.",
                "{We start them|They are started} {directly|as commands}, so {mind|set} the {mode|"
                "executable bit} and {the first line|the interpreter line}; each is one "
                "file, {any|in any} language.",
            ),
            role="output",
            brief="Each is one executable file, in any language installed here.",
        ),
        Clause(
            "tried",
            (
                "{Other|Different} configurations, logs and events than those in {samples} are "
                "{used|tried} {in the end|for acceptance}, days in a row for the {logs|rotation}.",
                "{samples} {has|holds} a {worked|complete} example of either: {what was given|"
                "input} and what {came out|comes out}. {Ours|Those of the acceptance} {are|will "
                "be} others, over several days.",
                "{An example|One example} of both is in {samples}; the {trial|test} takes others, "
                "{with|and} several runs {one after another|in succession} on the same logs.",
                "{We|Later we} {test|try} them on configurations {of our own|you have not seen}, "
                "{several|a few} days of logs included; {samples} {shows|has} one of each.",
                "{Look at|See} {samples} for what goes in and {comes|should come} out. {More "
                "such cases|Such cases}, {made|drawn} anew, {decide|are the test}, and logs are {"
                "run|rotated} several days in a row.",
                "{In|Below} {samples} {lies|is} an example that is {right|correct}{, before and "
                "after|}; {acceptance|the acceptance test} {uses|has} others and goes on for days.",
            ),
            facts={"samples": samples},
            role="input",
            brief="Other cases than those in {samples} are tried, logs over several days.",
        ),
        Clause(
            "keep",
            (
                "{manual} and the examples {stay|remain} as they are{: try things on copies|}.",
                "{Work|Experiment} on copies: {manual} and the examples {may not|must not} change.",
                "{Do not|Never} {edit|change} {manual}, {nor|or} the examples{ themselves|}.",
                "{Leave|Keep} {manual} and the examples {as found|as they are}{, please|}.",
                "{Change|Edit} neither {manual} nor {the|its} examples; {copy|take copies of} "
                "{those|the latter} for {trials|a trial}.",
                "{Neither|It matters that neither} {manual} nor the examples {change|are changed}.",
            ),
            facts={"manual": manual_},
            role="constraint",
            brief="Leave {manual} and the examples as they are.",
        ),
    )
