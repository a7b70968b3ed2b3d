"""What the quality gate's instruction says."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause

WANTED = (
    (
        "{prefix} {and|with|plus} {exactly|just} {digits} digits",
        "{prefix} {followed by|and then|and, after it,} {exactly {digits} digits|{digits} digits, "
        "no more and no fewer|{digits} digits and no more}",
    ),
    (
        "{{one}, {two} or {three}|{three}, {one} or {two}|{two}, {three} or {one}}",
        "{one of|one among} {{one}, {two} and {three}|{two}, {one} and {three}|{three}, {two} and "
        "{one}}",
    ),
    (
        "{fields} {words in small letters|lower-case words|words in lower case}{, only a to z,| "
        "(a-z only)|} with {a comma|one comma} between two of them",
        "{fields} {small-letter|lower-case} {words (a-z)|words, a to z only,} {joined|connected} "
        "by {single commas|one comma each}{ without blanks|}",
        "{exactly |}{fields} {comma-separated|comma-divided} {words of lower-case letters|words of "
        "the letters a to z|words, all in lower case}{, without blanks|}",
    ),
)
"""Ways to say what every line is, by kind of rule."""
_SHORT = (
    "{Write|Make} {kind}, {program}, that {reads|takes} {lines|its lines} from standard input and "
    "{exits|ends} with {yes} {if|when} {every line|each of them} is {wanted}, with {no} "
    "{otherwise|if not}.",
    "{We need|{place} wants|{person2} asks for} {a check|a gate}, {kind}, at {program}: {lines "
    "come|it gets lines} on standard input, exit status {yes} {if|when} {each of them|every one} "
    "is {wanted}, {no} {otherwise|if not}.",
    "{program} should {be|become} {kind} that {accepts|lets in} (exit status {yes}) input of "
    "which {every line|each line} is {wanted} and {rejects|refuses} {the rest|any other} (exit "
    "status {no}).",
    "{Put|Place|Save} {kind} at {program}. It {exits|ends} with {yes} if {each|every} line of "
    "standard input is {wanted}; {a single other line|one line that is not} {makes|turns} that "
    "{no}.",
    "Is {every|each} line of standard input {wanted}? {program}, {kind} {to be written|you "
    "write}, {answers|says so} by its exit status: {yes} {for yes|if so}, {no} {for no|if not}.",
    "{A filter|A test|A check} is {missing|wanted|needed}: {kind}, {program}, exit status {yes} "
    "{as long as|provided that} each line {it reads|of standard input} is {wanted}, "
    "{else|otherwise} {no}.",
    "{Every|Each} line that {is piped into|reaches} {program} on standard input {has to|must} be "
    "{wanted}: {create|write} {it as|the program as} {kind} with exit status {yes} {for such "
    "input|if so}, {no} for {any other|all else}.",
    "Exit status {no} {means|says} that {some line|at least one line} of standard input {is not|"
    "fails to be} {wanted}, {yes} that {each|every one} is: {write|make} {program}, {kind}, "
    "{accordingly|to that effect|that exits so}.",
    "{{person2}|{org}} {takes|accepts} {a file|input} only if {every|each} line is {wanted}. "
    "{Let|Have} {program}, {kind}, {decide|judge} its standard input{ by that|}: {it exits with|"
    "exit status} {yes} {if it passes|for good input}, {no} {otherwise|for bad}.",
)
_SHORT_BRIEF = (
    "{Write|Create} {kind}, {program}: exit {yes} if {every|each} line of standard input is "
    "{wanted}, {else|otherwise} {no}.",
    "{program}, {kind}: {reads|takes} lines on standard input, exits with {yes} if {each|every "
    "one} is {wanted}, {no} {if not|otherwise}.",
    "{Test|Check} with {program}, {kind}, whether {every|each} line of standard input is "
    "{wanted}: exit {yes} if so, {no} {if not|else}.",
)
_LINES = (
    "{lines} {has|holds} {some|a few} lines {to try|of the kind that {arrive|come in}}, {good and "
    "bad|not all of them good}.",
    "{Good and bad|Fine and faulty} lines {from {place}|that came in lately} {are|lie} in {lines}"
    "{ for a trial|}.",
    "{For|As} {a trial|a first try}, {place} {left|has put} {real|genuine} input in {lines}, "
    "{faults|faulty lines} {included|and all}.",
    "{What {place} sends|What the gate will see} {looks|reads} like {lines}, {good|right} lines "
    "{among|next to} {bad|wrong} ones.",
    "{See|There is} {lines} for {a sample|some lines} of {the|what} {input|arrives}{, unchecked|}.",
    "{An unchecked|A raw} {sample|extract} of the {input|lines} is {at hand|there}: {lines}.",
)
_LINES_BRIEF = (
    "{lines} is {a raw|an unchecked} sample{ of input|}.",
    "{Sample|Raw} lines{, unchecked,|} are in {lines}.",
    "{Unchecked|Raw} input: {see |}{lines}.",
)


def short(kind: str, program: str, *, wanted: str, lines: str) -> tuple[Clause, ...]:
    """Return the clauses of a task with one rule."""
    facts = {"kind": kind, "program": program, "wanted": wanted, "yes": "0", "no": "1"}
    return (
        Clause("goal", _SHORT, facts=facts, role="goal", brief=_SHORT_BRIEF),
        Clause("lines", _LINES, facts={"lines": lines}, role="input", brief=_LINES_BRIEF),
    )


def goal(kind: str, program: str, sheet: str) -> Clause:
    """Return the wanted program, and its rules."""
    return Clause(
        "goal",
        (
            "{Write|Build} {kind} at {program} that {checks|validates} a table "
            "{by|against} the rules {in|of} {sheet}.",
            "Bad {rows|tables} keep {getting through|slipping in}: {put|we need} a "
            "gate, {kind}, at {program} that {applies|enforces} {sheet}.",
            "{sheet} {lists|holds} the rules for {our tables|a table}. {Turn|Make} "
            "{them|it} into {kind}, {program}.",
            "{program} should {be|become} {kind} that {accepts|lets through} a table "
            "only if {it|each row} {obeys|keeps} {sheet}.",
            "{What|Whatever} {sheet} {demands|asks} of a table {has to be|is to be} "
            "{enforced|checked} by {kind}, {program}.",
            "{We|Our people} check tables by hand against {sheet}; {automate|script} "
            "{that|the check} as {kind}, {program}.",
        ),
        facts={"kind": kind, "program": program, "sheet": sheet},
        role="goal",
        brief="Write {kind}, {program}, that checks tables by {sheet}.",
    )


def rest(sample: str, verdicts: str) -> tuple[Clause, ...]:
    """Return the interface and the example."""
    return (
        Clause(
            "table",
            (
                "The table {comes|arrives} on standard input: a {heading|header} line, "
                "which {no rule applies to|is not checked}, then {rows|one row a line} "
                "with {sep} between {fields|two fields} and {no quoting|without quotes}.",
                "Standard input {holds|carries} the table, {fields|cells} separated by "
                "{sep} and never quoted; {skip|do not check} its first line, the "
                "{heading|header}.",
                "{Read|Take} the table from standard input. {Its|The} first line is the "
                "{heading|header} and {exempt|not checked}; {below it|after that} "
                "{each|every} line is a row, {cells|fields} split {by|at} {sep}, "
                "{never|nowhere} quoted.",
                "{Rows|The rows} {come|arrive} one a line {on|by way of} standard input, "
                "{after|below} a {heading|header} {to which no rule applies|that is not "
                "checked}; {sep} {separates|divides} {fields|cells} and {quotes are not "
                "used|nothing is quoted}.",
                "{Unquoted fields|Fields, unquoted,} with {sep} between them {make|form} "
                "a row; rows {follow|come after} the {heading|header}, {itself never "
                "checked|which is never checked}, on standard input.",
                "{On|From} standard input {you get|comes} a {heading|header} that is "
                "{exempt|not checked}, {then|followed by} rows whose {fields|cells} are "
                "separated by {sep}, {without quotes|with no quoting} {at all|anywhere}.",
            ),
            facts={"sep": "`;`"},
            role="input",
            bullet=True,
        ),
        Clause(
            "first",
            (
                "{Try|Apply} the rules {to|on} a row in the order of the sheet; the "
                "first {one that|rule which} the row breaks {rejects it|is the reason to "
                "reject it}, and {later ones|the others} {are not tried|do not matter}.",
                "A row is {rejected|refused} for the first rule, in {sheet order|the "
                "order of the sheet}, that it {breaks|violates}; {what else is "
                "wrong|further faults} {does not matter|need no mention}.",
                "{Where|If} a row breaks {several|two or more} rules, {only|just} the "
                "one that {stands|comes} first {in|on} the sheet {counts|is named}{ as "
                "the reason|}.",
                "{Rule by rule|One rule after another}, {going down|in the order of} the "
                "sheet: {the|a} row is {rejected|refused} at the first {it "
                "breaks|violation}, and {no more|no other} is {looked at|reported}.",
                "{One|A single} reason {per|for each} rejected row {is enough|will do}: "
                "the {earliest|topmost} rule of the sheet {that|which} {it|the row} "
                "{breaks|violates}.",
                "{Stop|Be done} with a row at the first rule {of|on} the sheet, "
                "{top|going} down, {that|which} it {breaks|does not keep}: {that "
                "one|this} is the reason.",
            ),
            bullet=True,
        ),
        Clause(
            "lines",
            (
                "For {each|every} rejected row {print|write} {form} to standard output, "
                "{which is|meaning} its line number (the {heading|header} is line "
                "{one}), a blank and the {rule's name|name of the rule}.",
                "{Print|Report} rejected rows {in order|from top to bottom}, one a line, "
                "as {form}: the number of the line, {counting|where} the "
                "{heading|header} {as|is} line {one}, and the rule.",
                "{Standard output|The report} {gets|has} one line {per|for each} "
                "rejected row{, in their order|, top to bottom}: {as in|like} {form}, "
                "line number ({one} {for|being} the {heading|header}) and rule.",
                "{form} {is what|shows how} a rejected row {is reported|looks} on "
                "standard output: the line it is on, {with|where} the {heading|header} "
                "{as|is} {one}, {a blank|one blank} and the rule{'s name|}.",
                "{Rejected rows|Rows that fail} are {listed|printed} {one a line|a line "
                "each}, number and rule{ with a blank between|, a blank between them}, "
                "as {form}; {numbers|line numbers} {begin|start} with {one}, the "
                "{heading|header}.",
                "{Write|Give} the line number and the rule of {every|each} "
                "{rejected|refused} row, {separated by|with} a blank ({form}), {one a "
                "line|each on a line of its own}; {counting begins|we count} {at|from} "
                "{one} with the {heading|header}.",
            ),
            facts={"form": "`7 R2`", "one": "1"},
            role="format",
            bullet=True,
        ),
        Clause(
            "summary",
            (
                "{End|Finish} with {a line|one line} like {form}, and {exit with|let the "
                "exit status be} {yes} if no row was rejected, {no} {otherwise|if any "
                "was}.",
                "The last line {counts|sums up}, as in {form}; {the|its} exit status is "
                "{yes} {for a table without|when there are no} rejected rows and {no} "
                "{otherwise|for any other}.",
                "{Close|Conclude} the {report|output} with the {counts|totals}, {in the "
                "form of|like} {form}. {Exit status|The exit status}: {yes} {when|if} "
                "all rows {passed|are accepted}, {no} {when|if} not.",
                "{form} is {how|the way} the {last|final} line {reads|looks}, "
                "{with|holding} {the|your} counts; {exit|leave} with {no} {as soon "
                "as|if} a row was {rejected|refused}, {else|otherwise} with {yes}.",
                "{After|Below} the {rejected rows|list} {comes|goes} one {more|last} "
                "line, {form}, {with|in} the numbers {found|of this table}; {and|then} "
                "exit status {yes}, {or|but} {no} {if|when} {anything|a row} was "
                "rejected.",
                "{A|One} final line {totals|adds up} {both kinds|the rows} like {form}. "
                "{Without|With no} rejections the exit status is {yes}, {with any|else} "
                "{no}.",
            ),
            facts={"form": "`12 accepted, 3 rejected`", "yes": "0", "no": "1"},
            role="format",
            bullet=True,
        ),
        Clause(
            "sample",
            (
                "{sample} is {a small table|an example}, {report} what {has to|should} "
                "be printed for it.",
                "{For|To check} {yourself|your work}: {report} is the {output|report} "
                "{for|that belongs to} {sample}.",
                "{An example|One example} {is there|exists}: {sample} {in|goes in}, "
                "{report} {out|comes out}.",
                "{Given|Fed with} {sample}, the {program|gate} {has to|should} "
                "{print|write} {report}.",
                "{report} {shows|is} the {right|expected} {output|report} {on|for} "
                "{sample}{, a small table|}.",
                "{Compare|Check} {your output|what you print} for {sample} with {report}.",
            ),
            facts={"sample": sample, "report": verdicts},
            role="input",
        ),
        Clause(
            "other",
            (
                "{Leave|Keep} the {sheet|rule sheet} and the example as they are; {the "
                "gate|your gate} will {be run on|see} other tables, {all|each} in plain "
                "ASCII.",
                "{It|The gate} will be {tried on|run with} other tables, in plain ASCII, "
                "{so|and} {the sheet|the rules} and the example {stay|remain} as they "
                "are.",
                "{Other|Further} tables ({all|just} plain ASCII) {will be|are going to "
                "be} {fed to|put through} the gate; {do not change|keep} {rules|the "
                "sheet} and example{ as they are|, which stay as they are}.",
                "The {sheet|rule sheet} and the example {must not|may not} {change|be "
                "changed}. {We will|Someone will} {try|run} the gate on {more|other} "
                "tables, {plain ASCII all|in plain ASCII}.",
                "{Plain ASCII|ASCII} tables {that you have not seen|other than the "
                "example} will {come|be tried} {later|too}; {sheet|the rule sheet} and "
                "example are {not to be touched|to stay as they are}.",
                "{Expect|There will be} {new|other} tables, {though|but} only plain "
                "ASCII ones, and {leave|keep} the {sheet|rule sheet} and the example "
                "{unchanged|alone}.",
            ),
            role="constraint",
        ),
    )
