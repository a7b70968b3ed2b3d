"""Words of the converge family, and the head of its description of a host."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause

PREAMBLE = """\
# Desired state

Paths are below the root of a host. The points do not depend on each other's order. Directories on
the way to an entry may be missing; make them. Account files, environment and profile are plain
text: edit them as such. All that is not said here stays as it is: lines and their order, files,
links, modes.

"""


def clauses(
    script: str, desired: str, host: str, *, drill: tuple[str, str], report: str
) -> tuple[Clause, ...]:
    """Return the script's task, its call, and its tests."""
    reported = {"": (), "status": (_status(),), "word": (_word(),)}[report]
    return (
        _goal(script, desired),
        _call(script),
        _settled(),
        *reported,
        _host(host),
        _drill(*drill),
        _keep(desired),
    )


def _goal(script: str, desired: str) -> Clause:
    return Clause(
        "goal",
        (
            "{Write|Create} {script}, one idempotent {bash|Bash} script that {brings|takes} any of "
            "our hosts into the state that {desired} {describes|asks for}.",
            "Our hosts have {drifted|come apart}. {Put|Write} the provisioning into one Bash "
            "script, {script}, that {converges|moves} each of them {to|towards} the state in "
            "{desired}{, wherever it starts|}.",
            "{desired} {says|describes} what a host {should|has to} look like. {script} {should|is "
            "to} be the Bash script that {makes|gets} it so, {from any starting point|however far "
            "it is}.",
            "{We|The team} set up hosts by hand {so far|until now}; {replace|end} that with "
            "{script}, a Bash script that {makes|turns} a host into what {desired} {says|wants}, "
            "{and can be run at any time|again and again}.",
            "{Half|Some} of the hosts {are|were} provisioned {halfway|only in part}, others were "
            "edited {since|later}. {script}, in Bash, {must|should} bring {all|each} of them to "
            "what {desired} {demands|lists}.",
            "{Please automate|Automate} {desired}: a Bash script {script} {that|which} finds a "
            "host in {any|whatever} state and leaves it {as described|as it should be}.",
        ),
        facts={"script": script, "desired": desired},
        role="goal",
        brief="Write the idempotent Bash script {script} that brings a host into the state of "
        "{desired}.",
    )


def _call(script: str) -> Clause:
    return Clause(
        "call",
        (
            "It {is called|gets called} as {call}, ROOT being the directory that {holds|contains} "
            "the {tree|files} of {a|one} host; {no root rights|an ordinary user} {are|is} needed.",
            "{Call|Invocation}: {call}. ROOT is {where|the directory in which} a host's tree "
            "{lies|is}{, and the script runs as an ordinary user|; it does not run as root}.",
            "The {only|one} argument is the {top|root} directory of a host's tree, {as in|so} "
            "{call}; {assume|count on} no root {rights|privileges}.",
            "{We run|One runs} {call} {as an ordinary user|without being root}, {with ROOT|ROOT "
            "standing for} the directory of a host's tree{, the machine itself is none of its "
            "business|}.",
            "Hosts are {trees|directories}, so it {takes|is given} the {top|root} of one: {call}. "
            "It {does not run|must work without running} as root.",
            "{Take|Read} the directory {with|of} a host's tree from the first argument: {call} "
            "{is the whole call|is all there is}, {and the user is an ordinary one|by an ordinary "
            "user}.",
        ),
        facts={"call": f"`bash {script} ROOT`"},
        role="input",
        brief="It runs as {call}, without root rights; ROOT is the directory of a host's tree.",
    )


def _settled() -> Clause:
    return Clause(
        "settled",
        (
            "On a host that is as described it {writes|touches} nothing: no file or link is "
            "{written|made} {anew|again}, not even with the same content.",
            "A second run {changes|writes} nothing{ at all|}: {rewriting|replacing} a file or link "
            "with {the same content|what it had} counts as a change.",
            "{Run again|On a second run}, it must leave every file and link {alone|untouched}; "
            "{equal content|the same content} written {once more|anew} is a {change|write} too.",
            "{What|Whatever} is right already is not {written|made} again, {be it|whether} a file "
            "or a link: {inode and time|its inode and its time} {stay|must stay}.",
            "Where there is nothing to do, it {does|writes} nothing: files and links keep {inode "
            "and time|inode and date}{, not just their content|}.",
            "Idempotent {means|is meant} strictly here: {the second|a second} run {writes|makes} "
            "no file {and|or} no link, not even an identical one.",
        ),
        role="rule",
        brief="A second run writes no file or link, not even with the same content.",
    )


def _status() -> Clause:
    return Clause(
        "report",
        (
            "{Exit status|The exit status} {two} {tells|says} that it changed something, {zero} "
            "that there was nothing to do.",
            "{End|Exit} with {zero} {where|if} nothing had to change and with {two} {where|if} "
            "something did.",
            "The exit status {is|has to be} {two} after changes and {zero} {without|after none}.",
            "{Our scheduler|The scheduler} reads the exit status: {two} {for|means} a changed "
            "host, {zero} {for|means} one that was {fine|in order}.",
            "{It exits|It ends} {with|on} {zero} when the host was {right|fine} already, with "
            "{two} when it {had to change|changed} anything.",
            "{Nothing to do|No change} is exit status {zero}, {any change|a change} is {two}.",
        ),
        facts={"two": "2", "zero": "0"},
        role="format",
        brief="Exit with {two} after a change, {zero} after none.",
    )


def _word() -> Clause:
    return Clause(
        "report",
        (
            "{All|The only thing} it prints {on standard output|to standard output} is one word: "
            "{yes} if it changed {anything|something}, {no} if not.",
            "{Standard output|On standard output it} {gets|has} one line, {yes} or {no}, "
            "{whichever|as} {is true|was the case}.",
            "{Our scheduler|The scheduler} reads one word from standard output: {yes} after "
            "{any|a} change, {no} {after none|otherwise}.",
            "{Print|Say} {yes} {after|for} a run that changed something and {no} {after|for} one "
            "that did not, {nothing else|nothing more} on standard output.",
            "{Report|Tell} {by|in} a single word on standard output: {no} when there was nothing "
            "to do, {else|otherwise} {yes}.",
            "The {output|whole output} is {yes} or {no}, on standard output: {did|whether} this "
            "run {change|changed} the host{ or not|}.",
        ),
        facts={"yes": "`changed`", "no": "`unchanged`"},
        role="format",
        brief="It prints {yes} or {no}, nothing else.",
    )


def _host(host: str) -> Clause:
    return Clause(
        "host",
        (
            "{host} is {such a tree|one host}: {run|use} the script {on it|there} {as well|too}, "
            "{and leave it converged|so that it ends up as described}.",
            "{Converge|Bring} {host} {with it|by it}{ right away|}: that is {one of the hosts|one "
            "host} {as we found it|in its present state}.",
            "{Then|When it works,} {apply|run} it {to|on} {host}, {a host|the tree of a host} "
            "{that is due|that waits for it}.",
            "{One|The first} host {waits|is} in {host}; {it has to|that one must} be in the "
            "desired state {when you are done|at the end}.",
            "{We also want|Also needed:} {host} {converged|in the desired state}; it is "
            "the {tree|files} of {a|one} real host.",
            "{Start|Begin} with the host {in|under} {host}: {at the end|afterwards} it must be "
            "as {described|desired}.",
        ),
        facts={"host": host},
        role="output",
        brief="Run it on {host}, which must end up as described.",
    )


def _drill(drill: str, states: str) -> Clause:
    return Clause(
        "drill",
        (
            "{We|Later we} {try|test} it on other hosts with {drill}, which {tells|says} what "
            "{each|every} run {wrote|changed}; {states} {is|has} an example of its input.",
            "{drill} {lays out|builds} hosts, runs the script {twice|two times} and reports; "
            "{feed|give} it {states}, {as|like} we will with {states of ours|hosts of our own}.",
            "{To try|For trying} it, {there is|use} {drill}: {it takes|its input is} hosts like "
            "those in {states}. {We|The acceptance test} will use others.",
            "The {acceptance|final} test is {drill} on hosts {you have not seen|that are not "
            "here}; {states} {shows|has} what {its|the} input looks like.",
            "{Later|Afterwards} {drill} tries it on hosts in {other|all kinds of} states; {a trial|"
            "an attempt} {of yours|here} can use {states} {as input|for input}.",
            "{You can rehearse|Rehearse} with {drill} {and|on} {states}; {we accept|acceptance} "
            "{the script by|is by} the same drill on {further|more} hosts.",
        ),
        facts={"drill": drill, "states": states},
        role="input",
        brief="It is tried by {drill} on other hosts; {states} is an example.",
    )


def _keep(desired: str) -> Clause:
    return Clause(
        "keep",
        (
            "{desired} {itself|} {stays|remains} as it is{, and so does the drill|, like the "
            "drill}.",
            "{Do not edit|Never edit} {desired} or the drill.",
            "{Change|Edit} neither {desired} nor the {drill|drill itself}.",
            "The drill and {desired} {are|stay} {fixed|as found}{; only the script is yours|}.",
            "{Hands off|Keep off} {desired} and the drill{, please|}{: they are checked|}.",
            "{Leave|Keep} {desired} and the drill {as they are|unchanged}.",
        ),
        facts={"desired": desired},
        role="constraint",
        brief="Leave {desired} and the drill as they are.",
    )
