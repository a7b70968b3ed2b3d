"""Words of the rule-set family."""

from __future__ import annotations

from tmax_gym.words.clauses import Clause

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
            "{Write|Create} the packet filter {rules} {so that it lets|that lets} through "
            "{told}{, and nothing else|, nothing more}; networks of the zones are in {zones}.",
            "{Open|Allow} {told} in a new filter {rules}, and {only that|nothing beside it}. "
            "{Zones|The zones} are {listed|named} in {zones}.",
            "{rules} {should|is to} admit {told} ({see|look up} {zones} for {the "
            "network|networks}) and {drop|stop} {the rest|all other flows}.",
            "One flow is {needed|wanted}: {told}. {Put|Write} the rule for it {in|into} "
            "{rules}; {zones} {gives|has} the networks.",
            "{Set up|Make} {rules}: {told} {passes|may pass}, everything else {does not|is "
            "dropped}. {Look up|Find} the zone in {zones}.",
            "The {filter|firewall} {rules} does not exist {yet|so far}. It must {pass|let "
            "through} {told} alone; {zones} {maps|translates} zones to networks.",
        ),
        facts={"rules": rules, "zones": zones, "told": told},
        role="goal",
        brief="Write the filter {rules} that allows {told} (zones in {zones}) and nothing else.",
    )


def goal(rules: str, policy: str, zones: str) -> Clause:
    """Return the task of a whole policy."""
    return Clause(
        "goal",
        (
            "{Turn|Translate} {policy} into a packet filter, {rules}; {zones} {says|tells} "
            "which network {a|each} zone is.",
            "{The auditors|Our auditors} {signed off|approved} {policy}. {Implement|Express} "
            "it as filter rules in {rules}, {with|using} the networks of {zones}.",
            "{rules} {has|is} to let through exactly what {policy} {permits|allows}, zone "
            "names being {resolved by|those of} {zones}.",
            "{Write|Compile} {rules} from {policy}, statement {by|after} statement; {zones} "
            "{lists|holds} the zones and their networks.",
            "We need a filter, {rules}, {that enforces|enforcing} {policy} {to the letter|and "
            "no more}. {Zone|The zone} networks: {zones}.",
            "Between our zones ({zones}) only {policy} {may|should} pass: {put|write} that {as "
            "rules|in rules} into {rules}.",
        ),
        facts={"rules": rules, "policy": policy, "zones": zones},
        role="goal",
        brief="Write the filter {rules} for {policy}, with the networks of {zones}.",
    )


def form() -> tuple[Clause, ...]:
    """Return the form of a rule."""
    return (
        Clause(
            "form",
            (
                "A rule is {a line|one line} {form}, {verdict|beginning with} {allow} or "
                "{deny}; networks are {cidr}, the protocol {tcp} or {udp}, the port {a "
                "number|one number} or {range}, and {any} {fits|stands for} everything.",
                "{Each|Every} line reads {form}: {allow} or {deny}, two networks ({cidr}), "
                "{tcp} or {udp}, a port or {range}; {any} {may replace|can stand for} each of "
                "the last four.",
                "{Format|Syntax}: {form} {per line|on each line}. {First|First comes} {allow} "
                "or {deny}, then {source and destination|from and to} as {cidr}, then {tcp} or "
                "{udp}, {finally|at last} a port or {range}; {any} matches all.",
                "{Lines|Rules} have five words, {form}. {Verdicts|The verdict}: {allow}, "
                "{deny}; addresses {as|like} {cidr}; protocols {tcp}, {udp}; ports {single|one "
                "by one} or {range}; {wildcard|and as wildcard} {any}.",
                "{Write|Put} one rule a line as {form}, {where|in which} the verdict is "
                "{allow} or {deny}, {both|the} networks {look like|are} {cidr}, protocols are "
                "{tcp} and {udp}, ports {a number|single} or {range}, and {any} is {a|the} "
                "wildcard.",
                "{form} is {how a rule looks|the form of a rule}: {allow} or {deny}, CIDR "
                "{twice|two times} ({cidr}), {tcp} or {udp}, {port|a port} or {range}. "
                "{Use|Write} {any} {where all match|for all}.",
            ),
            facts={
                "form": "`<verdict> <source> <destination> <protocol> <ports>`",
                "allow": "`allow`",
                "deny": "`deny`",
                "cidr": "`10.0.0.0/24`",
                "tcp": "`tcp`",
                "udp": "`udp`",
                "range": "`lo-hi`",
                "any": "`any`",
            },
            role="format",
            brief=(
                "Rules are lines {form}: {allow} or {deny}, networks like {cidr}, {tcp} or "
                "{udp}, a port or {range}, {any} for all."
            ),
        ),
        Clause(
            "order",
            (
                "The first rule that {matches|fits} {decides|counts}; a flow {no rule|that "
                "none} matches is dropped. {Use|Write} no more than {most} rules.",
                "{Rules|They} are tried from the top, the first {match|hit} wins, "
                "{without|lacking} one the flow is dropped; {most} rules {are the limit|at "
                "most}.",
                "{Order|The order} matters: {first|the first} match wins, no match means "
                "{dropped|drop}. {Keep|Stay} {within|to} {most} rules.",
                "{Evaluation|Matching} stops at the first rule that {fits|applies}; "
                "{what|whatever} fits none is {stopped|dropped}. {The limit is|There may be} "
                "{most} rules.",
                "{Top|Going top} to bottom, {one|the first} matching rule {settles|decides} "
                "it; {by default|otherwise} a flow is dropped. {No more than|Up to} {most} "
                "rules {are read|count}.",
                "{By|As a} default {a flow|everything} is dropped; {else|otherwise} the "
                "{topmost|first} rule that matches has the say{, of at most|, out of no more "
                "than} {most}.",
            ),
            facts={"most": "200"},
            role="rule",
            brief="First match wins, no match is dropped, at most {most} rules.",
        ),
    )


def judged() -> Clause:
    """Return how the filter is judged."""
    return Clause(
        "judged",
        (
            "{We replay|They replay} flows {that should|which should} pass and flows that "
            "{should not|must not}{, many of them near misses|}; both {kinds of error|errors} "
            "cost the same.",
            "{Judged|It is judged} by recorded flows: {legitimate|permitted} ones have to "
            "pass, {lookalikes|look-alikes} (a port {beside|off by one}, a neighbouring "
            "network) must not.",
            "{Traffic|Recorded traffic} is {run|replayed} against it: {letting in|admitting} "
            "too much is {as bad as|no better than} {stopping|dropping} what is allowed.",
            "{A simulator|Our simulator} sends {good|allowed} and {bad|forbidden} flows{, "
            "close to the edges of each statement|}, and {counts|tallies} mistakes {both "
            "ways|on either side}.",
            "{Flows|Connections} just {inside|within} and just outside {each|every} statement "
            "are {tried|tested}{, exceptions included|, also the exceptions}.",
            "{Too wide|A wide rule} {costs|loses} as much as too narrow: {permitted|good} and "
            "{forbidden|bad} flows are {counted|weighed} alike.",
        ),
        role="output",
        brief="Allowed and forbidden flows close to the edges are tried.",
    )
