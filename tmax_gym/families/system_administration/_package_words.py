"""Notes and words of the package-mend family."""

from __future__ import annotations

from tmax_gym.words.clauses import Clause


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
    return (
        Clause(
            "goal",
            (
                "{Mend|Repair} the vendored package {root}: its control data ({files}) {no "
                "longer agrees|do not agree} with {notes} and with the tree {inside|it holds}.",
                "The installer {refuses|rejects} {root}. {Find|Track down} what is wrong in "
                "{files}, {by|according to} {notes}, and {correct|fix} it.",
                "{Somebody|A script} has {damaged|garbled} {files} of the package {root}; "
                "{restore|bring back} what {notes} {demands|asks for}.",
                "{root} {fails|does not pass} the lint: {compare|check} {files} with the tree "
                "and {with|against} {notes}, then {set|put} them right.",
                "{Bring|Put} {files} of {root} {in|into} order. {What is right|The right "
                "state} {follows|can be derived} from {notes} and the files {in the tree|to be "
                "installed}.",
                "Before {we ship|shipping} {root}, {files} must {agree with|match} {notes}{, "
                "which they do not|; they do not}: {fix|mend} every {mistake|deviation}.",
            ),
            facts={
                "root": root,
                "files": "`FILES`, `control` and `unit`",
                "notes": f"{root}/NOTES.md",
            },
            role="goal",
            brief="Repair {files} of the package {root} by {notes}.",
        ),
        Clause(
            "keep",
            (
                "{The notes|Notes} and everything below {tree} {are right|are correct} and "
                "{stay|remain} as they are{, modes included|}.",
                "{Do not touch|Leave alone} {tree} {or|and} the notes: {they are|both are} the "
                "{reference|measure}.",
                "{Change|Edit} neither {tree} nor the notes{; only the control data are wrong|}.",
                "{tree} and the notes {may not|must not} {change|be changed}; the "
                "{mistakes|errors} are elsewhere.",
                "{What lies|Files} in {tree} {is|are} {fine|in order}, {like|and so are} the "
                "notes: {hands off|leave them}.",
                "{Keep|Hold} {tree} and the notes {exactly|just} as {found|they are}.",
            ),
            facts={"tree": "`tree/`"},
            role="constraint",
            brief="Leave {tree} and the notes as they are.",
        ),
        Clause(
            "lines",
            (
                "{Lines|Whatever} in the control data that {are|is} right {must stay|stays} as "
                "{they are|it is}, order included.",
                "{Right|Correct} lines {keep|must keep} their wording and their {order|place}: "
                "{repair|mend}, do not rewrite.",
                "{Do not|Never} reformat{ anything|}: {lines|a line} without {a "
                "mistake|mistakes} may not change.",
                "{Repair|Mend} only what is {wrong|a mistake}; {other lines|all other lines} "
                "stay {untouched|identical}, in their order.",
                "The {lines|entries} that are {fine|in order} are {compared|checked} too, "
                "{so|and} they {have to|should} survive unchanged.",
                "{No|Make no} changes {beyond|apart from} the mistakes: {each|every} sound "
                "line {remains|stays} where and as it is.",
            ),
            role="output",
            brief="Change wrong lines only, keep the order.",
        ),
    )
