"""Words of the drifting-sums family."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause


def say(*, tool: str, known: str, org: str, kept: str) -> tuple[Clause, ...]:
    """Return the symptom, the right answers, the tolerance, and what stays.

    Args:
        tool: The one source file.
        known: The file of requests with their true values.
        org: Who computes with it.
        kept: How many requests of that file the tool answers rightly as it is.
    """
    return (
        _goal(tool, org),
        _truth(tool),
        _requests(),
        _tolerance(),
        _known(known, kept),
        _keep(known),
    )


def _goal(tool: str, org: str) -> Clause:
    return Clause(
        "goal",
        (
            "{tool} {loses|drops} digits for some inputs and is {plainly|just} wrong for others. "
            "{Find|Track down} every {cause|defect} and {repair|mend} it {in place|in that file}.",
            "{org} {found|noticed} figures from {tool} that {cannot be right|do not hold up}: "
            "{please repair|mend} the routines {behind them|that are to blame}.",
            "{Several|Some} routines of {tool} {drift|go astray}: {rounding|lost digits}, "
            "{cancellation|differences of near-equal numbers}, loops that stop at the wrong time, "
            "wrong formulas. {Put them right|Fix all of them}.",
            "The numbers {that|which} {tool} gives {org} are {partly wrong|wrong in places}. "
            "{Work|Go} through its routines and {correct|fix} what {is faulty|spoils them}.",
            "{Repair|Debug} {tool}: for some {requests|inputs} its answers {are off|miss the "
            "truth} from the {sixth|seventh} digit on, for others {entirely|altogether}.",
            "{Nobody|No one} at {org} trusts {tool} any more, {since|as} {more than one|several} "
            "of its routines {compute|return} wrong digits. {Set that right|Mend them}.",
        ),
        facts={"tool": tool},
        role="goal",
        brief="Repair the routines of {tool} that give wrong digits.",
    )


def _truth(tool: str) -> Clause:
    return Clause(
        "truth",
        (
            "{The|Each} comment {at|of} a routine {says|states} what it has to return and "
            "{which inputs occur|for which numbers it is called}; {comments are right|trust the "
            "comments}.",
            "{What|All that} the comments of the routines {say|promise}, about results and about "
            "the inputs to be {expected|met}, {is right|holds}: the code {has to|must} {follow|"
            "agree}.",
            "{Take|Use} the comments {of|at} the routines {as|for} the specification: the result, "
            "and the {range|kind} of inputs{ that occur|}. {They|Those} are {correct|not in "
            "question}.",
            "{Where|If} a routine and its comment {differ|disagree}, {believe|go by} the comment, "
            "{also|and that} for the {largest|most extreme} inputs {it names|named in it}.",
            "{Every|Each} routine {carries|has} a comment with its meaning and the inputs that it "
            "{must|has to} cope with; {none of these is wrong|the comments can be trusted}.",
            "{Comments|The comments} {above all|first of all}: they {define|fix} each figure and "
            "{how extreme|what} its inputs may {be|get}, and they are {right|reliable} {throughout|"
            "without exception}.",
        ),
        role="rule",
        brief="The comments say what is right, and for which inputs.",
    )


def _requests() -> Clause:
    return Clause(
        "requests",
        (
            "{The|That} program reads requests from standard input, {one a line|a line each} (the "
            "name of a routine and its numbers), and {prints|answers with} one number {for each|"
            "per line}{, or `none`|}.",
            "{Requests|Its requests} come {on|by} standard input, {one a line|line by line}: a "
            "routine's name, then numbers. {Each|Every one} {yields|gets} one line of output, and "
            "that {form|format} stays.",
            "{To use it|For a trial}, {feed|pipe} lines of a routine's name and some numbers {into "
            "it|to its standard input}; {it prints|you get} {one|a} number a line. {Keep|Leave} "
            "that {so|as it is}.",
            "A line of standard input {names|gives} a routine and {lists|holds} its numbers; a "
            "line of standard output {is|holds} the answer. {Neither changes|That stays}.",
            "It takes {name and numbers|a routine's name and its numbers} on each line of "
            "standard input and {gives|prints} one number {on each line|a line}: {keep to|leave} "
            "that.",
            "{Callers|Those who use it} {send|write} lines with the name of a routine and its "
            "numbers to standard input and {read|expect} a number {for each|per line}, {as|in the "
            "form} it is printed {now|today}.",
        ),
        role="input",
        brief="It reads a routine's name and numbers a line, and prints a number a line.",
    )


def _tolerance() -> Clause:
    return Clause(
        "tolerance",
        (
            "An answer {is right|counts} if its relative error is at most {most}{, which doubles "
            "allow for everywhere|}; plain doubles are {enough|good enough} for all of them.",
            "{Required|Needed} is a relative error of {most} or less, for {every|any} input that "
            "a comment {allows|admits}. {Doubles|Ordinary doubles} {suffice|can do it}.",
            "{We accept|What passes is} a relative error {up to|of no more than} {most}, against "
            "the {exact|true} value for the decimals {as written|in the request}.",
            "{Measure|The measure} is the exact value for the numbers as they are written: {the "
            "relative error|relatively, an answer} may {be|be off by} {most} {at the most|and no "
            "more}.",
            "{Against|Compared with} exact arithmetic on the {same|given} decimals, {no|not one} "
            "answer may be off by more than {most}, {taken relatively|in relative terms}.",
            "{Aim for|The goal is} a relative error within {most} of the exact {result|value}, "
            "{wherever|whenever} the comment {allows|covers} the input.",
        ),
        facts={"most": "`1e-9`"},
        role="constraint",
        brief="Allowed is a relative error of {most}.",
    )


def _known(known: str, kept: str) -> Clause:
    return Clause(
        "known",
        (
            "{known} {has|holds} {some|a few} requests with their true values, separated by a tab; "
            "the tool {already meets|gets} {kept} of them {right|right today}.",
            "{Some|A few} true values are in {known} (request, tab, value). {So far|At present} "
            "{kept} of these {come out right|are met}.",
            "{To compare|For comparison}, {known} {lists|gives} requests and {behind|after} a tab "
            "what is {true|exact}; {kept} of them {agree|are right} {now|already}.",
            "{A colleague|Somebody} worked out true values {by hand|with long decimals}: {known}, "
            "one request a line, a tab, the value. {Today|Now} {kept} of them {hold|are met}.",
            "{Measure|Try} the tool {against|on} {known}, {where|in which} a tab {stands|sits} "
            "between request and true value; {kept} of them are met {now|as it is}.",
            "{known} {is|gives you} a start: requests, a tab, true values, {kept} of which the "
            "tool {meets|reaches} {as it stands|without a repair}.",
        ),
        facts={"known": known, "kept": kept},
        role="input",
        brief="True values are in {known} (request, tab, value); {kept} are met now.",
    )


def _keep(known: str) -> Clause:
    return Clause(
        "keep",
        (
            "{Many other|Other} requests will be {tried|run}, for every routine, {so|and so} "
            "{nothing that|what} is right {may get worse|has to stay right}; {leave|keep} {known} "
            "as it is.",
            "It is {judged|graded} on requests that you {do not have|have not seen}. {Sound|Right} "
            "routines {must stay sound|have to stay right}, {known} {stays|remains} unchanged.",
            "Do not {stop at|content yourself with} {known}, and do not {edit|touch} it: "
            "{faults|defects} may {sit|be} where it {says|shows} nothing, and what works {has to|"
            "must} {go on working|work later}.",
            "{Routines|A routine} of which {known} {says|shows} nothing may be {faulty|wrong} "
            "{too|as well}; those that are right {must|have to} stay right. That file {itself|} is "
            "not to be {changed|edited}.",
            "{Any|Every} routine is tested with {fresh|new} requests: {break none|spoil none that "
            "works}, {mend|repair} all that are broken, {keep|leave} {known} unaltered.",
            "{Without|Short of} {touching|editing} {known} and without {harm to|breaking} a sound "
            "routine, {make|get} all of them right, {tested|shown} or not: the {requests|inputs} "
            "that count are {others|different ones}.",
        ),
        facts={"known": known},
        role="constraint",
        brief="Other requests decide; what is right stays right, and {known} stays.",
    )
