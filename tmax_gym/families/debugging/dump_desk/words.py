"""Words of the dump-desk family."""

from __future__ import annotations

from tmax_gym.families.debugging.dump_desk.solution import HEADER, Desk
from tmax_gym.texts.clauses import Clause


def say(desk: Desk, *, things: str) -> tuple[Clause, ...]:
    """Return the questions about the artefacts, and the form of the answer."""
    return (
        _goal(desk, things),
        _notes(desk),
        _transfers(),
        _login(),
        _worth(desk),
        _buyer(desk),
        _report(desk),
        _keep(desk),
    )


def _goal(desk: Desk, things: str) -> Clause:
    return Clause(
        "goal",
        (
            "Records about {things} {left the house|got out}. {Find|Establish} which, by whose "
            "login, {what each is worth|of what worth} and who bought it, and {write|put} that "
            "{to|into} {report}.",
            "{Somebody|Someone} carried records about {things} {out of the house|off}. {report} "
            "should {say|tell} which they are, under which login, their worth and their buyers.",
            "{We need|Please make} {report}: every record about {things} that was {smuggled|"
            "carried} out, {with|and} the login behind it, its worth and its buyer.",
            "From {what|the evidence that} was copied that night, {work out|reconstruct} which "
            "records about {things} leaked, by which login, {of|at} what worth and to which "
            "buyer: {report}.",
            "Records about {things} have leaked. {Join|Combine} the four {artefacts|pieces of "
            "evidence} {to|until you can} {list|name} each with login, worth and buyer in "
            "{report}.",
            "{Which|What} records about {things} {were taken out|got out}, under whose login, "
            "what were they worth and who got them? {Answer|Say it} in {report}.",
        ),
        facts={"report": desk.report, "things": things},
        role="goal",
        brief="List the records about {things} that leaked, with login, worth and buyer: {report}.",
    )


def _notes(desk: Desk) -> Clause:
    return Clause(
        "notes",
        (
            "{notes} {explains|describes} the four artefacts {beside it|next to it}: a "
            "{packet|network} capture, a memory image, a database with its log, {and|as well as} "
            "{a|the image of a} memory stick.",
            "Four artefacts lie {beside|next to} {notes}, which {says|tells} how each is {laid "
            "out|made}: capture, memory image, database and log, {and a|plus a} memory stick.",
            "{Begin|Start} with {notes}; {it covers|there you find} the {formats|layout} of the "
            "capture, the memory image, the database {and|with} its log, and the stick.",
            "What {the files|the artefacts} are, and in {which|what} formats, {stands|is} in "
            "{notes}: packets, a process's memory, {a|one} database and its log, a {memory|USB} "
            "stick.",
            "For the formats {see|read} {notes}. {There is|We have} a {packet capture|capture}, "
            "a memory image, a database {whose log was never merged|with an unmerged log}, and a "
            "memory stick.",
            "The {evidence|material} is one capture, one memory image, {one|a} database "
            "{plus|and} log and one memory stick; {notes} {goes through|explains} them.",
        ),
        facts={"notes": desk.at("HANDOVER.md")},
        role="input",
        brief="The artefacts and their formats are described in {notes}.",
    )


def _transfers() -> Clause:
    return Clause(
        "transfers",
        (
            "A record {leaked|is out} if it was handed to an address outside {inside} and {the|"
            "that} server took it; {whatever|what} was refused, or {stayed|went to a server} "
            "inside, {does not count|is no leak}.",
            "{Only|Just} what a server outside {inside} {accepted|took} counts as leaked, {not "
            "what it refused|never what it refused} and not what {went|was handed} to servers "
            "inside.",
            "{Count|Take} as leaked {whatever|what} an address outside {inside} confirmed to have "
            "taken. {Refused|Rejected} attempts and {transfers|traffic} within do not count.",
            "Servers inside {inside} are ours and {do not matter|do not count}; a record is leaked "
            "once a server {elsewhere|outside} has taken it, {and|but} not when it {refused|"
            "declined}.",
            "{Look|Watch} for records that a server outside {inside} took: an attempt that was "
            "{refused|turned down} is no leak, {nor is|and neither is} anything between our own "
            "addresses.",
            "{Leaked|Out} means: taken by a server whose address is not in {inside}. {What|"
            "All that} was refused, or stayed in that network, is not {meant|wanted}.",
        ),
        facts={"inside": "`10.0.0.0/8`"},
        brief="Leaked is what a server outside {inside} took; refusals do not count.",
    )


def _login() -> Clause:
    return Clause(
        "login",
        (
            "The login is that of the open session with the token of {the|that} request; "
            "{ended|closed} sessions with {the same|that} token are {leftovers|of no interest}.",
            "{Take|Get} the login from the session that {has|bears} the request's token and "
            "{is|was} open, {never|not} from {one that has ended|an ended one}.",
            "{Tokens|The token of a request} {lead|leads} to the login: {look for|find} the open "
            "session in memory, {an ended|a closed} one may have {had|borne} the same token.",
            "{Behind|To} each accepted request there is a token, and {the memory image|memory} "
            "{says|shows} whose open session {it belongs to|that is}; {ended|past} ones "
            "{mislead|do not count}.",
            "Whose login? {That|The one} of the open session with the token of {the request that "
            "was accepted|the accepted request}; {disregard|leave aside} sessions that "
            "{ended|are over}.",
            "By {the|its} token the accepted request {belongs|leads} to a session: the open one "
            "{names|has} the login, {ended|finished} ones {are stale|are not to be used}.",
        ),
        brief="The login comes from the open session with the accepted request's token.",
    )


def _worth(desk: Desk) -> Clause:
    return Clause(
        "worth",
        (
            "The worth is {what|as} column {column} {says|holds} after the last committed "
            "transaction, the log included; {what|whatever} was never committed does not count.",
            "{For|As} the worth take {column} as of the last commit in the log: {neither the bare "
            "database nor|not the database alone, and not} the unfinished transaction {is|may be} "
            "{right|used}.",
            "{Bring|Take} the database to the last commit in its log and {use|read} {column} as "
            "the worth; an {unfinished|open} transaction {after that|behind it} is void.",
            "{column} {is|gives} the worth, in the state of the last transaction that the log "
            "{commits|has committed}{, not in that of the bare file|}.",
            "Column {column} of the recovered database is the worth: {everything|all} that the log "
            "committed {counts|applies}, {nothing|none} of what it left open.",
            "{Recover|Restore} the database up to the last commit of the log, {no further|and not "
            "beyond}: then {column} is the worth.",
        ),
        facts={"column": f"`{desk.column}`"},
        brief="The worth is {column} after the last commit in the log.",
    )


def _buyer(desk: Desk) -> Clause:
    return Clause(
        "buyer",
        (
            "{Buyers|The buyers} stand, by the {record's code|code of a record}, in the list "
            "that was deleted from the stick; of {several|more than one}, take the one "
            "{changed|modified} last and {restore|save} it byte for byte as {restored}.",
            "{Restore|Recover} the deleted list of buyers, the one with the {latest|youngest} time "
            "stamp, to {restored}, byte for byte: {it|this} {has|gives} the buyer for {each|every} "
            "record's code.",
            "{restored} is to be the deleted list {from|of} the stick, {unchanged|exact to the "
            "byte}; the version with the latest date {counts|is wanted}. {It maps|In it} codes of "
            "records {to|lead to} buyers.",
            "{Undelete|Bring back} the list on the stick as {restored} ({exact|equal} bytes; the "
            "last changed one, if there are several) and {look up|find} buyers in it by code.",
            "The list that {maps|leads from} a record's code to {the|a} buyer was deleted: {save|"
            "write} its newest version, by date of change, {exactly as it was|byte for byte} to "
            "{restored}.",
            "Who bought {what|a record} is in a deleted list on the stick, by code. {Put|Store} it "
            "in {restored} as it was, {the|and take the} newest of those deleted.",
        ),
        facts={"restored": desk.restored},
        role="output",
        brief="Restore the newest deleted list as {restored}; it gives the buyer of each code.",
    )


def _report(desk: Desk) -> Clause:
    return Clause(
        "report",
        (
            "The report is CSV {with|under} the header {header}, a line {a|per} record, {in order "
            "of|sorted by} record number.",
            "{Write|Format} it as CSV: {header} first, then {one|a} line a record, the {smallest|"
            "lowest} number first.",
            "{As|In} CSV, please, {header} on top, {records|lines} in {rising|ascending} order of "
            "their numbers.",
            "{header} is the first line {of the CSV file|of that CSV}; {below|under it} follow the "
            "records, by {rising|ascending} number.",
            "{One|A} line per record, sorted by its number, {below|under} the header {header}: "
            "{plain|simple} CSV.",
            "{It begins|The file begins} with {header}; {then|after that} each record has a line, "
            "{comma-separated|with commas}, in order of record numbers.",
        ),
        facts={"header": f"`{','.join(HEADER)}`"},
        role="format",
        brief="CSV, {header}, sorted by record number.",
    )


def _keep(desk: Desk) -> Clause:
    return Clause(
        "keep",
        (
            "Work on copies {outside|away from} {home}: {the evidence|every artefact} {must|has "
            "to} stay as it is, {and|so} opening the database {there|in place} may "
            "{change|spoil} it.",
            "What {lies|you find} there is evidence, {so leave|therefore leave} the files of "
            "{home} byte for byte as they are and {experiment|work} on copies.",
            "{No|Not one} byte of the artefacts in {home} may change; {take|make} copies "
            "{before|if} you {open|repair} anything.",
            "{Copy|Take a copy} before you repair: the files in {home} {are|stay} {sealed|"
            "untouched}, their checksums are {known|compared}.",
            "{Nothing|No artefact} in {home} may be {altered|modified}, {not even|also not} by a "
            "program that {opens|merges} the log; use copies.",
            "{Leave|Keep} the artefacts in {home} unaltered{ (a database client can alter them)|}; "
            "copies are {for|there for} working.",
        ),
        facts={"home": desk.home},
        role="constraint",
        brief="Leave the artefacts in {home} unaltered: work on copies.",
    )
