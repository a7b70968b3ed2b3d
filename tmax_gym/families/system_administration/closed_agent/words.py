"""Words of the closed-agent family."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause


def clauses(binary: str, wanted: str, config: str, *, limit: int) -> tuple[Clause, ...]:
    """Return the behaviour of the agent, and the goal."""
    return (
        Clause(
            "goal",
            (
                "{Write|Prepare} {config} for the monitoring agent {binary}: the settings of "
                "{wanted}, in that order, each with {a seal|the seal} that the agent accepts.",
                "The agent {binary} {ignores|rejects} {wanted} because {nothing|no line} there "
                "is sealed. {Make|Produce} {config} with the same lines, {sealed|each sealed}, "
                "in {the same|their} order.",
                "{wanted} {lists|holds} the settings we want; {binary} {only takes|takes only} "
                "sealed ones. {Seal|Provide a seal for} each and {save|store} them, in order, "
                "as {config}.",
                "Whoever {sold|sent} us {binary} {no longer seals|will not seal} settings for "
                "us. {Find|Work out} the seals for {wanted} and {write|put} the result {to|in} "
                "{config}, line by line.",
                "We {roll out|deploy} {binary} with {config}, which {does not exist|is "
                "missing}: {every|each} setting of {wanted}, {sealed|with its seal}, order kept.",
                "{config} should {contain|hold} {wanted} line by line, {and|but} with a seal "
                "{behind|after} every setting {such that|so that} {binary} is "
                "{content|satisfied}.",
            ),
            facts={"binary": binary, "wanted": wanted, "config": config},
            role="goal",
            brief=(
                "Write {config}: every setting of {wanted}, in order, with a seal that "
                "{binary} accepts."
            ),
        ),
        Clause(
            "form",
            (
                "A sealed line {looks like|is} {form}; the seal is a whole number {from 0|of "
                "at least 0} and below {limit}.",
                "{Put|Write} {form} on each line, {with|where the seal is} an integer {from 0 "
                "up|of 0 or more}, less than {limit}.",
                "{Seals|The seals} are {whole numbers|integers} under {limit}, {zero "
                "included|0 included}, {appended|added} as in {form}.",
                "{form} is the {form|shape} of a line, {seals|its seal} being one of the "
                "numbers 0, 1, 2 and so on{,| but} below {limit}.",
                "{Lines|The lines} {have the form|read} {form}. {No seal|None of the seals} "
                "reaches {limit}; {they start|counting starts} at 0.",
                "{After|Behind} the setting {comes|goes} a semicolon and the seal, {form}: {a "
                "number|some number} {smaller|lower} than {limit}{, possibly 0|}.",
            ),
            facts={"form": "`key=value;seal`", "limit": str(limit)},
            role="format",
            brief="Lines are {form}, the seal a whole number from 0 and below {limit}.",
        ),
        Clause(
            "ask",
            (
                "The agent reads {such|sealed} lines from standard input and {answers|says} "
                "{ok} or {bad} to each{, a line each|}. {How|The way} it {checks|decides} is "
                "not documented.",
                "{Feed|Give} it lines on standard input: for {each|every one} it prints {ok} "
                "or {bad}. {There is no|Do not look for} documentation of the seal.",
                "{Undocumented|Nobody knows}: how a seal is {made|computed}. But the binary "
                "{judges|tells}, line by line from standard input, {ok} or {bad}.",
                "{From|Out of} standard input the agent {takes|reads} {lines|one line after "
                "another} and prints {ok} or {bad} for each; {nothing more is known|that is "
                "all we know}.",
                "{Nothing|No word} is {written|known} about the seal; {ask|question} the "
                "agent, a filter that {replies|answers} {ok} or {bad} to {every|each} line.",
                "{Its|The agent's} only {interface|way to speak} is {a line|one line} per "
                "input line, {ok} or {bad}; the {rule|algorithm} is closed.",
            ),
            facts={"ok": "`accepted`", "bad": "`refused`"},
            role="input",
            brief="The agent answers each line on standard input with {ok} or {bad}.",
        ),
        Clause(
            "keep",
            (
                "{Leave|Keep} the agent and the list of settings {as they are|unchanged}.",
                "{The binary|The agent} and the settings file {stay|remain} as {they are|found}.",
                "{Patching|To patch} the binary is {no solution|out of the question}, and the "
                "list of settings {stays|is fixed}.",
                "{No|Make no} edits to the binary or {to|in} the list of settings{, please|}.",
                "{Both|The two} input files{, agent and settings,|, binary and list,} {are "
                "read-only|stay untouched}.",
                "{Do not touch|Never modify} the {agent|binary} itself or the {list|settings} "
                "{we want|wanted}.",
            ),
            role="constraint",
            brief="Change neither the agent nor the settings.",
        ),
    )
