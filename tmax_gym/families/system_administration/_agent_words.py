"""Words of the closed-agent family."""

from __future__ import annotations

from tmax_gym.words.clauses import Clause


def clauses(binary: str, wanted: str, config: str, *, limit: int) -> tuple[Clause, ...]:
    """Return what the agent does and what is wanted."""
    return (_goal(binary, wanted, config), _form(limit), _ask(), _keep())


def _goal(binary: str, wanted: str, config: str) -> Clause:
    return Clause(
        "goal",
        (
            "{Write|Prepare|Produce} {config} for the monitoring agent {binary}: {the settings|"
            "all settings|every setting} of {wanted}, in that order, each with {a seal|the seal} "
            "{that the agent|the agent|which the agent} {accepts|takes}.",
            "The {agent|monitoring agent} {binary} {ignores|rejects|refuses} {wanted} because "
            "{nothing|no line} there is sealed. {Make|Produce|Write} {config} with the same lines, "
            "{sealed|each sealed|all sealed}, in {the same|their|unchanged} order.",
            "{wanted} {lists|holds|names} the settings we want; {binary} {only takes|takes only|"
            "wants} sealed ones. {Seal|Provide a seal for|Find a seal for} each and {save|store|"
            "put} them, in order, {as|in} {config}.",
            "Whoever {sold|sent|left} us {binary} {no longer seals|will not seal|has stopped "
            "sealing} settings for us. {Find|Work out|Get} the seals for {wanted} and {write|put} "
            "{the result|sealed settings} into {config}, line by line.",
            "We {roll out|deploy|start} {binary} with {config}, which {does not exist|is missing|"
            "is still to be made}: {every|each} setting of {wanted}, {sealed|with its seal|plus "
            "its seal}, {order kept|in the order given|the order unchanged}.",
            "{config} {should|is to|has to} {contain|hold|repeat} {wanted} line by line, {and|but} "
            "with a seal {behind|after|added to} every setting {such that|so that} {binary} is "
            "{content|satisfied}.",
            "{Without|Lacking} a {right|valid|proper} seal no {line|setting} gets past {binary}. "
            "{Add|Supply} {one|the seal} to {each|every} line of {wanted}, and {leave|store} "
            "{the lines|them}, {still|all} in their order, {in|as} {config}.",
            "{From|Out of} {wanted} {make|derive|build} {config}, the {file|settings} that "
            "{the agent|our agent} {binary} {will run with|can load|starts with}: {same|equal} "
            "lines{,| in the} same order, {a fitting seal|a seal it accepts} on {each|every one}.",
            "{Seal|Put seals on} {all|every one} of the settings in {wanted} {so that|until} "
            "{binary} {accepts|takes} {them|each line}; the {sealed|finished} lines {belong|go}, "
            "{in the order of the list|order as listed|in the list's order}, {in|into} {config}.",
            "{Our|The} agent, {binary}, {is to run|has to work|should run} {with|under} {the "
            "settings|what is} in {wanted}. {It wants|It asks for|Needed is} {a seal|one seal} "
            "{per|on each} line: {hand in|deliver} {config}, {sealed|with seals} and in {the same|"
            "that} order.",
        ),
        facts={"binary": binary, "wanted": wanted, "config": config},
        role="goal",
        brief=(
            "Write {config}: every setting of {wanted}, in order, with a seal that {binary} "
            "accepts.",
            "{Seal|Find seals for} the {lines|settings} of {wanted} {so that|until} {binary} "
            "{accepts|takes} them; {store|put} them, in order, in {config}.",
            "{config}: the {lines|settings} of {wanted} in order, {each|every one} with a seal "
            "{valid for|that suits|accepted by} {binary}.",
            "{Make|Produce} {config} {from|out of} {wanted}, order kept, {a seal on each line|each "
            "line sealed}, so that {binary} {accepts|takes} {it|all}.",
        ),
    )


def _form(limit: int) -> Clause:
    return Clause(
        "form",
        (
            "A {sealed line|line with its seal} {looks like|is|has the form} {form}; {seals|the "
            "seals} are whole numbers {from 0|of at least 0}{,| and} below {limit}.",
            "{Put|Write|Give} {form} on each line, {where the seal is|the seal being|its seal "
            "being} an "
            "integer {from 0 up|of 0 or more|not below 0}{,| and} less than {limit}.",
            "{Seals|The seals|All seals} are {whole numbers|integers} {under|below|smaller than} "
            "{limit}, {zero included|0 included|0 being possible}, {appended|added|put} as in "
            "{form}.",
            "{form} is the {pattern|shape|look} of a {line|sealed line}, its seal being "
            "one of the numbers 0, 1, 2 and so on{,| but} {below|under} {limit}.",
            "{Lines|The lines|Sealed lines} {have the form|read|look like} {form}. {No seal|None "
            "of the seals} {reaches|is as large as} {limit}; {they start|counting starts} "
            "at 0.",
            "{After|Behind} {the|each|every} setting {comes|goes|stands} a semicolon and the seal, "
            "{form}: {a number|some number|an integer} {smaller|lower|less} than {limit}{, "
            "possibly 0|, never negative|, at least 0}.",
            "{Each|Every|A} seal {lies|is} {between 0 and {limit}, the latter excluded|in the "
            "range "
            "from 0 up to but not including {limit}|an integer from 0 to just below {limit}}, and "
            "{completes|ends} {a|its} line as in {form}.",
            "{With|Counting} 0 {as the least|as the first} and {limit} {as the first too large|"
            "already too much}, {integers|whole numbers} serve as seals; {write|put} them "
            "{behind|after} a semicolon: {form}.",
            "{One|A} line {per|for each} setting, {form}; {all|the} seals {to try|in question} are "
            "{numbers|integers} {from 0 upwards|starting with 0} that {stay|are} {below|under} "
            "{limit}.",
        ),
        facts={"form": "`key=value;seal`", "limit": str(limit)},
        role="format",
        brief=(
            "Lines are {form}, {seals|the seals} whole numbers from 0 and below {limit}.",
            "{Form|Format}: {form}, {where|in which} 0 is the {least|smallest} seal and all are "
            "{below|under} {limit}.",
            "{Write|Put} {lines|each line} as {form}; {its|the} seal: an integer, {0 or more|at "
            "least 0}, {below|under|less than} {limit}.",
            "{Seals|All seals} are integers {below|under} {limit}, 0 {included|allowed}; "
            "{lines|a line}: {form}.",
        ),
    )


def _ask() -> Clause:
    return Clause(
        "ask",
        (
            "The agent {reads|takes} {such|sealed} lines from standard input and {answers|says|"
            "replies} {ok} or {bad} to each{, a line each|, line by line|}. {How|The way} it "
            "{checks|decides|judges} is {not documented|nowhere written}.",
            "{Feed|Give|Send} the agent lines on standard input: for {each|every one} it prints "
            "{{ok} or {bad}|{bad} or {ok}}. {There is no|Do not look for|We have no} "
            "{documentation|description} of the seal.",
            "{Undocumented|Nobody knows|Not written anywhere}: how a seal is {made|computed|"
            "derived}. But the binary {judges|tells|says}, line by line from standard input, "
            "{{ok} or {bad}|{bad} or {ok}}.",
            "{From|Out of} standard input the agent {takes|reads|picks} {lines|one line after "
            "another} and prints {ok} or {bad} for each; {nothing more is known|that is all we "
            "know|we know no more}.",
            "{Nothing|No word} is {written|known|said} about {how seals are made|the seal|the "
            "making of seals}; {ask|question|try} the agent, a filter {that replies|which "
            "answers} {{ok} or {bad}|{bad} or {ok}} to {every|each} line.",
            "The agent's only {interface|way to speak|form of speech} is {a line|one line} per "
            "input line, {ok} or {bad}; {how it decides|its rule|the algorithm} is {kept "
            "secret|unknown}.",
            "{{ok} and {bad}|{bad} and {ok}} are {the two answers|all the answers|the only "
            "words} {of the agent|the agent has}, one {for|to} {each|every} line on standard "
            "input; {its reasons|the reasons} {it keeps to itself|stay inside}.",
            "{Seals|The seals} {come|are computed} by {a rule|some rule} that {only the binary "
            "knows|is inside the binary|nobody wrote down}; the binary reads {lines|sealed "
            "lines} on standard input {and says|saying} {ok} or {bad} {to|of} each.",
        ),
        facts={"ok": "`accepted`", "bad": "`refused`"},
        role="input",
        brief=(
            "The agent answers each line on standard input with {ok} or {bad}.",
            "{For|To} {each|every} line {on|from} standard input the agent {prints|says} {{ok} or "
            "{bad}|{bad} or {ok}}.",
            "{Ask|Question} the agent: {lines|sealed lines} on standard input, {ok} or {bad} "
            "{for|to} {each|every one}.",
        ),
    )


def _keep() -> Clause:
    return Clause(
        "keep",
        (
            "{Leave|Keep} the {agent|binary} and the list of {settings|settings we want} {as they "
            "are|unchanged|alone}.",
            "{The binary|The agent} and the {settings file|file of settings} {stay|remain} as "
            "{they are|found|you found them}.",
            "{Patching|To patch|Editing} the {binary|agent} is {no solution|out of the question|"
            "not allowed}, and the list of {settings|wanted settings} {stays|is fixed|remains}.",
            "{No|Make no} edits to the {binary|agent} or {to|in} the {list of settings|settings "
            "list|file of settings}{, please|}.",
            "{Both|The two} input files{, agent and settings,|, binary and list,|} {are read-only|"
            "stay untouched|must not change}.",
            "{Do not touch|Never modify|Never change} the {agent|binary} {itself|as such} or the "
            "{list|settings} {we want|wanted|given}.",
            "{What was given|All that was given}, {agent|binary} and {settings|list}, {must not|"
            "may not} {change|be changed|be edited}.",
        ),
        role="constraint",
        brief=(
            "Change neither the agent nor the settings.",
            "{Agent|Binary} and {settings list|list} {stay|remain} {as they are|the same}.",
            "{Do not|Never} {edit|patch} the {agent|binary} or the {list|settings list}.",
        ),
    )
