"""Manual, entry point and words of the backup-bug family."""

from __future__ import annotations

from tmax_gym.families.shared.programs import program_text
from tmax_gym.texts.clauses import Clause

MAIN = program_text(__package__, "main.py")
MANUAL = """\
# keepsafe

A line of an inventory is `path|old|new`; either side is `kind,mode,size,mtime,target` (kind f, d or
l; mode in octal) or `-` for nothing. The answer is `action object mode blocks`.

## Patterns (file `exclude`, later ones win)

- `*x`: the last part of the path ends in `x`
- `x/`: a directory above the entry is called `x`; an entry that is itself called `x` is not meant
- `/x`: the path is `x` or lies below `x`
- `x`: the last part of the path is `x`
- `!p`: what pattern p matches is taken in again
- a path that is left out: action `skip`, mode `-`, 0 blocks

## Actions, the first that applies

- `drop`: nothing new; `add`: nothing old; `replace`: the kind differs
- links: `relink` if the target differs, else `keep`
- files: `copy` if size or mtime differ, in whichever direction
- `chmod` if the mode differs, else `keep`

## The other columns

- object: the path with `=` doubled and then every `/` written `=.`
- mode: that of the new side, four octal digits with set-id and sticky bits; `-` without one
- blocks: for `add`, `copy` and `replace` of a file, its blocks of 1024 bytes, a begun one
  included; else 0
"""


def clauses(
    package: str, *, program: str, manual: str, example: tuple[str, str]
) -> tuple[Clause, ...]:
    """Return the symptom, where the rules are and what must stay."""
    return (
        Clause(
            "goal",
            (
                "{The|Our} vendored backup planner {package} decides {wrongly|not as its "
                "manual says}: {mend|repair} its modules until {they do|it does} what {manual} "
                "{says|describes}.",
                "{Restores|Backups} keep {failing|going wrong}, and the cause is in {package}: "
                "{it|the planner} departs from {manual}. {Find|Hunt down} every "
                "{deviation|mistake} and fix it.",
                "{manual} {is|states} how the planner in {package} {should|ought to} work; the "
                "code {does otherwise|differs} in {at least one|one or more} place. "
                "{Correct|Fix} the code.",
                "{Make {package} agree|Bring {package} in line} with {manual}: {somebody|a "
                "contractor} "
                "{touched|edited} the modules and left {mistakes|bugs}.",
                "{Debug|Repair} {package}. {The specification is|What is right stands in} "
                "{manual}, {and the code|which the code} {does not follow it|fails to follow} "
                "everywhere.",
                "{Some|Certain} lines {come out wrong|get a wrong plan} from {package}. "
                "{Compare|Check} the modules with {manual} {rule by rule|one rule at a time} "
                "and mend {them|what differs}.",
            ),
            facts={"package": package, "manual": manual},
            role="goal",
            brief="Fix the modules of {package} so that they follow {manual}.",
        ),
        Clause(
            "run",
            (
                "{Run|Try} it with {program}: inventory {lines|on standard input}, plan "
                "{out|on standard output}; {source} and {answer} are {one|an} example with the "
                "{right|correct} result.",
                "{program} is {the|its} entry point, a filter; {for|with} {source} it "
                "{should|must} print {answer}.",
                "{Feed|Give} {source} to {program}: the {correct|right} output is {answer}{, "
                "though not every rule shows there|}.",
                "An example {lies beside it|is there}: {source} through {program} {has "
                "to|must} become {answer}.",
                "As {a|one} test, {program} {turns|makes} {source} into {answer} once {all "
                "is|the code is} {well|right}{ again|}.",
                "{Expected|Right} output for {source} is in {answer}; the {command|filter} to "
                "{run|use} is {program}.",
            ),
            facts={"program": program, "source": example[0], "answer": example[1]},
            role="input",
            brief="{program} is a filter; {source} should give {answer}.",
        ),
        Clause(
            "keep",
            (
                "Only the modules {may change|are yours to change}: {program}, the manual, "
                "the patterns and the example {stay|remain} {as they are|untouched}.",
                "{Leave|Keep} {program}, manual, exclude list and example {alone|as they "
                "are}{; edit the package only|}.",
                "{Do not edit|Never change} {program}, the manual, {the patterns|the exclude "
                "file} {or|nor} the example.",
                "{Changes|Edits} {belong|go} into the package {alone|only}; {program} and the "
                "files beside it {are fixed|stay}.",
                "{Everything outside|What is outside} the package, {program} included, {is "
                "right|is fine} and {must stay|stays}.",
                "The mistakes are all {inside|in} the package, so {program} and {its|the} "
                "neighbours {must not change|keep their content}.",
            ),
            facts={"program": program},
            role="constraint",
            brief="Change nothing but the package; {program} stays.",
        ),
        Clause(
            "judged",
            (
                "{Other|Hidden} inventories {are run|will be run} {afterwards|in the end}, "
                "with the same patterns, {line against line|and compared line by line}.",
                "We {compare|check} plans for {inventories|lines} you {have not seen|do not "
                "know}, under {these|the same} patterns.",
                "{The measure is|It is measured by} how many lines of {unseen|new} inventories "
                "{come out|are planned} right.",
                "{Expect|Reckon with} a {larger|longer} inventory {than|beside} the example, "
                "{same patterns|patterns unchanged}: each line {counts|is compared}.",
                "{New|Further} inventory lines {decide|tell}: {what was|whatever is} right "
                "must {stay|remain} right{, and the rest become so|}.",
                "{Every|Each} rule of the manual {is|gets} tried on {further|hidden} lines{ "
                "with these patterns|}.",
            ),
            role="output",
            brief="Hidden inventories with the same patterns are compared line by line.",
        ),
    )
