"""Words of the safe-extract family."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause

PREAMBLE = """\
Archives that may be unpacked
=============================
An archive is rejected if any of the following holds, and accepted otherwise.
Names are compared after empty segments and `.` segments have been dropped.

"""
POLICY = {
    "climb": "A member's name has a segment that is exactly `..`.",
    "absolute": "A member's name begins with `/`.",
    "linkout": "A symbolic link's target begins with `/`, or leads above the archive's top "
    "when it"
    " is followed from the directory of the link.",
    "through": "A member lies below a name that another member declares a symbolic link.",
    "kinds": "A member is neither a regular file nor a directory nor a symbolic link.",
    "twice": "Two members have the same name.",
    "setuid": "A member has the set-user-id or the set-group-id bit.",
    "many": "There are more than @limit members.",
}


_SHORT = (
    "{Write|Create} {program} in {language}: {for|from} {each|any} {file|listing} given as an "
    "argument{, a listing of member names,|, a name on each line,|, one name a line,} {print|the "
    "output is} {no} if {a name|some line} has a {path segment|segment} {that is {|exactly }"
    "{dots}|equal to {dots}}, {else|otherwise} {yes}{; one line a file|, one line for each file|}.",
    "{program} ({language}) {gets|is given|takes} files of {names|paths}{, one a line,|} as "
    "arguments and {prints|answers with} {a line|one line} {for each|per file}: {no} {where|if} "
    "{any name|any line} has {dots} as a {whole|full} segment, {yes} {where none|if no line} has.",
    "{We need|At {place} we want|{org} needs} a {language} program at {program} that "
    "{reads|looks through} the {files of names|listing files} given as arguments and {says|prints} "
    "{yes} or {no} {per file|for each}: {no} {as soon as|if} one segment between slashes "
    "{is|equals} {dots}.",
    "{For|On} {each|every} argument, a file of {names|member names|paths}, {program} in "
    "{language} should {print|output} {{yes}, or {no}|either {yes} or, in place of it, {no}} "
    "{when|if} {a segment|one segment} of {some|a} {name|line} {equals|is} {dots}.",
    "{Put|Save} a {language} {program|script} at {program}. {Its arguments are|Arguments:|It is "
    "called with} files of {path names|names}, one a line. {Output|It prints}: {a|one} "
    "{word|line} {a|per} file, {no} if {dots} {is|occurs as} a {full|complete} segment "
    "{anywhere|in any of them}, {yes} {otherwise|if not}.",
    "{Make|Provide|Supply} {program}, {in |}{language}. {Called|Run} with {listing|name} files, it "
    "{answers|prints} {one line|a line} {per|for each} {listing|argument}: {yes}, unless {a|some} "
    "{name|line} has the segment {dots}{, alone between slashes|, as a whole|}; then {no}.",
    "{A|The} {language} program {program} {has to|is to|should} {vet|judge} files of {archive "
    "members|member names}, {its|the} arguments: one {line|word} each, {yes} {where|if} no "
    "{name|path} has a segment {dots}, {no} {elsewhere|for the others|otherwise}.",
    "{Names|Paths} with {a|the} segment {dots} {must not|may not|should not} {get past|pass} "
    "{program}{ ({language})|, a {language} program}: for {each|every} {listing|file of "
    "names} {among its arguments|on its command line} it {says|prints} {no} if it has {such a "
    "name|one}, {and|} {yes} if not.",
    "{{person2}|{place}} sends {name lists|lists of archive members} as files{, one name a line|}. "
    "{Write|Let us have} {program} in {language}, which prints {a line |}for each {one|file} "
    "{given as an argument|among its arguments}: {no} {if|where} any segment is {dots}, {yes} "
    "{else|if not}.",
)
_SHORT_BRIEF = (
    "Write {program} ({language}): {for|of} {each|every} {listing|file of names} given as an "
    "argument print {no} if {a name|any line} has the segment {dots}, {else|otherwise} {yes}.",
    "{program}, {language}: {arguments|its arguments} are {listing files|files of names}; print "
    "{no} for {each|those} with a segment {dots}, {yes} for {the rest|all others}.",
    "{Vet|Judge} {listing files|files of names} {by|with} {program} ({language}): {per|for each} "
    "{argument|file in its arguments} {no} {where|if} a segment is {dots}, else {yes}.",
    "{Make|Create} a {language} program {program} that prints{ a line|} for {each|every} name "
    "{list|listing} in its arguments: {no} {with|for} a segment {dots}, {yes} {without|for none}.",
)


def short(language: str, program: str) -> tuple[Clause, ...]:
    """Return the task on listings."""
    return (
        Clause(
            "goal",
            _SHORT,
            facts={
                "program": program,
                "language": language,
                "yes": "`accept`",
                "no": "`reject`",
                "dots": "`..`",
            },
            role="goal",
            brief=_SHORT_BRIEF,
        ),
    )


def whole(language: str, program: str, *, policy: str, samples: str) -> tuple[Clause, ...]:
    """Return the task on archives."""
    return (
        Clause(
            "goal",
            (
                "{Write|Build} {program}, {a|as a} {language} program that {decides|judges} "
                "which tar archives {are safe|may safely be} unpacked, by the rules in {policy}.",
                "{People upload|Customers send us} tar archives. {program}, in {language}, "
                "{has to|must} tell {harmless|safe} ones from those that {break|violate} "
                "{policy}.",
                "Before {we unpack|anything unpacks} an upload, {program} ({language}) should "
                "{apply|enforce} the rules of {policy} {to it|on it}.",
                "{policy} {says|lays down} what makes a tar archive {dangerous|unacceptable}; "
                "{turn it into|make of it} a {language} program {program}.",
                "An archive {slipped|got} through {last week|again} and overwrote a file. "
                "{Implement|Enforce} {policy} in {language}, as {program}.",
                "{Guard|Protect} the unpacker with {program}{, written in|:} {language}, which "
                "{checks|vets} tar archives against {policy}.",
            ),
            facts={"program": program, "language": language, "policy": policy},
            role="goal",
            brief="Write {program} in {language}: judge tar archives by {policy}.",
        ),
        Clause(
            "interface",
            (
                "{It gets|It is given} archive paths as arguments and prints {a line|one line} "
                "for each, in order: {yes} or {no}. {Exit|End} with status 0 {either "
                "way|always}.",
                "{Arguments are|Every argument is} {paths of archives|an archive's path}; {for "
                "each|for every one} a line {yes} or {no} {goes|is printed} to standard "
                "output, {in|keeping} their order, with exit status 0.",
                "{Called|Run} with {one or more|any number of} archives, it answers {yes} or "
                "{no}, a line each{ and in order|, in the order given}; the exit status "
                "{stays|is always} 0.",
                "{Print|Write} {yes} or {no} per archive {on the command line|given}, {one a "
                "line|line by line}, same order, {and leave|and end} with exit status 0.",
                "{Output|The output} is one word a line, {yes} or {no}, {for|matching} the "
                "archives {named|listed} on the command line; exit with 0 {whatever the "
                "verdict|in any case}.",
                "{As for the interface|Interface}: archives in {as arguments|on the command "
                "line}, {yes} or {no} out, one line {each|per archive} in order, exit status 0.",
            ),
            facts={"yes": "`accept`", "no": "`reject`"},
            role="format",
            brief=(
                "For each archive given as an argument print {yes} or {no}, a line each; exit 0."
            ),
        ),
        Clause(
            "samples",
            (
                "{samples} holds {three examples|examples}: two {fine ones|that pass}, one "
                "that does not.",
                "{See|There is} {samples} for {some|a few} archives{, good and bad by their "
                "names| whose names say what they are}.",
                "To {try it|test it}, {samples} has {harmless|fine} archives and a bad one{, "
                "by name|}.",
                "{Archives to try|Trial archives}{, two fine and one bad,|} {are|lie} in "
                "{samples}.",
                "{In|Below} {samples} you {find|will find} two archives to accept and "
                "{one|another} to reject.",
                "{Try|Test} it on {samples}{ first|}: the {names|file names} {give|tell} the "
                "right verdict.",
            ),
            facts={"samples": samples},
            role="input",
            brief="Examples are in {samples}.",
        ),
        Clause(
            "judged",
            (
                "{We will run|It is run} on archives {nobody has seen|of ours}, {hostile|bad} "
                "and harmless ones; the files {beside|next to} {program} {come along|are kept}.",
                "{Other|Hidden} archives {decide|will be tried}, and {wrong alarms|false "
                "alarms} cost as much as {misses|what slips through}. {Everything|What lies} "
                "next to {program} {is available|is there} then.",
                "{Both|Two} kinds of error count {equally|the same} on {unseen|our} archives: "
                "a {harmless|fine} one rejected, a bad one {accepted|let in}. {program} may "
                "{use|load} files {beside it|from its own directory}.",
                "The {verdict|mark} comes from {further|unseen} archives, {half of them|many} "
                "with {harmless oddities|odd but fine names}. {program} keeps its "
                "{neighbours|directory}.",
                "{Expect|Count on} {look-alikes|near misses} in the archives {we try|used for "
                "the test}; {program} is {run|tested} where it is, {with its|beside the same} "
                "files.",
                "{Rejecting|To reject} everything is {worth nothing|no solution}: "
                "{unseen|hidden} harmless archives {must pass|have to be accepted} {program} "
                "as well as bad ones {fail|be stopped}.",
            ),
            facts={"program": program},
            role="constraint",
            brief="{program} is tried on unseen archives, good and bad.",
        ),
    )
