"""Words of the rule-set family."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause

PREAMBLE = """\
What may pass
=============
Everything that is not said here is dropped. The statements are independent of each other.

"""


def short(rules: str, zones: str, *, told: str) -> Clause:
    """Return the task of one service."""
    return Clause(
        "goal",
        (
            "{Write|Create|Compose} the packet filter {rules} {so that it lets|that lets|to let} "
            "through {told}{, and nothing else|, nothing more| and no more}; networks of the zones "
            "are in {zones}.",
            "{Open|Allow|Permit} {told} in a new {filter|packet filter} {rules}, {and only that|"
            "and nothing beside it|only that}. {Zones|The zones} are {listed|named} in {zones}.",
            "{rules} {should|is to|will} admit {told} ({see|look up|consult} {zones} for {the "
            "network|networks}) and {drop|stop|block} {the rest|all other flows|all else}.",
            "One flow is {needed|wanted|missing}: {told}. {Put|Write|State} the rule for it "
            "{in|into} {rules}; {zones} {gives|has|shows} the networks.",
            "{Set up|Make|Prepare} {rules}: {told} {passes|may pass|goes through}, everything else "
            "{does not|is dropped|stays out}. {Look up|Find} the zone in {zones}.",
            "The {filter|firewall|packet filter} {rules} does not exist {yet|so far}. It must "
            "{pass|let through|admit} {told} alone; {zones} {maps|translates|relates} zones to "
            "networks.",
            "{Nothing but|Only} {told} {may|should} {get through|pass|be let in}. {Express|Say|"
            "Write} that {as a packet filter in|in the filter} {rules}, {with|using} the networks "
            "of {zones}.",
            "{With|From} the networks {in|of} {zones}, {make|build|write} {rules}, a {packet "
            "filter|filter} for {one service|one flow}: {told}.",
            "{Somebody|One team} {asks for|needs|wants} {told}; {allow|grant|permit} {just|only} "
            "{that|this} in {the filter|the packet filter|a filter} {rules}, zone networks as "
            "{in|given by} {zones}.",
        ),
        facts={"rules": rules, "zones": zones, "told": told},
        role="goal",
        brief=(
            "Write the filter {rules} that allows {told} (zones in {zones}) and nothing else.",
            "{rules}: {a filter|packet filter} {for|that admits} {told} {alone|only}, networks in "
            "{zones}.",
            "{Allow|Admit|Permit} {only|just} {told} in {the filter|a filter} {rules}; zones: "
            "{zones}.",
        ),
    )


def goal(rules: str, policy: str, zones: str) -> Clause:
    """Return the task of a whole policy."""
    return Clause(
        "goal",
        (
            "{Turn|Translate|Make} {policy} into a packet filter, {rules}; {zones} {says|tells|"
            "shows} which network {a|each} zone is.",
            "{The auditors|Our auditors|Auditors} {signed off|approved|passed} {policy}. "
            "{Implement|Express|State} it as filter rules in {rules}, {with|using} the networks "
            "of {zones}.",
            "{rules} {has|is} to let through {just|only|exactly} what {policy} {permits|allows|"
            "lists}, zone names being {resolved by|those of|explained in} {zones}.",
            "{Write|Compile|Derive} {rules} from {policy}, statement {by|after} statement; {zones} "
            "{lists|holds|gives} the zones and their networks.",
            "We need a {filter|packet filter}, {rules}, {that enforces|enforcing|to enforce} "
            "{policy} {to the letter|and no more|as it stands}. {Zone|The zone} networks: {zones}.",
            "Between our zones ({zones}) only {policy} {may|should|can} pass: {put|write|state} "
            "that {as rules|in rules} {into|in} {rules}.",
            "{What|All that} may pass {is said|stands|is written} in {policy}, {who is who|the "
            "networks of the zones} in {zones}; {make|write} the {packet filter|filter} {rules} "
            "{of|from} them.",
            "{Once|When} {rules} {is loaded|is in use|runs}, {flows|traffic} should "
            "{pass|move} as {policy} {has it|says}, zones {being|meaning} the networks in {zones}. "
            "{Write|Prepare} that filter.",
        ),
        facts={"rules": rules, "policy": policy, "zones": zones},
        role="goal",
        brief=(
            "Write the filter {rules} for {policy}, with the networks of {zones}.",
            "{Turn|Translate} {policy} into the filter {rules}; networks: {zones}.",
            "{rules}: the {filter|packet filter} {for|to enforce} {policy}, networks in {zones}.",
        ),
    )


def form(cidr: str) -> tuple[Clause, ...]:
    """Return the form of a rule and the order of matching; `cidr` is a network to show."""
    return (_line(), _fields(cidr), _wildcard(), _order())


def _line() -> Clause:
    return Clause(
        "form",
        (
            "{A rule is|Every rule is|Each rule is} {a|one} line {form}{, beginning with|, the "
            "verdict being|, the first word} {allow} or {deny}.",
            "{Each|Every} line {reads|has the words|looks like} {form}, {with|having} {allow} and "
            "{deny} {as|for} {verdicts|the verdicts}.",
            "{Format|Syntax|Form} {of a rule|of each line|of a line}: {form}, {where|in which} "
            "{the verdict is|the first word is|one begins with} {allow} or {deny}.",
            "{Lines|Rules} {have|consist of|are made of} five words, {form}; {verdicts|the "
            "verdicts|first words} are {{deny} and {allow}|{allow} and {deny}}.",
            "{Write|Put|State} {one rule a line|a rule per line|rules line by line} as {form}; "
            "{letting pass is {allow}, dropping is {deny}|{allow} lets pass, {deny} drops|{deny} "
            "drops, {allow} permits}.",
            "{form} is {how a rule looks|the form of a rule|what a rule looks like}, {one a line|a "
            "line each}; {its|the} verdict is {either |}{allow} or {deny}.",
            "{Verdicts|The verdicts} are {allow} and {deny}, {the first word|standing first} "
            "{on|in} a line {that reads|of the form|written} {form}.",
            "{Start|Begin|Open} {every|each} {line|rule} with {{allow} or {deny}|{deny} or "
            "{allow}}: {form} is {its|the} {form|shape|pattern}.",
        ),
        facts={
            "form": "`<verdict> <source> <destination> <protocol> <ports>`",
            "allow": "`allow`",
            "deny": "`deny`",
        },
        role="format",
        brief=(
            "Rules are lines {form} {with|beginning with} {allow} or {deny}.",
            "{Lines|Rules|One rule a line}: {form}, {verdict|the verdict} {allow} or {deny}.",
            "{Write|Put} {rules|lines} as {form}, {{allow} or {deny}|{deny} or {allow}} first.",
        ),
    )


def _fields(cidr: str) -> Clause:
    return Clause(
        "fields",
        (
            "{Networks|Source and destination} are {written|put|given} {like|as in} {cidr}, {the "
            "protocol|protocols} as {tcp} or {udp}.",
            "{Source and destination|Both networks|The two networks} {are in|use|have} CIDR "
            "{notation|form} {like|such as} {cidr}; {protocols|the protocols} are {{tcp} and "
            "{udp}|{udp} and {tcp}}.",
            "{Known|Valid|Possible} protocols are {{udp} and {tcp}|{tcp} and {udp}}; {a "
            "network|a source or destination|an address range} {looks like|has the form "
            "of|is written like} {cidr}.",
            "{Write|Give|State} {source and destination|networks|both networks} {as in|like} "
            "{cidr} and the protocol as {{tcp} or {udp}|{udp} or {tcp}}.",
            "{{tcp} and {udp}|{udp} and {tcp}} are {the|the valid|the known} protocols, {cidr} "
            "{shows the form|is an example|gives the style} of {a network|networks|source and "
            "destination}.",
            "For {networks|source and destination} {use|write|take} {CIDR|CIDR notation|slash "
            "notation} ({as in|like} {cidr}), for the protocol {tcp} or {udp}.",
            "The protocol {is|reads|can be} {{udp} or {tcp}|{tcp} or {udp}|one of {tcp} and "
            "{udp}}, {networks|source and destination} {come|stand|are given} {like|as in} {cidr}.",
        ),
        facts={"cidr": f"`{cidr}`", "tcp": "`tcp`", "udp": "`udp`"},
        role="format",
        brief=(
            "{Networks|Source and destination} {like|as in} {cidr}, {protocol|protocols} {tcp} or "
            "{udp}.",
            "{Protocol|Protocols}: {tcp}, {udp}; networks {as in|like} {cidr}.",
            "CIDR networks ({as in |like |}{cidr}), {then {tcp} or {udp}|protocol {udp} or {tcp}}.",
        ),
    )


def _wildcard() -> Clause:
    return Clause(
        "wildcard",
        (
            "{Ports|The ports} are {a number|one number|a single number} or {range}; {any} "
            "{fits|stands for|matches} {everything|all} in {each|any} of the last four {words|"
            "places|fields}.",
            "{Each|Every} {word|field} but the verdict {may|can} {be|read} {any}, {the wildcard|"
            "which matches all|meaning all}; {give|write} ports {singly|one by one|as a number} or "
            "as {range}.",
            "{The last word|The port field} is {one|a} {number|port number} or {range}, {and|"
            "while} {any} {serves as|is|acts as} {a|the} wildcard {behind|after} the verdict.",
            "{Port ranges|Ranges of ports} {look like|are written} {range}, single ports are "
            "{bare|plain} numbers, {and|while} {any} {as|for} {a source, destination, protocol or "
            "port|a network, protocol or port} {fits|matches} {everything|all}.",
            "{Use|Write|Put} {any} {where|wherever} {a network, protocol or port|anything but the "
            "verdict} {does not matter|may be anything|is free}, and {range} for {a range|ranges} "
            "{beside|next to} {single|plain} port numbers.",
            "{any} {can|may} {replace|stand for} a network, {the|a} protocol or {the ports|a "
            "port}; {otherwise|else} {the port|the last word} is {a number|one number} or {range}.",
            "{Single|Plain} {ports|port numbers} and {ranges|port ranges} like {range} are "
            "{both|equally} {fine|valid}, {as|and so} is {any} for {any field|each field} "
            "{behind|after} the verdict.",
        ),
        facts={"range": "`lo-hi`", "any": "`any`"},
        role="format",
        brief=(
            "{Ports|The last word}: {a|one} number or {range}; {any} {for|matches|fits} all.",
            "{any} is the wildcard {after|behind} the verdict, ports are {single|numbers} or "
            "{range}.",
            "{One port|A port number} or {range} {ends a rule|comes last}; {any} {fits|matches} "
            "all.",
        ),
    )


def _order() -> Clause:
    return Clause(
        "order",
        (
            "The first rule that {matches|fits|applies} {decides|counts|wins}; a flow {no rule|"
            "that none} {matches|fits} is {dropped|stopped}. {Use|Write|Keep to} no more than "
            "{most} rules.",
            "{Rules|The rules|Lines} are {tried|read|matched} from the top, the first {match|hit} "
            "wins, "
            "{without|lacking|failing} one the flow is {dropped|stopped}; {the limit "
            "is|there may be} {most} rules.",
            "{Order|The order} {matters|counts}: {first|the first} match wins, no match means "
            "{dropped|drop}. {Keep|Stay} {within|to} {most} rules.",
            "{Evaluation|Matching|The search} {stops|ends} at the first rule that {fits|applies|"
            "matches}; {what|whatever|a flow that} fits none is {stopped|dropped}. {The limit "
            "is|There may be} {most} rules.",
            "{Top|Going top} to bottom, {one|the first} matching rule {settles|decides} {it|the "
            "matter}; {by default|otherwise|failing that} a flow is dropped. {No more than|Up to} "
            "{most} rules {are read|count}.",
            "{By|As a} default {a flow|everything} is {dropped|stopped}; {before that|but first} "
            "the "
            "{topmost|first} rule that {matches|fits} has the say{, of at most|, out of no more "
            "than|, among at most} {most}.",
            "{Up to|At most} {most} rules are {allowed|possible|accepted}, {and|where} the "
            "{first|uppermost} {fitting|matching} one {counts|wins|decides}; {with none|where none "
            "fits|without a match} {the flow|a flow} is {dropped|stopped}.",
            "{Drop|Dropping} is {the default|what happens by default}; {a rule|each rule} "
            "{overrules|precedes|goes before} {all|those} {below it|further down}, and {a file|a "
            "filter} has {at most|up to} {most} rules.",
        ),
        facts={"most": "200"},
        role="rule",
        brief=(
            "First match wins, no match is dropped, at most {most} rules.",
            "{No match: dropped|Unmatched: dropped|Default: drop}; {first|the first} {match|hit} "
            "{wins|counts}; {up to|at most} {most} rules.",
            "{At most|Up to} {most} rules, {first|the first} {match|fit} {wins|decides}, "
            "{otherwise|else} {drop|dropped}.",
        ),
    )


def judged() -> Clause:
    """Return how the filter is judged."""
    return Clause(
        "judged",
        (
            "{We|Our checks|The tests} {replay|run} flows {that should|which should|meant to} "
            "pass and "
            "flows that {should not|must not}{, many of them near misses|}; both {kinds of error|"
            "errors} {cost|weigh} the same.",
            "{The filter is|Your filter is} judged by recorded {flows|connections}: "
            "{legitimate|permitted|lawful} "
            "ones {have to|should} pass, {lookalikes|look-alikes} (a port {beside|off by one}, a "
            "neighbouring network) must not.",
            "{Traffic|Recorded traffic} is {run|replayed|sent} against it: {letting in|admitting|"
            "passing} too much is {as bad as|no better than} {stopping|dropping|losing} what is "
            "{allowed|permitted}.",
            "{A simulator|Our simulator|A generator} sends {good|allowed|lawful} and {bad|"
            "forbidden} flows{, close to the edges of each statement|}, and {counts|tallies|adds "
            "up} mistakes {both ways|on either side}.",
            "{Flows|Connections|Packets} just {inside|within} and just outside {each|every} "
            "statement are {tried|tested|sent}{, exceptions included|, also the exceptions}.",
            "{Too wide|A wide rule} {costs|loses} as much as {too narrow|one too narrow}: "
            "{permitted|good|wanted} and {forbidden|bad|unwanted} flows are {counted|weighed} "
            "alike.",
            "{Each|Every} {permitted|good} flow {that is lost|stopped} and {each|every} "
            "{bad|forbidden} "
            "one {let|waved} through {costs points|counts against it}, and {most|many} of them "
            "{lie|are} {near|close to} {a limit|an edge}.",
        ),
        role="output",
        brief="Allowed and forbidden flows close to the edges are tried.",
    )
