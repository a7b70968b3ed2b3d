"""What the serial-keygen family tells: the note beside the checker, and the instruction."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause

NOTE = """\
{product}

Licence checker. Reads lines of the form

    <account> <serial>

from standard input and answers each with `ok` or `bad`. An account is a word of lower-case
letters, a serial a decimal number without leading zeros; every account has exactly one below
{top}. The vendor is {vendor}, which no longer answers; its generator was never ours.
"""


def say(tool: str, note: str, generator: str, *, language: str) -> tuple[Clause, ...]:
    """Return the clauses about the generator."""
    goal = Clause(
        "goal",
        (
            "{tool} {accepts|checks} the licences of a vendor that {is gone|has folded}: write "
            "the {missing|lost} generator as a {language} program, {generator}.",
            "We {own|hold} licences that {tool} checks, but {nobody can|there is no way to} issue "
            "{new|more} ones. {Rebuild|Recreate} the generator in {language} {as|at} {generator}.",
            "{Take|Pull} {tool} apart and {write|build} {generator}, {language} source that {makes"
            "|issues} the serials which it {accepts|takes}.",
            "A {stripped|closed} checker, {tool}, decides which serials are {valid|good}. "
            "{generator} {is to|should} {produce|compute} them, in {language}.",
            "{generator} {must|has to} make valid serials {for|to suit} {tool}. The language is "
            "{language}; {no source of the checker is left|the checker came without source}.",
            "For the {audit|hand-over} {show|prove} how {little|badly} {tool} protects: a "
            "{language} generator {at|in} {generator} that {makes|finds} the serial of any "
            "account.",
        ),
        facts={"tool": tool, "generator": generator, "language": language},
        role="goal",
        brief="Write {generator} ({language}), a generator of serials that {tool} accepts.",
    )
    return goal, _interface(note), _judged(generator)


def _interface(note: str) -> Clause:
    return Clause(
        "interface",
        (
            "It {reads|takes} accounts from standard input, one {per|a} line, and prints {a|one} "
            "line for each: {the serial|its serial} alone. {note} {says|tells} what a serial is.",
            "{Accounts|Names of accounts} come on standard input, one per line; {answer|reply} "
            "with {their|the} serials in the same order, one a line {too|as well}. See {note}.",
            "{As for|About} serials, {note} {knows|says} more. {Input|What comes in}: one account "
            "a line {on|from} standard input; {output|what goes out}: one serial a line.",
            "{note} {describes|explains} accounts and serials. The generator {turns|maps} each "
            "{line|account} of standard input {into|to} a line with the serial{| and no more}.",
            "{For|To} every account {on|from} standard input (one per line) it {writes|prints} "
            "the serial that {note} {speaks of|describes}, on a line {of its own|by itself}.",
            "Serial by serial: {an account|one account} per line in, {its|the} serial per line "
            "out, {standard streams|through standard input and output}. {note} is {all|what} "
            "{we know|is known}.",
        ),
        facts={"note": note},
        role="input",
        brief="Accounts on standard input, one serial a line out; see {note}.",
    )


def _judged(generator: str) -> Clause:
    return Clause(
        "own",
        (
            "{It is tried|We will try it} on accounts that are {in no|not in any} list here, and "
            "{without|away from} the checker: {generator} must {work|stand} alone.",
            "{Other|Further} accounts will {follow|be tried}. Only {generator} {is taken "
            "along|goes there}, so it can neither {run|call} the checker nor {read|need} its "
            "bytes.",
            "{Expect|Reckon with} accounts {you have|that you have} never seen, on a machine that "
            "has {generator} {only|and nothing else of this}.",
            "The checker {stays|remains} here, {as it is|untouched}, while {generator} is used "
            "{elsewhere|on another machine} and for other accounts.",
            "{generator} {runs|will run} where there is no checker, on {fresh|new} accounts; do "
            "not {touch|patch} the {binary|checker} {either|itself}.",
            "{Do not|Never} {alter|patch} the checker. {New|Unknown} accounts are what {generator} "
            "{is for|will get}, {by itself|without the checker at hand}.",
        ),
        facts={"generator": generator},
        role="constraint",
        brief="{generator} must work alone, for any account.",
    )


def say_register(customers: str, register: str) -> Clause:
    """Return the clause about the register of customers."""
    return Clause(
        "register",
        (
            "{Also|Then} {issue|make} serials for {everybody|all} in {customers}: {register} "
            "gets the header {header} and a row {each|for every one}, in that order.",
            "{register} {should|must} list the accounts of {customers}, in their order, {with|and} "
            "their serials {under|below} the header {header}.",
            "The {present|current} accounts are in {customers}; {put|write} them and their "
            "serials {in|into} {register} ({header} as header, {same|the same} order).",
            "{Fill|Make} {register}, a table with the header {header}, from {customers}: {one|a} "
            "row {per|an} account, order {kept|as it is}.",
            "{With|Using} it, {turn|make} {customers} into {register}. Its first line is {header}, "
            "then {comes|follows} {each|every} account with its serial, as they are ordered.",
            "{customers} {names|lists} who is {waiting|due} now: {give|deliver} account and serial "
            "of each in {register}, comma between, {header} on top, order {as there|unchanged}.",
        ),
        facts={"customers": customers, "register": register, "header": "`account,serial`"},
        role="output",
        brief="Write {register} ({header}) for the accounts of {customers}, in order.",
    )
