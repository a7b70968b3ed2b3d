"""Words of the will-not-start family."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause

GOAL = (
    "{Get|Bring} the stack {that {sheet} describes|described in {sheet}} {up again|back to "
    "work|running again}: after {start} the front {should|has to|must} answer for {every|each} "
    "service. {One|A first} {trouble|suspect|patient} is the {service|one} {of|that reads} {conf}.",
    "{start} {no longer brings|does not bring} up {everything|all} that is in {sheet}. {Find "
    "out|See|Work out} why, {for instance|among others} {with|for} the service of {conf}, and "
    "{repair|mend|fix} it.",
    "{Since the move|After an update|Since last week} the services {of|listed in} {sheet} "
    "{fail|refuse} to start. {Make|Have} {start} {bring|start} {all|every one} of them{ up|}; "
    "{conf} belongs to one that {fails|does not|stays down}.",
    "{Nothing|Little|Not much} answers {after|once we have run} {start}. {By|According to} {sheet} "
    "{all services|the whole stack} should; {repair|fix|clear} what is in the way, "
    "{starting|perhaps starting|say beginning} with the service of {conf}.",
    "{Debug|Look into|Investigate} the start of our {stack|services} ({start}; {how it should "
    "be|what should run}: {sheet}){ and repair it|, and mend what is broken}. The service {that "
    "reads|behind} {conf} is {among|one of} those that {fail|never come up|die}.",
    "Services die {at once|early|right away} when {start} runs, {that of|the one of} {conf} {for "
    "one|included|among them}. {Correct|Change|Repair} what {has to|must} be "
    "{corrected|changed|repaired} until {sheet} {is true|holds} {again|once more}.",
    "{What|Whatever} {sheet} {lists|describes} {should|ought to} {run|be up} {after|once you call} "
    "{start}, and {does not|it fails to}; {conf} {configures|is read by} a service that "
    "{fails|stays down}. {Find|Remove} {the causes|every cause}.",
    "{Compare|Hold} {sheet} {with|against} what {start} {really|actually} {brings up|starts}: "
    "{services are|some are} missing, {such as|for example} the one {configured by|that reads} "
    "{conf}. {Make the stack come|See that everything comes} up {again|complete}.",
    "{Please |}{take|have} a look at {start}: {it leaves|it has left} {part|some} of the stack in "
    "{sheet} {dead|down}, like the {service|one} {behind|of} {conf}. {All of it|The whole stack} "
    "{should|has to} {answer|run} {again|as before}.",
)
KEEP = (
    "{Programs|The programs} ({run}), scripts, tables and {sheet} are {right|as they should be|in "
    "order}: {leave|keep} them. {What is|Any file that is} {not one of these|none of these} may be "
    "{changed or removed|edited or deleted}. {We|The check will|The tests} start the stack afresh, "
    "as {an unprivileged|an ordinary} user, and {ask|question} the front on port {port} "
    "{about|for} "
    "{all services|each service}.",
    "{Do not edit|Do not change|Keep} {sheet}, {scripts, tables|tables, scripts} and the {run} of "
    "{a|each} service; {other files|all other files} {may go|may be changed or removed} if they "
    "are "
    "{wrong|in the way}. The stack is {judged|tested|checked} {by|through} {the|its} front "
    "(127.0.0.1, port {port}), {freshly|newly} started and without root {rights|privileges}.",
    "{What counts|The test|The measure} is what port {port} {of|on} 127.0.0.1 {answers|says|gives} "
    "after {a fresh|another|one more} start by {another|an ordinary|some other} user. {Tables, "
    "scripts and programs|Programs, tables and scripts} ({run}) and {sheet} {stay|may not change|"
    "are off limits}, {settings and stray files|stray files and settings} {are not|need not}.",
    "{Only|Just|Nothing but} {settings|configuration} and {left-overs|stray files} {are|can be} at "
    "fault, wherever they lie: {change|edit} or {remove|delete} those, {no|not one} {program "
    "({run}), script or table|table, script or program ({run})}, nor {sheet}. The front, port "
    "{port}, must {pass on|answer|handle} questions {to|for} {every|each} service "
    "{once|when|after} {it is|all is} started {anew|again}.",
    "{Stop|Shut} everything down before you {finish|hand over|leave}: the stack {will be|gets} "
    "started {again|anew}, and the front on port {port} {asked|questioned}. {No change|Nothing "
    "changes|Not a byte changes} in {sheet}, in {scripts and tables|tables and scripts} and in the "
    "programs, all called {run}; {the rest may|what else there is may} be {changed|mended} or "
    "{removed|deleted}.",
    "{All|The} answers {come|are fetched|are taken} through port {port} {of the front|of "
    "127.0.0.1}, after a start {from scratch|of its own}; {edit|touch|change} {sheet}, the tables, "
    "the scripts and {each|every} {run} {not at all|in no way}, {but|and} whatever {other "
    "file|file "
    "beside them} is wrong {may be changed or removed|can be changed or go}.",
    "{Port|The front on port} {port} {gets|receives} {our|the} questions, {one|some} for "
    "{each|every} service, {when|after} {a user|somebody} without {root|special} rights {has "
    "started|starts} {it all|the stack} {afresh|again}; {sheet}, {tables and scripts|scripts and "
    "tables} and {the programs, {run},|each program, {run},} {stay|remain} as they {were|are}, "
    "{other files|all other files} {need not|are yours to change or remove}.",
    "{Hands off|No edits to} {sheet}, {tables and scripts|the scripts and tables} and {every|any} "
    "{run}; {correct|change} or {remove|delete} {any other|what other} file {that|which} is wrong. "
    "{Afterwards|In the end} {the stack|everything} is {started|brought up} {once more|anew} {by "
    "someone|by a user} who is not root, and {asked|queried} {at|on} 127.0.0.1, port {port}.",
)


def clauses(sheet: str, start: str, *, conf: str, port: int) -> tuple[Clause, ...]:
    """Return the symptom, where it is described, and what stays."""
    return (
        Clause(
            "goal",
            GOAL,
            facts={"sheet": sheet, "start": start, "conf": conf},
            role="goal",
            brief=(
                "Make {start} bring up the stack of {sheet}; the service of {conf} fails, for one.",
                "{Repair|Fix} what keeps {start} from {starting|bringing up} {all|everything} in "
                "{sheet}, {first|for one} the service of {conf}.",
                "All of {sheet} {should|must} {run|be up} after {start}; {a service|one} that "
                "fails {reads|has} {conf}.",
            ),
        ),
        Clause(
            "keep",
            KEEP,
            facts={"port": str(port), "run": "`run.py`", "sheet": sheet},
            role="constraint",
            brief=(
                "Change no program ({run}), script or table, nor {sheet}; {other files|stray "
                "files} "
                "may go. The front answers on 127.0.0.1, port {port}.",
                "{Programs ({run}), scripts|Scripts, programs ({run})} and tables stay, {sheet} "
                "too, not {stray files|left-overs}; {the front|the check} is {at|on} port {port}, "
                "{freshly|newly} started.",
                "{The front|127.0.0.1}, port {port}, {is asked|must answer} after a {fresh|new} "
                "start; {edit|touch} neither {sheet} nor {a table, a script|a script, a table} or "
                "{run}; {any other file|other files} may {go|change}.",
            ),
        ),
    )
