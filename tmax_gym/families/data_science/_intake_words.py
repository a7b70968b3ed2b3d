"""What the intake gate's instruction says."""

from __future__ import annotations

from tmax_gym.words.clauses import Clause


def short(kind: str, program: str, listed: str, *, blocked: bool) -> Clause:
    """Return the whole of a short task."""
    verb = ("rejects", "accepts") if blocked else ("accepts", "rejects")
    return Clause(
        "goal",
        (
            "{Write|Make} {kind}, {program}, that {reads|takes} one line from standard input and "
            "{verb} it ({exit|exit status} {code}) {if|when} it equals a line of {list}, else "
            "{other} it ({back}).",
            "{list} {decides|settles} what comes in: {put|write} {kind} at {program} that {verb} "
            "(exit status {code}) a line of standard input that {equals|is} one of {its|the} "
            "lines {there|in it} and {other} any other ({back}).",
        ),
        facts={
            "kind": kind,
            "program": program,
            "list": listed,
            "verb": verb[0],
            "other": verb[1],
            "code": "1" if blocked else "0",
            "back": "0" if blocked else "1",
        },
        role="goal",
        brief="Write {kind}, {program}: it reads a line from standard input, {verb} it (exit "
        "{code}) if it equals a line of {list}, else {other} it ({back}).",
    )


def goal(kind: str, program: str) -> Clause:
    """Return what is to be written."""
    return Clause(
        "goal",
        (
            "{Write|Build} {kind} at {program} that {tells|separates} plausible records from "
            "corrupted ones {before|when} they {are stored|come in}.",
            "Corrupted records {reach|get into} our {data|tables}. {Put|We need} a gate at "
            "{program}, {kind} that {accepts|lets in} plausible ones {only|and nothing else}.",
            "{We need|Please write} {kind}, {program}, {which|that} {accepts|admits} a record if "
            "it is plausible and {rejects|refuses} it {otherwise|if it is corrupted}.",
            "{program} should {be|become} {kind} that {guards|watches} our intake: plausible "
            "records pass, corrupted ones {do not|are turned away}.",
        ),
        facts={"kind": kind, "program": program},
        role="goal",
        brief="Write {kind}, {program}, that accepts plausible records only.",
    )


def rest(dictionary: str, history: str) -> tuple[Clause, ...]:
    """Return the interface and where the knowledge is."""
    return (
        Clause(
            "interface",
            (
                "{One|A single} record {comes|arrives} on standard input, as JSON; exit status "
                "{yes} {accepts|admits} it, {no} {rejects|refuses} it, {and|as} it {does|must do} "
                "{whatever|anything} that is not JSON.",
                "The gate {reads|gets} one JSON record {on|from} standard input and {ends|exits} "
                "with {yes} to accept it or {no} to reject it; {input|what comes in} that "
                "is not JSON {is|gets} rejected {too|as well}.",
            ),
            facts={"yes": "0", "no": "1"},
            role="format",
        ),
        Clause(
            "dictionary",
            (
                "{dictionary} {says|explains} what makes a record plausible: {every field|the "
                "fields}, {its check|their checks}, and the relations {between|among} them.",
                "What {plausible|that} means {stands|is written} in {dictionary}: fields, checks "
                "and relations, {with|and} notes {on|about} how to read {them|it}.",
            ),
            facts={"dictionary": dictionary},
            role="input",
        ),
        Clause(
            "history",
            (
                "Some {checks|of its checks} {depend|rest} on {earlier|past} records, which are in "
                "{history}, one a line, each with {the|its} right verdict.",
                "{history} {holds|lists} {earlier|past} records with the right verdict, one a "
                "line; {some|several} checks of the dictionary {refer|point} to {them|these}.",
            ),
            facts={"history": history},
            role="input",
        ),
        Clause(
            "keep",
            (
                "{Both|These} files {stay|will stay} where they are and as they are, {so|and} the "
                "{program|gate} may read them {when it runs|at run time}; {new|unseen} records "
                "{will be|are} tried.",
                "{Do not touch|Leave alone} the two files; the {program|gate} may {use|read} them "
                "{whenever|each time} it runs, {on|and will see} records {that are new|not seen "
                "before}.",
            ),
            role="constraint",
        ),
    )
