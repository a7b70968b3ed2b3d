"""Words of the form-batch family."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause

HEADER = ("form", "number", "amount", "state")


_BOXES = (
    "{A|Every|The} form has {rows} {rows|lines} of {ten|10} boxes{, for the digits|, one each for} "
    "0 to 9 {from left to right|rightwards}; {centres|box centres|their centres} {are|lie} at {x} "
    "{and|,} {y} ({row and digit|digit and row} from 0, pixels {from|counted from} the upper "
    "left), and a {filled|marked} {box|one} is black {there|in its centre|in the middle}.",
    "{Look|Sample|Test the pixel} at {x}{, | and }{y} for {each|any} {row and digit|digit and row} "
    "(both from 0): {black|a black one} means {marked|filled}. {There are {rows} rows|The form has "
    "{rows} rows}{ of ten boxes|, ten boxes each}, {0 {leftmost|at the left}|digits rising to the "
    "right}.",
    "{Boxes|The boxes} {stand|are} in {rows} rows, ten {a row|in each}{ for|, from} 0 {to|up to} "
    "9; {row and digit|digit and row}, {counted|both counted} from 0, {put|place} {a box's centre|"
    "the centre of a box} at {x}{, | and }{y}. {Black|A black centre|Black there} {is|means} a "
    "mark.",
    "With {row and digit|digit and row} {starting at|counted from} 0, {the centre of a box|a box's "
    "centre} is {x}{, | and }{y}{ in pixels|}; it is black {if|where|when} the box is "
    "{filled|marked}. {Rows number {rows}|There are {rows} rows}, {digits|boxes} {ten|ten each}.",
    "{Geometry|Layout|The form}: {rows} rows, {ten boxes|one box a digit} {each|per row} ({0|"
    "the 0} {on the left|first}), {centres|box centres} {x} {and|by} {y} {for|, given} {row and "
    "digit|digit and row} from 0; {filled|marked} {ones|boxes} {have a black centre|are black "
    "there}.",
    "{Find|Take|Look up} the pixel {x}{, | and }{y} of {row and digit|digit and row}{, both "
    "zero-based|, each counted from 0}: black {there|} {says|means} that {the digit|this digit} is "
    "{marked|filled} in {that row|the row}. {It has|A form has} {rows} rows.",
    "{y}{ and|,} {x} {give|are} the {middle|centre} of {the|each} box {for|of} a digit in a row, "
    "{both numbered|both} from 0; {rows: {rows}|there are {rows} rows}. {Marked|Filled} "
    "{boxes|ones} are black {in the middle|at that pixel}, {others|empty ones} {white|are not}.",
    "{Ten boxes|Boxes 0 to 9} {make|form} a row, {and there are {rows} rows|with {rows} rows in "
    "all}. {Their|The} {middles|centres}{ lie|, in pixels, are} at {y} and {x}, {row and digit|"
    "digit and row} {zero-based|from 0}; {ink|black} there {is|counts as} a mark.",
    "{Each|Every one} of {the|its} {rows} rows has {ten boxes|a box for each digit}. {One|A box} "
    "is {marked|filled} {exactly if|if and only if} the pixel {x}{, | and }{y} is black, {row and "
    "digit|digit and row} {beginning at|from} 0.",
)
_BOXES_BRIEF = (
    "{rows} rows of {boxes 0-9|ten boxes}, {centres|centred} at {x}, {y} ({from 0|both from 0}), "
    "black if {marked|filled}.",
    "Boxes: {rows} rows {by|of} ten digits, {centre|middle} {x}{, | and }{y}, {both from 0|counted "
    "from 0}; {black|dark} {is|means} {marked|filled}.",
    "{Black|Ink} at {x}{, | and }{y} {marks|is a mark for} that digit in that row ({both|each} "
    "from 0, {rows} rows{ of ten|}).",
    "{Test|Sample} {y}{, | and }{x}, row and digit from 0: black is {a mark|marked}; {rows} rows.",
)


def short(form: str, target: str) -> Clause:
    """Return the task of one form."""
    return Clause(
        "goal",
        (
            "{Read|Decode|Make out} the number {in|from} the {top|first|upper} four rows of the "
            "{scanned form|scan} {form} and {write|put} its {four|} digits {in|into} {target}.",
            "{form} is a {scanned|filled-in} form{| from {place}}. {Which|What} number do "
            "its {top|first|upper} four rows {spell|give|show}? {Answer|Reply|The answer "
            "goes} in {target}, {four|with four} digits.",
            "{target} should {hold|contain|have} the {number|four-digit number} {marked|filled "
            "in|that is marked} in {rows 1 to 4|the first four rows|the four upper rows} {of|on} "
            "{form}.",
            "{The {scan|picture}|At {place} somebody scanned} {form}{ has|, with} boxes "
            "{filled|blackened|marked}; {save|store} the number {of|in} {its|the} {top|first|"
            "uppermost} four rows ({four|4} digits) {as|in} {target}.",
            "{Extract|Get|Take} {a|the} number, {four digits|a digit per row}, {from|off} the "
            "{first|top|upper} four rows of {boxes|marks} on {form}; {write|save} it {to|as} "
            "{target}.",
            "{We need|Please give|{person2} needs|{place} wants} the number {of|on} {the form|} "
            "{form}, {its|that is the} {top|first|upper} four rows, in {target}{, as four "
            "digits|, all four digits|, in four digits}.",
            "{person2} {filled in|marked} {form}: the {first|top|upper} four rows {are|make up|"
            "give} a {four-digit number|number of four digits}, {and that|which} {belongs|goes} "
            "{in|into} {target}.",
            "{Into|To} {target} {goes|belongs} the {four-digit|4-digit} number {of|from} the "
            "{top|first|upper} four rows of {the|a} form that {place} {scanned|sent} {as|in} "
            "{form}.",
            "{Somebody|A person} at {place} {ticked|blackened} boxes on {form}. {Note|Record} in "
            "{target} the {four-digit|4-digit} number {that|which} the {top|first|upper} four "
            "rows {spell|give}.",
        ),
        facts={"form": form, "target": target},
        role="goal",
        brief=(
            "{Write|Put} the {four-digit|4-digit} number {in|of} the {top|first} four rows of "
            "{form} {to|into} {target}.",
            "{target}: the number {on|from} the {top|first|upper} four rows of {form}, {four|4} "
            "digits.",
            "{Read|Decode} {form}{, a form|}; the number in its {top|first} four rows "
            "{goes|belongs} {in|into} {target}.",
            "{Put|Save} the four digits in {form}'s {top|first|upper} four rows {in|as} {target}.",
        ),
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
        _BOXES,
        facts={
            "rows": "7",
            "x": f"x = {left} + {pitch} * digit",
            "y": f"y = {top} + {pitch} * row",
        },
        role="input",
        brief=_BOXES_BRIEF,
    )


def rules() -> tuple[Clause, ...]:
    """Return the meaning of the rows, and the form of the table."""
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
                "of names}: {first|to begin with} the file's name {with its suffix|as it is, "
                "suffix included,} but without {directory|a directory}, numbers {with|keeping} "
                "all four digits, amounts without a leading zero.",
                "{Write|Use} CSV, {header} first, {lines|rows} {ascending|in order} by form; a "
                "form is {called|known} by its {bare|plain} file name, {suffix included|with the "
                "suffix}; the number {keeps|has} its four digits, the amount is {an integer|a "
                "plain integer}.",
                "{Format|Form}: {header} and a CSV line {for each|per} scan, {sorted by|by} "
                "file name; that name, {no directory|without directory} but with {suffix|its "
                "suffix}, is the form, numbers {are|have} four digits, amounts {plain|are "
                "integers}.",
                "CSV {headed|beginning with} {header}; {files|forms} in the order of their "
                "names, which {fill|make up} the first column {without|less} the directory, "
                "{suffix and all|with their suffix}, number {in|with} four digits, amount "
                "{unpadded|without padding}.",
                "{Below|Under} {header} {goes|comes} one CSV line a file, {ordered|sorted} by "
                "its name, and the name {itself|} comes first {in it|in the line}, {with|"
                "including} the suffix, without a path; {four digits|always four digits} for the "
                "number, no leading zero for the amount.",
                "{Sort|Order} by file name, CSV with {header}: {bare|plain} file name (suffix "
                "{kept|included}, no directory), number (four digits), amount ({unpadded|no "
                "leading zeros}), state.",
            ),
            facts={"header": f"`{','.join(HEADER)}`"},
            role="format",
            brief=(
                "CSV with {header}, by file name ({which is the form|the form}: no directory, "
                "{suffix kept|with suffix}), number four digits, amount plain."
            ),
        ),
    )
