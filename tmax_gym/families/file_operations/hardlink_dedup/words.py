"""Words of the hardlink-dedup family."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.texts.clauses import Clause


def short(first: str, copy: str) -> tuple[Clause, ...]:
    """Return the task of one pair."""
    return (
        Clause(
            "goal",
            (
                "{Make|Turn} {copy} {into |}a hard link to {first}; {its|the} content is the same "
                "{anyway|already}.",
                "{copy} {repeats|duplicates} {first} byte for byte. {Replace|Swap} it {by|for} a "
                "hard link{ to the latter|}.",
                "Save the space of {copy}: {hard-link it to|it should be a hard link to} {first}"
                "{, which stays as it is|}.",
                "{first} and {copy} are {equal|identical}; {keep|leave} the former and make the "
                "latter {another|a second} hard link to it.",
                "{Let|Have} {copy} share the inode of {first}{, since both say the same|} "
                "{(a hard link, no symbolic one)|by means of a hard link}.",
                "{Please replace|Replace} the {duplicate|copy} {copy} with a hard link {to|on} "
                "{first}, whose {time stamp|modification time} {stays|remains}.",
            ),
            facts={"first": first, "copy": copy},
            role="goal",
            brief="Replace {copy} by a hard link to {first}.",
        ),
    )


def rules(root: str, report: str, protected: Sequence[str], *, least: int) -> tuple[Clause, ...]:
    """Return the rules of a tree."""
    named = " and ".join(f"`{p}`" for p in protected)
    return (
        Clause(
            "goal",
            (
                "{Deduplicate|Shrink} {root}: files with {equal|identical} content become hard "
                "links {to one of them|to a single one}{, under the rules below|}.",
                "{Too much of|Half of} {root} is there {twice|more than once}. {Replace|Exchange} "
                "every spare copy {by|for} a hard link to the {file|copy} that is kept.",
                "Under {root}, {wherever|where} several files hold the same bytes, {let one "
                "survive|keep one} and {make|turn} the others {hard links to it|into hard links}.",
                "We {pay|are billed} per byte for {root}; {hard-link|link} all duplicates "
                "{in it|there}{ together|} by {these|the following} rules.",
                "{Go through|Walk} {root}, find files of {the same|identical} content{, whatever "
                "they are called|}, and hard-link {each|every} such group.",
                "The {backup|mirror} of {root} has outgrown its disk: {merge|fold} duplicates "
                "there {into|by means of} hard links{, nothing else|}.",
            ),
            facts={"root": root},
            role="goal",
            brief="Replace duplicates under {root} by hard links.",
        ),
        Clause(
            "keep",
            (
                "{Of each group|In a group} the file with the {oldest|earliest} modification "
                "{time|date} is kept, {and its date stays|with its date}.",
                "The {oldest|earliest} file ({by|according to} its modification time) "
                "{survives|wins}; the others {link|are linked} to it.",
                "What {stays|remains} is the copy {modified first|with the lowest mtime}, "
                "{unchanged|date included}.",
                "Keep whichever {copy|file} was modified {first|earliest}, {mtime included|and do "
                "not touch its mtime}.",
                "{Links|All links} point at the {file|copy} with the smallest mtime; {that mtime "
                "must not change|it keeps this mtime}.",
                "{Age decides|mtime decides}: {the oldest one|the one changed longest ago} is the "
                "{original|keeper}{ and keeps its date|}.",
            ),
            bullet=True,
            brief="Keep the file with the oldest mtime.",
        ),
        *_limits(root, named, least),
        _report(report),
    )


def _limits(root: str, named: str, least: int) -> tuple[Clause, ...]:
    return (
        Clause(
            "protected",
            (
                "{Whatever|Everything that} lies below {named} (relative to {root}) {is off "
                "limits|stays a file of its own}, {duplicate or not|copies included}.",
                "{Do not|Never} link {anything|a file} below {named} in {root}{, in either "
                "direction|, neither from it nor to it}.",
                "{Folders|Subfolders} of {root} that are {protected|not ours}: {named}. {Leave "
                "out|Skip} all files in {there|them}.",
                "{named}, seen from {root}, {belongs to others|is protected}: no file {in|below} "
                "there takes part{ in this|}.",
                "{Except|Exempt}: {all|everything} under {named} of {root}, which {nobody may "
                "link|must not be linked}.",
                "Skip {named} {inside|within} {root} {altogether|completely}; files {there|in it} "
                "neither keep nor become links.",
            ),
            facts={"named": named, "root": root},
            role="constraint",
            brief="Leave {named} (below {root}) alone.",
        ),
        Clause(
            "small",
            (
                "Files {under|of fewer than} {least} bytes {are not worth it|stay separate}"
                "{, even equal ones|}.",
                "{Only|Consider only} files of {least} bytes or more{ count|}; {leave|spare} "
                "{smaller ones|the rest}.",
                "A file {counts|matters} from {least} bytes {on|upwards}, {anything smaller|what "
                "is smaller} {stays|is left} as it is.",
                "{Below|Under} {least} bytes {a file|every file} {stays|remains} {separate|on its "
                "own}.",
                "{Ignore|Pass over} {whatever|all that} is smaller than {least} bytes.",
                "The {lower limit|threshold} is {least} bytes: {equal files|copies} of a lesser "
                "size {stay|remain} apart.",
            ),
            facts={"least": str(least)},
            role="constraint",
            brief="Leave files under {least} bytes alone.",
        ),
    )


def _report(report: str) -> Clause:
    return Clause(
        "report",
        (
            "{Account for it|Report} in {report}: CSV under {header}, {one line a group|a line "
            "for every group}, with the full path {kept|of the keeper}, how many files {became "
            "links|link to it} and the bytes saved, {sorted|ordered} by path.",
            "{report} {lists|is to list} the groups as CSV ({header}): {absolute path|full path} "
            "of the keeper, number of files {replaced|linked to it}, bytes saved; {sort it|in "
            "order} by path.",
            "{Write|Leave} {report} with the {heading|header} {header}; {each group|every group} "
            "gives the {keeper's full path|full path of the keeper}, its {new links|count of new "
            "links} and what they save in bytes. {Sort|Order} by path.",
            "A CSV {report}, headed {header}, {records|shows} {per group|for every group} the "
            "keeper (full path), {the files|how many files} turned into links and the bytes "
            "{freed|saved}; lines {go|are sorted} by path.",
            "{Then fill|Fill} {report} ({header}): {full|absolute} path kept, number of links "
            "made, {bytes|total bytes} they save, {a line each|one line} per group, {by path|in "
            "path order}.",
            "{What was done|The outcome} goes to {report} as CSV, first line {header}, then {by "
            "path|sorted by path} one line per group: {path kept|kept file}{ in full|, full path}, "
            "links made, bytes saved.",
        ),
        facts={"report": report, "header": "`kept,links,bytes`"},
        role="format",
        brief="Write {report} ({header}), by path, one line a group: path, links, bytes saved.",
    )
