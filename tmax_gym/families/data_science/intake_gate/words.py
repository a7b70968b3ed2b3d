"""What the intake gate's instruction says."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause


def short(kind: str, program: str, listed: str, *, blocked: bool) -> tuple[Clause, ...]:
    """Return the whole of a short task."""
    return (_asked(kind, program, listed), _verdicts(blocked))


def _asked(kind: str, program: str, listed: str) -> Clause:
    return Clause(
        "goal",
        (
            "{Write|Make|Create} {kind}, {program}, {which|that} {takes|reads|gets} {one|a single} "
            "line {from|on} standard input and {looks for|seeks|searches for} it in {list}.",
            "{list} {decides|settles|determines} what {comes|gets|is let} in: {put|leave|place} "
            "{kind} {under|at} {program} {that holds|to hold} {one|a} line of standard input "
            "against {it|that list}.",
            "{We need|There should be|What we lack is} {kind}, {program}, that {checks|tests|finds "
            "out} whether the {one|single|only} line {it gets|it is given|arriving} on standard "
            "input {is|stands|occurs} in {list}.",
            "Whether {a|one|some} line {from|of|on} standard input {stands|occurs|is} in {list} is "
            "{all that|the only thing that|the one thing} {kind}, {program}, {has to|should} "
            "{find out|tell us|answer}.",
            "{program} {is to|should|will} be {kind}: {given|fed|handed} {one|a} line on standard "
            "input, {it compares|the program compares|it checks} {that line|what it got} "
            "{against|with} {the lines of|what is in} {list}.",
            "{Every|Each} {line|entry} {goes|is passed|comes} {alone|by itself} {to|on} the "
            "standard input of {program}, {kind} {you write|still to be written|that is missing}; "
            "the list {to go by|that it uses|behind it} is {list}.",
            "{Provide|Deliver|Add} {program}, {kind} that {handles|judges|looks at} one line "
            "{of|from|on} standard input {by|according to|with the help of} {list}.",
            "Is {a|the|some} line {on|from} standard input {in|one of those in|also in} {list}? "
            "{Put|Save|Store} {kind} {that answers|to answer|to settle} {this|that|the question} "
            "{at|as} {program}.",
            "{With|Using|Going by} {list}, {kind} {at|named} {program} {should|has to|is to} "
            "{judge|examine|check} the {one|single|only} line {it reads|that it gets|it finds} on "
            "standard input.",
            "{What is|All that's|Still} {missing|lacking} is {program}: {kind} "
            "{to match|that matches|matching} {one|a} line {from|of} standard input {against|with} "
            "{list}.",
        ),
        facts={"kind": kind, "program": program, "list": listed},
        role="goal",
        brief=(
            "Write {kind}, {program}, {to check|that checks} {one|a} line {on|from} standard input "
            "against {list}.",
            "{program}: {kind} {that looks up|to look up|looking up} {one|a} line {of|from} "
            "standard input in {list}.",
            "{Check|Look up|Test} {a|one} line {of|from} standard input {in|against} {list} "
            "with {kind}, {program}.",
            "{Make|Create} {kind} {at|named} {program}: is {a|the} line on standard input {in|one "
            "of} {list}?",
        ),
    )


def _verdicts(blocked: bool) -> Clause:
    verb = ("reject", "accept") if blocked else ("accept", "reject")
    return Clause(
        "verdict",
        (
            "{Exit status|Status|Exit code} {code} {verb}s a line {that equals|equal to|identical "
            "to} {some|any|one} {line|entry} of the list, {back} {other}s {any other|all others|"
            "the rest}.",
            "{Found|If found|When found} {there as|as} a {whole|full|complete} line, {it is|the "
            "input is|what came is} {verb}ed ({exit|exit status|exit with} {code}), "
            "{otherwise|if not|or else} {other}ed ({back}).",
            "The {program|check|gate} {verb}s {what|whatever|a line that} {equals|is identical to|"
            "is the same as} a {whole|complete|full} line of the list by {exiting|ending} with "
            "{code}, {and|but} {other}s {all else|everything else|anything else} with {back}.",
            "{On the list|Listed}, {letter for letter|character for character|case included}, "
            "means {verb} {with|by} exit {status|code} {code}; {unlisted|not listed|absent} means "
            "{other}, {with|by} {back}.",
            "{Answer|Reply|Respond} {by|through|with} {the|an} exit status: {code} ({verb}) "
            "{for|on} {a line|one} equal to a {listed|whole listed} {one|line}, {back} ({other}) "
            "{for|on} {all others|any other|every other one}.",
            "{Exit|End|Leave} with {code} to {verb} a line that {matches|equals} {one of the "
            "list's|a listed one|a line of the list} {in full|from end to end|as a whole}, "
            "{and|or} with {back} to {other} {another|any other}.",
            "{Matches|Hits} count {for whole lines only|only where whole lines are equal}: {on|"
            "for} one the {exit status|status|exit code} is {code} ({verb}), "
            "{otherwise|else|in all other cases} {back} ({other}).",
            "{Whatever|What} {differs from|is unlike} {every|each} line of the list {is|gets} "
            "{other}ed, exit {status|code} {back}; {what|whatever} {equals one|is the same as one} "
            "{is|gets} {verb}ed{,| with} {code}.",
            "The {exit status|status|exit code} {says|tells|shows} {all|which it is|the "
            "outcome}: {code} for {verb}ed, as the line {equals one|is identical to one} of the "
            "list, {back} for {other}ed{, as it does not|, in any other case|}.",
            "{Without|Lacking} an equal in the list, a line is {other}ed ({exit|exit status|"
            "status} {back}); {with|having} {one|an equal} {there|in it}, {verb}ed ({code}).",
        ),
        facts={
            "verb": verb[0],
            "other": verb[1],
            "code": "1" if blocked else "0",
            "back": "0" if blocked else "1",
        },
        role="rule",
        brief=(
            "{Equal to|Same as} a {listed|whole listed} line: {verb} (exit {code}); {else|"
            "otherwise|if not}: {other} ({back}).",
            "{Exit|Status|Exit status} {code} ({verb}) {for|on} a line {equal to|that equals} a "
            "listed one, {back} ({other}) {otherwise|for others|else}.",
            "{Whole|Full} line {found|listed|there}: exit {code} to {verb}; {not found|unlisted|"
            "else}: {back} to {other}.",
            "To {verb} a line {equal to|that equals} a listed one, {exit with|exit|return} {code}; "
            "to {other} {others|any other|the rest}, {back}.",
        ),
    )


def goal(kind: str, program: str) -> Clause:
    """Return the wanted program."""
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
