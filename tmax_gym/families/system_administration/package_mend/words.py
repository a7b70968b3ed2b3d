"""Notes and words of the package-mend family."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause


def notes(version: str, needed: str) -> str:
    """Return the packaging notes."""
    return f"""\
# Packaging notes

- `tree/` is what gets installed, from the root of the file system. It is right as it is.
- `FILES` has one line for each file of `tree/`: mode in four octal digits, the first 16 digits of
  its SHA-256, path below `tree/`; sorted by path. Nothing else is listed, and nothing twice.
- `control` has the fields Package, Version, Installed-Size, Depends and User, in this order.
  The release in preparation is {version}, without a revision. Installed-Size is the sum of the
  sizes of all files of `tree/`, in bytes. Depends is `bash, coreutils, {needed}`.
- `unit` starts the daemon from where `tree/` has it, as the user that `control` names.
"""


def clauses(root: str) -> tuple[Clause, ...]:
    """Return the symptom, where the rules stand and what must stay."""
    return (_goal(root), _keep(), _lines())


def _goal(root: str) -> Clause:
    return Clause(
        "goal",
        (
            "{Mend|Repair|Put right} the vendored package {root}: its control data ({files}) "
            "{no longer agree|do not agree|are at odds} with {notes} and with the tree {inside|it "
            "holds|beside them}.",
            "The installer {refuses|rejects|will not take} {root}. {Find|Track down|Look for} what "
            "is wrong in {files}, {by|according to|going by} {notes}, and {correct|fix|mend} it.",
            "{Somebody|A script|A bad merge} has {damaged|garbled|spoilt} {files} of the package "
            "{root}; {restore|bring back|put back} what {notes} {demands|asks for|lays down}.",
            "{root} {fails|does not pass|is stopped by} the lint: {compare|check} {files} {with "
            "the tree and with|against the tree and against} {notes}, then {set|put} them right.",
            "{Bring|Put} {files} of {root} {in|into} order. {What is right|The right state} "
            "{follows|can be derived|results} from {notes} and {from the files|the files} {in the "
            "tree|to be installed}.",
            "Before {we ship|shipping|anyone installs} {root}, {files} must {agree with|match|"
            "follow} {notes}{, which they do not|; they do not|, and so far do not}: {fix|mend|"
            "correct} {every|each} {mistake|deviation|error}.",
            "{notes} {says|lays down|tells} what {files} {should hold|have to say|must look like}; "
            "in {root} {something|some of that} {is off|is wrong|has gone wrong}{, so|:} "
            "{correct|repair} {whatever|all that} deviates.",
            "{In|Inside} {root} the {tree|payload} is {sound|fine}, but not the {files} "
            "{that describe it|describing it}: {mend|correct|repair} {those|these} {by|according "
            "to|in line with} {notes}.",
            "{Mistakes|Errors|Slips} have {crept|got} into {files} of the {vendored package|"
            "package} {root}. {Measure|Check|Hold} {them|all three} against {notes} and {what is "
            "in the tree|the tree}{, then| and} {remove|mend|correct} {every|each} one.",
        ),
        facts={
            "root": root,
            "files": "`FILES`, `control` and `unit`",
            "notes": f"{root}/NOTES.md",
        },
        role="goal",
        brief=(
            "Repair {files} of the package {root} by {notes}.",
            "{Mend|Correct} the package {root}: {files} {disagree|are at odds} with {notes}.",
            "{files} of {root} {contain|have} {mistakes|errors}; {correct|mend} them {by|"
            "according to} {notes}.",
            "{Bring|Put} {root} {in line with|into agreement with} {notes}: {mend|correct} "
            "{files}.",
        ),
    )


def _keep() -> Clause:
    return Clause(
        "keep",
        (
            "{The notes|Notes} and {everything|all} below {tree} {are right|are correct|hold good} "
            "and {stay|remain} as they are{, modes included|}.",
            "{Never touch|Do not edit|Never edit} {tree} or the notes: {they are|both are} "
            "the {reference|measure|standard}.",
            "{Change|Edit|Alter} neither {tree} nor the notes{; only the control data are wrong|; "
            "the control data alone are wrong|}.",
            "{tree} and the notes {may not|must not} {change|be changed|be edited}; the {mistakes|"
            "errors|faults} are {elsewhere|in the control data}.",
            "{What lies|All that lies} in {tree} is {fine|in order|as it should be}, {like|and so "
            "are} the notes: {hands off|leave them alone|keep them}.",
            "{Keep|Hold} {tree} and the notes {exactly|just} as {found|they are|you find them}.",
            "Neither the notes nor {the files|any files} in {tree} {need|want} {mending|"
            "repair}: {they stay|both stay} as they are.",
        ),
        facts={"tree": "`tree/`"},
        role="constraint",
        brief=(
            "Leave {tree} and the notes as they are.",
            "{Notes|The notes} and {tree} {stay|remain} {as they are|the same|unchanged}.",
            "{Do not|Never} {edit|change} {tree} or the notes.",
        ),
    )


def _lines() -> Clause:
    return Clause(
        "lines",
        (
            "{Whatever is right|What is right|All that is right} in the control data {must "
            "stay|stays|has to stay} as it "
            "is, {order included|its order included|in its order}.",
            "{Right|Correct|Sound} lines {keep|must keep} their wording and their {order|place}: "
            "{repair|mend|correct}, do not rewrite.",
            "{Do not|Never} reformat{ anything|}: {lines|a line} without {a mistake|mistakes} "
            "{may not|must not} {change|be changed}.",
            "{Repair|Mend|Change} only what is {wrong|a mistake}; {other lines|all other lines} "
            "stay {untouched|identical|the same}, in their order.",
            "The {lines|entries} that are {fine|in order|right} are {compared|checked} too, "
            "{so|and} they {have to|should|must} {survive|stay} unchanged.",
            "{No|Make no} changes {beyond|apart from} the mistakes: {each|every} {sound|good|"
            "right} line {remains|stays} {in its place|where it stands}, {word for word|letter "
            "for letter}.",
            "{Beyond|Except for} the {mistakes|errors} the {three|control} files should be {found|"
            "left} {line by line|word for word} as {they are now|before}, in the {same|old} order.",
        ),
        role="output",
        brief=(
            "Change wrong lines only, keep the order.",
            "{Right|Sound|Good} lines {stay|remain} as and where they are.",
            "{Correct|Mend} {wrong lines only|only wrong lines}; {keep|leave} {the rest|all else} "
            "{as "
            "it is|in place}.",
        ),
    )
