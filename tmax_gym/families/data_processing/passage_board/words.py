"""Words of the passage-board family."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause


def say(*, contract: str, source: str, start: str, place: str, film: bool) -> tuple[Clause, ...]:
    """Return every clause."""
    return (
        Clause(
            "goal",
            _GOAL,
            facts={"contract": contract, "place": place},
            role="goal",
            brief=(
                "{Write|Build} the board that {contract} {describes|asks for}; it counts what "
                "passes {place}.",
                "{Implement|Set up} {contract}: counts of passages at {place} over HTTP.",
            ),
        ),
        Clause(
            "source",
            _FILM if film else _FEED,
            facts={"source": source},
            role="input",
            brief="{The film|The footage} is {source}."
            if film
            else "{The feed|Its feed} is {source}.",
        ),
        Clause(
            "start",
            _START_FILM if film else _START_FEED,
            facts={"start": start},
            role="output",
            brief="{start} {starts|brings up} {everything|all of it}, {as|for} an "
            "unprivileged user.",
        ),
        Clause(
            "keep",
            _KEEP,
            facts={"source": source, "contract": contract},
            role="constraint",
            brief="{Leave|Keep} {contract} and {source} as they are.",
        ),
    )


_GOAL = (
    "{We|People here} {want|need} to {ask|know} over HTTP what has passed {place}, and when. "
    "{contract} {specifies|describes} a board for {that|this}; {write|build} it.",
    "{Write|Build|Program} the board {described in|of} {contract}: it counts {passages at|what "
    "passes} {place} and {answers|replies to} questions {about it|} over HTTP.",
    "{At|For} {place} {nobody|no one} {counts|keeps count} by hand any more. {The|A} "
    "{service|board} that does it {is laid down|is defined} in {contract}; "
    "{please implement it|implement it|it is yours to write}.",
    "{contract} {is waiting for|wants} an implementation: a {small|little} HTTP {service|server} "
    "with {figures|counts} of {everything|all} that {passes|goes by} {place}.",
    "{Our|The} dashboard for {place} {asks|will ask} a board {as in|that follows} {contract}. "
    "{The board|That board} {does not exist|is missing} {yet|so far}: {make|write} {it|one}.",
    "{How many|What} went {past|by} {place}, in which {stretch|span} of time, by class? "
    "{A board|An HTTP service} {should|is to} {answer|tell}, {exactly as|just as} {contract} "
    "{says|has it}; {set it up|build it}.",
    "{Counts|Figures} {from|of} {place} {have to|must} be {available|served} over HTTP. {Follow|"
    "Work from} {contract} and {implement|write} the {server|board}.",
    "{Implement|Realise} {contract}. {In short|Briefly}: {collect|gather} the passages at {place}, "
    "{clean|sort} them {up|out}, {and serve|then serve} {counts|the figures} over HTTP.",
    "{The team|The shift} at {place} {was promised|waits for} a board of passages over HTTP: "
    "{endpoints|paths}, {answers|bodies} and {sources|input} {are all|stand} in {contract}. "
    "{Build|Deliver} it.",
)
_FEED = (
    "{The passages come|It gets its passages} from {source}, {a feed|a service} {of ours|that we "
    "run} {with habits|with quirks} that the contract {names|mentions}.",
    "{source} is the feed {it|the board} {draws on|lives on}; {the contract has|see the contract "
    "for} {its habits|its quirks}.",
    "{What|All that} the board knows {comes|it learns} from the feed {source}, {over HTTP|"
    "by asking it}{, as the contract has it|}.",
    "{A|One} {second program|service}, {source}, {delivers|hands out} the passages; {how|in which "
    "way} {it does so|that goes} is {in the contract|part of the contract} {too|as well}.",
    "{Behind it|Behind the board} {runs|stands} {source}, {the feed|a feed of records}, {which is "
    "not|never} {always|quite} {polite|tidy}.",
    "{Take|Fetch} the passages from {source} {only|alone}: {start|run} it and ask it on its port.",
    "{source} {plays|acts as} the feed. {Read|Skim} it {if you like|if that helps}; what "
    "{it may do|counts} is {in the contract|what the contract says}.",
    "{Records|Its records} {arrive|come in} {page by page|in pages} from {source}, {running beside|"
    "next to} the board.",
)
_FILM = (
    "{The|All} passages are {on|in} the film {source}; {nothing else|no other record} "
    "{recorded|has} them.",
    "{source} is {the footage|the film} {to count from|it is about}; the contract {explains|tells} "
    "what {is|can be} seen {on|in} it.",
    "{All|Everything} {there is|we have} is {a film|the footage} of the belt, {source}.",
    "{What|Whatever} passed {was filmed|is on film}: {source}. {Get|Take} "
    "the passages {from there|out of it}.",
    "{Read|Take|Extract} the passages from {the film|the recording} {source}{, frame by frame|}.",
    "{A camera|The camera over the belt} {left|produced} {source}; {that film|it} {holds|shows} "
    "{every|each} passage.",
    "{Look at|Decode} {source}, {the camera's film|what the camera saw}: the {board's|} passages "
    "{have to|must} come from {there|it}.",
    "{source}, {filmed|recorded} from above, {shows|has} {all items|every item} {passing|that "
    "passed}; {the board counts those|those are to be counted}.",
)
_START_FEED = (
    "{start} {has to|must} start the board {and the feed|together with the feed}, as an "
    "unprivileged user.",
    "{One|A single} script, {start}, {brings up|starts} {both|feed and board} without root rights.",
    "{We|Our people} {run|call} {start} as an ordinary user and {expect|want} "
    "{both|feed and board} {running|up} {after that|then}.",
    "{Both services|The two services} {come up|start} {by|through} {start}, {run|called} without "
    "{root rights|privileges}.",
    "{Feed and board|Board and feed} start from {start}, {under|by} an unprivileged "
    "{account|user}.",
    "{Put|Write} {start}: whoever {runs|calls} it, {not|never} root, {has|gets} feed and board.",
    "{Leave|Provide} {start}, which {launches|starts} the feed, {then the board|and the board}, "
    "{with no|without any} special rights.",
    "{start} {is|will be} {how|the way} {everything|it all} {gets started|starts}, the feed "
    "{included|too}; {it runs|we run it} {without|with no} root rights.",
)
_START_FILM = (
    "{start} {has to|must} start the board, as an unprivileged user.",
    "{One|A single} script, {start}, {brings up|starts} the board without root rights.",
    "{We|Our people} {run|call} {start} as an ordinary user and {expect|want} the board {running|"
    "up} {after that|then}.",
    "The board {comes up|starts} {by|through} {start}, {run|called} without {root rights|"
    "privileges}.",
    "{Everything|The service} starts from {start}, {under|by} an unprivileged {account|user}.",
    "{Put|Write} {start}: whoever {runs|calls} it, {not|never} root, {has|gets} the board.",
    "{Leave|Provide} {start}, which {launches|starts} the board {with no|without any} special "
    "rights.",
    "{start} {is|will be} {how|the way} {the board|it} {gets started|starts}; {it runs|we run it} "
    "{without|with no} root rights.",
)
_KEEP = (
    "{Leave|Keep} {contract} and {source} as they are.",
    "{Do not|Don't} {touch|edit} {source} or {contract}.",
    "{contract} and {source}, {with what lies|and all that was} beside {them|it}, {stay|remain} "
    "{unchanged|untouched}.",
    "{Nothing|No file} that {is|was} {there|given} may {change|be edited}: not {contract}, not "
    "{source}.",
    "{What|All that} you were given, {including|notably} {source} and {contract}, {is not to "
    "be|must not be} {changed|altered}.",
    "{Add|Write} files{ of your own|}, but {never|do not} {edit|change} {contract} or {source}.",
    "{source} and {contract} are {fixed|not yours to change}.",
    "Neither {contract} nor {source} may be {edited|changed|touched}.",
)
