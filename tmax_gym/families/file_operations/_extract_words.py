"""Words of the safe-extract family."""

from __future__ import annotations

from tmax_gym.words.clauses import Clause

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


def short(language: str, program: str) -> tuple[Clause, ...]:
    """Return the task on listings."""
    return (
        Clause(
            "goal",
            (
                "{Write|Create} {program} in {language}: for {each|every} file given as an "
                "argument{, a listing of member names,|, which lists member names,} print {no} "
                "if {a name|some line} has a path segment that is exactly {dots}, else {yes}{; "
                "one line a file|, one line for each file}.",
                "{program} ({language}) {gets|is given} listings of names as arguments and "
                "prints {a line|one line} for each: {no} where {any name|any line} has {dots} "
                "as a whole segment, {yes} where {none|no line} has.",
                "We need a {language} program {program} that {reads|looks through} the name "
                "lists given as arguments and {says|prints} {yes} or {no} {per list|for each}: "
                "{no} {as soon as|if} one segment between slashes is {dots}.",
                "{For|On} every argument, {a file of names|a list of names}, {program} in "
                "{language} should print {yes}, or {no} {when|if} {a segment|one segment} of "
                "{some|a} name equals {dots}.",
                "{Put|Save} a {language} program at {program}. {Its arguments are|Arguments:} "
                "files of path names, one a line. {Output|Print}: {a word|one word} a file, "
                "{no} if {dots} {is|occurs as} a full segment anywhere, {yes} otherwise.",
                "{Make|Provide} {program}, {language}. {Called|Run} with name listings, it "
                "{answers|prints} one line per {listing|argument}: {yes}, unless a name has "
                "the segment {dots}{, nothing more and nothing less|}; then {no}.",
            ),
            facts={
                "program": program,
                "language": language,
                "yes": "`accept`",
                "no": "`reject`",
                "dots": "`..`",
            },
            role="goal",
            brief=(
                "Write {program} ({language}): for each listing given as an argument print "
                "{no} if a name has the segment {dots}, else {yes}."
            ),
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
