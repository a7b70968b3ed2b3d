"""Words of the form-batch family."""

from __future__ import annotations

from tmax_gym.words.clauses import Clause

HEADER = ("form", "number", "amount", "state")


def short(form: str, target: str) -> Clause:
    """Return the task of one form."""
    return Clause(
        "goal",
        (
            "{Read|Decode} the number on the scanned form {form} and {write|put} its four "
            "digits {in|into} {target}.",
            "{form} is a {scanned|filled-in} form. {Which number|What number} does it "
            "{carry|have}? {Answer|The answer goes} in {target}, four digits.",
            "{target} should {hold|contain} the four digits of the number that is "
            "{marked|filled in} on {form}.",
            "The {scan|picture} {form} has boxes {filled|blackened}; {save|store} its number "
            "(four digits) {as|in} {target}.",
            "{Extract|Get} the number, four digits, from the {marks|boxes} on {form}; "
            "{write|save} it to {target}.",
            "{We need|Please give} the number {of|on} the form {form} in {target}{, as four "
            "digits|, all four digits}.",
        ),
        facts={"form": form, "target": target},
        role="goal",
        brief="Write the four-digit number on the form {form} to {target}.",
    )


def goal(folder: str, target: str) -> Clause:
    """Return the task of a batch."""
    return Clause(
        "goal",
        (
            "{Read|Evaluate} the scanned forms in {folder} {into|and make} a table, {target}.",
            "A {batch|stack} of forms was scanned to {folder}. {Enter|Put} what {they say|is "
            "marked on them} {in|into} {target}.",
            "{target} should {list|have} every form of {folder} with what is {marked|filled "
            "in} on it.",
            "{Nobody wants|No one has time} to type the forms in {folder}; {turn|convert} the "
            "pictures into {target}.",
            "{Take|Get} the data off the scans in {folder} and {save|write} {the table|all of "
            "it} as {target}.",
            "The {paper|pen-and-paper} part of the {survey|count} is in {folder}, {as "
            "pictures|scanned}: {make|build} {target} from it.",
        ),
        facts={"folder": folder, "target": target},
        role="goal",
        brief="Read the scanned forms in {folder} into {target}.",
    )


def boxes(left: int, top: int, pitch: int) -> Clause:
    """Return where the boxes lie."""
    return Clause(
        "boxes",
        (
            "A form has {rows} rows of ten boxes, for the digits 0 to 9 {from left to "
            "right|rightwards}; {centres|box centres} are at {x} and {y} (row and digit from "
            "0, pixels {from|counted from} the upper left), and a {filled|marked} box is black "
            "{there|in its centre}.",
            "{Look|Sample} at {x}, {y} for {each|every} row and digit (both from 0): black "
            "means {marked|filled}. There are {rows} rows{ of ten boxes|, ten boxes each}, 0 "
            "{leftmost|at the left}.",
            "{Boxes|The boxes} stand in {rows} rows, ten a row for 0 to 9; row and digit, "
            "{counted|both counted} from 0, put a box's centre at {x}, {y}. {Black|A black "
            "centre} is a mark.",
            "With row and digit {starting at|counted from} 0, the centre of a box is {x}, {y}{ "
            "in pixels|}; it is black {if|where} the box is filled. {Rows|The rows} number "
            "{rows}, {digits|boxes} ten.",
            "{Geometry|Layout}: {rows} rows, ten boxes {each|per row} (0 on the left), centres "
            "{x} and {y} for row and digit from 0; {filled|marked} ones have a black centre.",
            "{Find|Take} the pixel {x}, {y} of row and digit{, both zero-based|, each counted "
            "from 0}: black there {says|means} that the digit is marked in that row. {It has|A "
            "form has} {rows} rows.",
        ),
        facts={
            "rows": "7",
            "x": f"x = {left} + {pitch} * digit",
            "y": f"y = {top} + {pitch} * row",
        },
        role="input",
        brief="{rows} rows of boxes 0-9, centres at {x}, {y} (from 0), black if marked.",
    )


def rules() -> tuple[Clause, ...]:
    """Return what the rows mean and what the table looks like."""
    return (
        Clause(
            "meaning",
            (
                "{Rows|The rows} {are|show} the four digits of the number, two of the {amount, "
                "then|amount and} a check digit: {sum} {modulo|mod} 10, the position of a "
                "digit {being|counted "
                "as} 1 to 6.",
                "Four rows {give|are} the number, two the amount{ (tens first)|, tens first}, "
                "the last one the check digit, {which is|namely} {sum} modulo 10 with "
                "positions {from 1|starting at 1}.",
                "{From|Starting at} the top: number (four digits), amount (two), check digit. "
                "{The latter|It} {must be|equals} {sum} modulo 10, positions 1 to 6.",
                "The check digit {in the last row|at the bottom} is {sum}, positions {1 to "
                "6|from 1 to 6}, modulo 10; {above it|before it} come four digits of the "
                "number and two of the amount.",
                "{Number|The number} has rows one to four, the amount {rows five and six|the "
                "next two}; {in|of} the seventh stands {sum} modulo 10 {as|for} a check{, "
                "positions from 1|, counting positions from 1}.",
                "{Read|Take} four rows as the number, two as the amount, and {test|check} the "
                "seventh: {sum} (positions {1 to 6|1, 2 and so on}) modulo 10.",
            ),
            facts={"sum": "the sum of position times digit"},
            brief=(
                "Rows: four digits number, two amount, one check digit ({sum} from 1, modulo 10)."
            ),
        ),
        Clause(
            "states",
            (
                "A form {with|that has} a row without exactly one mark is {unreadable}: "
                "{leave|keep} number and amount empty. {Otherwise|Else} the state is {good} "
                "or, with a wrong check digit, {check}{, values kept|, with its values}.",
                "{State|The state}: {unreadable} (number and amount {empty|blank}) where {some "
                "row|a row} has no mark or {several|more than one}, {check} where the check "
                "digit {fails|is wrong}, else {good}.",
                "{good} if the check digit {holds|is right}, {check} if {not|it is wrong}; no "
                "mark or two {in a row|in any row} make it {unreadable}, {without|and then "
                "without} number and amount.",
                "{Mark|Call} forms {unreadable} {when|if} any row {lacks|does not have} "
                "exactly one mark and give {neither number nor amount|no number and no "
                "amount}; {the others|all others} are {good}, or {check} for a false check "
                "digit.",
                "Three states: {good}; {check}, the check digit {being wrong|does not fit} "
                "(values {stay|are given}); {unreadable}, a row {with|having} none or several "
                "marks ({values|both values} stay empty).",
                "{Rows|A row} with no or {two|several} marks: {unreadable}, {number and "
                "amount|both values} empty. {Check digit wrong|A wrong check digit}: {check}. "
                "{All well|Everything right}: {good}.",
            ),
            facts={"unreadable": "`unreadable`", "good": "`good`", "check": "`check`"},
            brief=(
                "State {unreadable} (values empty) unless every row has one mark, {check} for "
                "a wrong check digit, else {good}."
            ),
        ),
        Clause(
            "table",
            (
                "The table is CSV under {header}, {one line|a line} per file {by name|in order "
                "of names}, numbers {with|keeping} all four digits, amounts without a leading "
                "zero.",
                "{Write|Use} CSV, {header} first, file names {ascending|in order}; the number "
                "{keeps|has} its four digits, the amount is {an integer|a plain integer}.",
                "{Format|Form}: {header} and a CSV line {for each|per} file, {sorted by|by} "
                "file name, numbers as four digits, amounts {plain|as integers}.",
                "CSV {headed|beginning with} {header}; {files|forms} in the order of their "
                "names{, without directory|, names only}, number {in|with} four digits, amount "
                "{unpadded|without padding}.",
                "{Below|Under} {header} {goes|comes} one CSV line a file, {ordered|sorted} by "
                "its name; {four digits|always four digits} for the number, no leading zero "
                "for the amount.",
                "{Sort|Order} by file name, CSV with {header}: {bare|plain} file name, number "
                "(four digits), amount ({unpadded|no leading zeros}), state.",
            ),
            facts={"header": f"`{','.join(HEADER)}`"},
            role="format",
            brief="CSV with {header}, by file name, number four digits, amount plain.",
        ),
    )
