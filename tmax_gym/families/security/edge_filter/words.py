"""Words of the edge-filter family."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause


def goal(rules: str, policy: str) -> Clause:
    """Return what the rules should do."""
    return Clause(
        "goal",
        (
            "{Write|Compose|Draw up} the rules of our edge, {rules}, {so that it refuses|to refuse}"
            " {exactly|just|only} what {policy} {forbids|names|lists}.",
            "{policy} {says|lists|tells us} which requests {must not|may not} reach the "
            "{application|upstream}. {Express|Put|State} {that|this} in {rules}{, no more and no "
            "less|, neither more nor less|, nothing beyond it}.",
            "The edge {lets|still lets|so far lets} everything through: {rules} is {empty|an empty "
            "list|still empty}. {Fill it by|Make it follow|Bring it in line with} {policy}.",
            "{Enforce|Implement|Carry out} {policy} at the edge {by|through|with} {rules}; "
            "{honest|harmless|good} requests that {look alike|resemble those|look like them} must "
            "{pass|get through}.",
            "{An application|Software|A service} that trusts {everybody|anyone} {sits|runs} behind "
            "our edge. {rules} {has to|must|should} keep out what {policy} describes, and "
            "{only|nothing but|no more than} that.",
            "{From|As of} today {policy} {applies|is in force|holds}, and {rules} {should|is to|"
            "has to} make the edge {obey|follow} it {without|with no} harm to {honest|ordinary|"
            "good} traffic.",
            "{Refuse|Turn away|Block} at the edge, {by|through} {rules}, {whatever|all that|every "
            "request that} {policy} {describes|forbids}; {let the rest pass|wave the rest "
            "through|no others}.",
            "{What|All that} {is|gets} {refused|blocked|turned away} at our edge is {decided|"
            "settled} by {rules}, and {what|all that} should be {stands|is written|is laid down} "
            "in {policy}. {Make|Let} the rules {do|say} what the policy {asks|"
            "demands}.",
            "{The|Our} edge {needs|lacks|is without} rules: {derive|make|work out} {rules} "
            "from {policy}, {strict|tight} enough for {attacks|bad requests}, {loose|open} enough "
            "for {honest|good|ordinary} ones.",
            "{Nobody|No one} has {turned|made} {policy} into rules {yet|so far}. {Do so|Do it} in "
            "{rules}, {so that|until} {forbidden|such} requests, {and|but} no others, "
            "{stop|end|are "
            "refused} {there|at the edge}.",
        ),
        facts={"rules": rules, "policy": policy},
        role="goal",
        brief=(
            "Write {rules} so that the edge refuses what {policy} forbids and nothing else.",
            "{Enforce|Implement} {policy} in {rules}, {the rules of the edge|our edge's rules}; "
            "{refuse|block} nothing {else|beyond it}.",
            "{rules}: {have|make} the edge refuse {all|what} {policy} {names|forbids}, and {only|"
            "just} that.",
            "{Fill|Write} {rules}, the {edge rules|edge's rules}, {from|by} {policy}, {neither|no} "
            "stricter nor looser.",
        ),
    )


def language(manual: str, start: str, *, port: int) -> Clause:
    """Return where the rules are explained, and how the stack is started."""
    return Clause(
        "language",
        (
            "{manual} {explains|describes|is the manual of} the rules; {start} brings {the stack|"
            "everything|both services} up, {with the edge on|the edge listening at|the edge "
            "taking} port {port} of 127.0.0.1.",
            "{For|To find out} how a rule is {written|put|spelt} {see|read} {manual}. {Start|Run|"
            "Launch} the stack {with|by} {start}; the edge {answers|listens} on 127.0.0.1, port "
            "{port}.",
            "{Rules|The rules} are {described|explained|set out} in {manual}. To {try|test} them "
            "{run|use|start} {start} and {ask|send requests to|talk to} port {port} {on|of} "
            "127.0.0.1.",
            "{start} {starts|launches|brings up} edge and upstream (the edge {has|takes|gets} port "
            "{port} on 127.0.0.1), and {manual} {tells|says|shows} what a rule {can do|looks "
            "like|may hold}.",
            "Port {port} of 127.0.0.1 is the {edge|edge's} {once|as soon as|while} {start} "
            "{has started|is running|runs}; {what rules may say|the rule language|the form of "
            "rules} is {in|explained in|the subject of} {manual}.",
            "{Read|Consult|Go to} {manual} {for|about} the {form|syntax} of a rule. {start} "
            "{launches|runs|starts} both services, and port {port} (127.0.0.1) {belongs to|is} the "
            "edge.",
            "{After|Once you have run} {start} the {edge|whole stack} is {up|there}, {reached|to "
            "be reached|reachable} {at|through} 127.0.0.1, port {port}; {manual} {covers|has|"
            "documents} the rule {language|syntax}.",
            "{A rule|Every rule|Each rule} is {read|understood|taken} as {manual} {says|"
            "explains|has it}. {Services|Edge and upstream} {start|come up} {through|with} "
            "{start}, "
            "and {requests|tests} go to 127.0.0.1 at port {port}.",
            "{Requests|Trial requests} {go|may go} to port {port} {on|of} 127.0.0.1, {where the "
            "edge listens|which is the edge's} {once|when} {start} {runs|is up}; {how|the way} "
            "rules {work|are written} is {told|explained} in {manual}.",
        ),
        facts={"manual": manual, "start": start, "port": str(port)},
        role="input",
        brief=(
            "{manual} explains rules; {start} starts the stack, edge on 127.0.0.1:{port}.",
            "{Rule syntax|Form of rules|The rules}: {manual}; {start} {starts|launches} the stack, "
            "{edge|the edge} {at|on} port {port} of 127.0.0.1.",
            "{Run|Start} {start} and {ask|try} 127.0.0.1:{port}, the edge; rules {as in|are "
            "explained in} {manual}.",
            "{See|Read} {manual} for rules; the edge {has|takes} port {port} on 127.0.0.1 {after|"
            "once you run} {start}.",
        ),
    )


def keep() -> Clause:
    """Return what stays, and how the rules are tried."""
    return Clause(
        "keep",
        (
            "{Change|Edit|Touch} {nothing but|only|no file but} the rules: {scripts|programs|"
            "services}, manual and policy {stay|remain}. {Other|More|Further} requests than "
            "{you can see|those you see|yours} will be {sent|tried}.",
            "The services {themselves|as such} {are not|must not be|may not be} "
            "{touched|edited|altered}. We {send|try} requests of {both kinds|either kind}, "
            "{forbidden|bad} and {honest|good}, and {count|note|see} what {is|gets} refused.",
            "{Leave|Keep} all other files as they are; {the edge is tried|we try the edge|it is "
            "tried} with {attacks|forbidden requests|bad requests} and {with|also with} honest "
            "{ones|requests}.",
            "{Both|Two} mistakes count {alike|the same}: an attack {answered|let in|passed on} and "
            "an honest request {refused|turned away|blocked}. {No|Not one|Not a single} other file "
            "may {change|be changed}.",
            "{The result|What you write} is {judged|tested|measured} by {requests|traffic}, "
            "{forbidden|bad|hostile} and {honest|good} alike, with all files {but|except} the "
            "rules {as they are now|as they were|unchanged}.",
            "{No program|Nothing else} {here|in the stack} is yours to {alter|edit|change}, and "
            "{a rule|any rule} that {hits|blocks|catches} honest requests {costs|counts against "
            "you} as much as a {hole|gap|leak}.",
            "{Honest|Good} requests {refused|turned away} and {bad|forbidden} ones {let|waved} "
            "through {weigh|count|cost} the same; {beside|apart from} the rules{,|} {every|each} "
            "file {stays|remains} {as it is|the same}.",
            "{Upstream|Application}, edge, policy and manual are {given|fixed|not to be edited}: "
            "{the rules|rules alone|only the rules} {have to|must} {tell|separate} {attacks|bad "
            "requests} from {lookalikes|honest ones}{, also ones not shown here|, in requests "
            "yet unseen|}.",
            "{Unseen|New|Fresh} requests{, good and bad,|, honest and hostile,|} {will show|"
            "decide} how well the rules {fit|work|do}; {leave|keep} {everything else|"
            "every other file} {alone|as it is|untouched}.",
        ),
        role="constraint",
        brief=(
            "Change no other file; honest requests must pass.",
            "{Only|Nothing but} the rules may change; {honest|good} requests {have to|must} pass.",
            "{Leave|Keep} {all|the} other files{| as they are}; {unseen|other} requests, {good|"
            "honest} and {bad|forbidden}, are {tried|sent}.",
            "{Edit|Touch} {only the rules|the rules only}; {blocking|refusing} {honest|good} "
            "{requests|traffic} {costs|loses} as much as a {hole|gap}.",
        ),
    )
