"""What an instruction of the redactor family says."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause


def goal(policy: str, program: str, language: str) -> Clause:
    """Return the goal."""
    return Clause(
        "goal",
        (
            "Write {program}, a redactor in {language}: it {masks|hides} the personal identifiers "
            "{named|listed} in {policy} and {leaves|keeps} {everything|all} else.",
            "{Logs|Our logs} {leave|go out of} the house {soon|next week}. {Before that|First}, "
            "{program} ({language}) {has to|must} mask what {policy} {names|lists}.",
            "{policy} {says|lays down} which identifiers {must not|may not} be seen {outside|by "
            "others}. {Put|Cast} it into a {language} program, {program}.",
            "{program} should {become|be} a {language} filter that {applies|enforces} the "
            "redaction policy {in|of} {policy}.",
            "{The|Our} auditor wants {identifiers|personal data} gone from {exports|the logs} as "
            "{policy} {has it|demands}: {make|write} {program} in {language} {do that|do it}.",
            "{Implement|Carry out} {policy} as a program that masks: {program}, {written in|"
            "source in} {language}.",
        ),
        facts={"policy": policy, "program": program, "language": language},
        role="goal",
        brief="Write {program} ({language}), a redactor by {policy}.",
    )


def interface(sample: str, done: str) -> Clause:
    """Return input and output."""
    return Clause(
        "interface",
        (
            "Text {comes|arrives} on standard input and {leaves|goes out} masked on standard "
            "output; {sample} {turns into|becomes} {done}{, for one|}.",
            "It {copies|passes} standard input to standard output and masks {on the way|in "
            "passing}: {sample} is an input, {done} {its|the right} output.",
            "{done} is what {sample} {has to look|looks} like {afterwards|once masked}; input and "
            "output are standard input and {standard|standard} output.",
            "From standard input to standard output{, no arguments|, without arguments}; {check|"
            "try} it on {sample}, {for which|where} {done} is right.",
            "{Reading|It reads} standard input, {it prints|and prints} the same text with masks to "
            "standard output{, nothing more|}; see {sample} and {done}, {before and after|a pair}.",
            "{Take|Compare} {sample} and {done}: {this is|so look} one input on standard input and "
            "{the|its} output on standard output.",
        ),
        facts={"sample": sample, "done": done},
        role="input",
        brief="Standard input to standard output; {sample} becomes {done}.",
    )


def word() -> Clause:
    """Return the definition of a word."""
    return Clause(
        "word",
        (
            "A word is {a run|the longest run} of ASCII letters, digits and {marks}, less any "
            "{lead} {in front|at its start} and any {tail} {behind|at its end}; an identifier is "
            "{always|}a whole word.",
            "Only whole words {are|can be} identifiers, a word being {as many|all} ASCII letters, "
            "digits and {marks} as {follow one another|stand together}, without {lead} at the "
            "{front|start} or {tail} at the {back|end}.",
            "{Cut|Split} the text into runs of ASCII letters, digits and {marks}, drop {lead} "
            "from the {left|front} and {tail} from the {right|end} of each: what remains is a "
            "word, and {just|only} a word as a whole {is judged|counts}.",
            "{Judge|Look at} words as a whole: {maximal|longest} runs of ASCII letters, digits and "
            "{marks}, of which {lead} at the {beginning|start} and {tail} at the end are no part.",
            "{Everything|All} but ASCII letters, digits and {marks} {separates|divides} words; "
            "{lead} {before|at the start of} a word and {tail} {after|at the end of} it do not "
            "belong to it, and an identifier {fills|is} a {whole|complete} word.",
            "What may be an identifier is a word, {and nothing less|never a piece of one}: ASCII "
            "letters, digits and {marks} in a row, {minus|less} leading {lead} and trailing "
            "{tail}.",
        ),
        facts={"marks": "`@ . _ + -`", "lead": "`. _ -`", "tail": "`. _ - +`"},
        brief="Words: runs of ASCII letters, digits and {marks}, less {lead} in front and {tail} "
        "behind; only whole words are identifiers.",
    )


def rest() -> Clause:
    """Return what stays."""
    return Clause(
        "rest",
        (
            "{Everything else|All else} {comes out|stays} {byte for byte|to the byte}: {bytes|"
            "also} beyond ASCII, carriage returns, a {missing|lacking} final newline.",
            "Not a byte of {the rest|anything else} may change, be it {invalid UTF-8|no UTF-8}, a "
            "carriage return or {a final newline that is not there|the lack of a last newline}.",
            "{Look-alikes|What only looks like one} and all other bytes {stay|remain} as they "
            "are, {line ends|ends of lines} and broken UTF-8 included.",
            "{Do not|Never} touch {other bytes|what is left}: carriage returns, invalid UTF-8 and "
            "{an unfinished last line|a last line without its newline} {pass|go} through.",
            "{Leave|Keep} {the remaining|all other} bytes alone, whatever they are ({tabs|"
            "accents}, carriage returns, bytes that are no UTF-8), and add none {at the end|"
            "behind the last line}.",
            "{The text around|What surrounds} identifiers {survives|is kept} exactly, {odd bytes|"
            "whatever bytes it has} and a {missing|lacking} newline at the end {included|too}.",
        ),
        role="constraint",
    )


def judged() -> Clause:
    """Return how it is tested."""
    return Clause(
        "judged",
        (
            "{It is|You are} {graded|judged} on {hidden|unseen} logs, by the share of lines "
            "masked rightly and the share of {harmless|innocent} lines left alone.",
            "{Unseen|Other} texts decide: lines with identifiers must {come out|be} exactly right, "
            "lines with {look-alikes|decoys} {unchanged|as they were}.",
            "{Hidden|Further} lines count {two ways|on two sides}: {missing|a missed} identifier "
            "is as bad as {masking|hiding} what is {none|not one}.",
            "Both kinds of mistake {cost|weigh} the same on {unseen|hidden} lines: {letting|"
            "to let} an identifier {through|slip} and {masking|to mask} a look-alike.",
            "{Masking|Hiding} too much {costs|loses} as much as {masking|hiding} too little, on "
            "{logs|texts} {nobody has shown you|you have not seen}.",
            "{What counts|Counted} on {other|unseen} logs is both {the lines|those} with "
            "identifiers and {those|the lines} that {only seem|seem} to have some.",
        ),
        role="constraint",
        brief="Unseen lines count on both sides, masked and left alone.",
    )
