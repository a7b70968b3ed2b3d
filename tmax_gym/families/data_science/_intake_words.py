"""What the intake gate's instruction says."""

from __future__ import annotations

from tmax_gym.words.clauses import Clause


def short(kind: str, program: str, listed: str, *, blocked: bool) -> Clause:
    """Return the whole of a short task."""
    verb = ("rejects", "accepts") if blocked else ("accepts", "rejects")
    return Clause(
        "goal",
        (
            "{Write|Make} {kind}, {program}, that {reads|takes} one line from "
            "standard input and {verb} it ({exit|exit status} {code}) {if|when} it "
            "equals a line of {list}, else {other} it ({back}).",
            "{list} {decides|settles} what comes in: {put|write} {kind} at {program} "
            "that {verb} (exit status {code}) a line of standard input that "
            "{equals|is} one of {its|the} lines {there|in it} and {other} any other "
            "({back}).",
            "{We need|There should be} {kind}, {program}, {which|that} {looks "
            "up|seeks} one line of standard input in {list}: found, it {verb} the "
            "line ({exit|status} {code}), {not found|else} it {other} it ({back}).",
            "{Whether|If} a line of standard input {stands|is} in {list} is all that "
            "{kind}, {program}, {has to find out|is about}: exit {code} means it "
            "{verb} the line {since|because} it is there, {back} that it {other} one "
            "that is not.",
            "{program} {is to|should} be {kind}: {given|fed} one line on standard "
            "input it {verb} (exit {code}) what equals {some|a} line of {list} and "
            "{other} (exit {back}) {all else|the rest}.",
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
                "{One|A single} record {comes|arrives} on standard input, as JSON; exit "
                "status {yes} {accepts|admits} it, {no} {rejects|refuses} it, {and|as} "
                "it {does|must do} {whatever|anything} that is not JSON.",
                "The gate {reads|gets} one JSON record {on|from} standard input and "
                "{ends|exits} with {yes} to accept it or {no} to reject it; {input|what "
                "comes in} that is not JSON {is|gets} rejected {too|as well}.",
                "{Accept|Let in} with exit status {yes}, {reject|turn away} with {no}: "
                "{one|a} record {per|for each} run, in JSON on standard input; "
                "{text|input} that {is no|cannot be read as} JSON is {rejected|refused}.",
                "{Exit|Leave} with {yes} {for|on} a record to accept and with {no} "
                "{for|on} one to reject, {or|and also} {for|on} input that is not JSON "
                "{at all|}; the record {comes|is read} {on|from} standard input.",
                "{Standard input|What arrives on standard input} is one record in JSON{, "
                "or it is rejected|; what is not JSON is rejected}; the exit status "
                "{says|tells} {yes} for {accepted|plausible} and {no} for "
                "{rejected|corrupted}.",
            ),
            facts={"yes": "0", "no": "1"},
            role="format",
        ),
        Clause(
            "dictionary",
            (
                "{dictionary} {says|explains} what makes a record plausible: {every "
                "field|the fields}, {its check|their checks}, and the relations "
                "{between|among} them.",
                "What {plausible|that} means {stands|is written} in {dictionary}: "
                "fields, checks and relations, {with|and} notes {on|about} how to read "
                "{them|it}.",
                "{See|Read} {dictionary} for {the|all} fields, {their checks|what is "
                "checked} and {the relations|how they relate}: {that|this} {makes|is "
                "what makes} a record plausible.",
                "{A record is plausible|Plausible is a record} if it {passes|stands up "
                "to} {all|every one} of the checks and relations {in|of} {dictionary}.",
                "{The rules|Our rules}, field by field and between fields, {are "
                "kept|stand} in {dictionary}{, with notes on how to read them|, notes "
                "included}.",
                "{Judge|Check} records {by|against} {dictionary}, which "
                "{describes|lists} {the fields|fields}, {the checks|checks} and {the "
                "relations|relations}.",
            ),
            facts={"dictionary": dictionary},
            role="input",
        ),
        Clause(
            "history",
            (
                "Some {checks|of its checks} {depend|rest} on {earlier|past} records, "
                "which are in {history}, one a line, each with {the|its} right verdict.",
                "{history} {holds|lists} {earlier|past} records with the right verdict, "
                "one a line; {some|several} checks of the dictionary {refer|point} to "
                "{them|these}.",
                "{Past|Earlier} records and their right verdicts, one a line, "
                "{are|stand} in {history}; {a few|some} checks {need|look at} "
                "{them|these}.",
                "{For|As to} checks that {look back|ask about the past}: {history} "
                "{has|holds} the {earlier|old} records, {a line each|one a line}, "
                "{rightly judged|with right verdicts}.",
                "{What|All that} came in {before|so far} {is|stands} in {history}, {one "
                "record a line|line by line}, each {with|next to} the right verdict, and "
                "{some|certain} checks {build|rely} on it.",
                "{In|Throughout} {history}{,|} {earlier|older} records {stand one a "
                "line|come one a line}, {rightly|each rightly} judged; the dictionary "
                "{has|contains} checks that {use|depend on} {those|them}.",
            ),
            facts={"history": history},
            role="input",
        ),
        Clause(
            "keep",
            (
                "{Both|These} files {stay|will stay} where they are and as they are, "
                "{so|and} the {program|gate} may read them {when it runs|at run time}; "
                "{new|unseen} records {will be|are} tried.",
                "{Do not touch|Leave alone} the two files; the {program|gate} may "
                "{use|read} them {whenever|each time} it runs, {on|and will see} records "
                "{that are new|not seen before}.",
                "{Neither|Let neither} file {be|is to be} {changed|edited or moved}; "
                "{they will be there|both are at hand} {when|whenever} the "
                "{gate|program} runs, {with|on} {records|input} {nobody has shown "
                "you|that is new}.",
                "{You may|The program may} {count on|rely on} both files {at run "
                "time|later}, {as they|which} {must not|may not} be {changed|altered}; "
                "{it will be tried|we try it} on {new|other} records.",
                "{New|Unseen} records {will decide|are what counts}: {leave|keep} both "
                "files {in place|where they are}, {unchanged|as they are}, {and|then} "
                "{read|use} them {as you like|at run time if you like}.",
            ),
            role="constraint",
        ),
    )
