"""Words of the shrink-it family."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.texts.clauses import Clause

GOAL = (
    "{tool} {prints|says|reports} {fault} {on|for} {every|each} file in {source}. "
    "{Shrink|Reduce|Cut} {these|the} files as far as {possible|you can} and {put|save} them "
    "{in|into} {target}{ under the same names|, names unchanged}.",
    "The files {of|in} {source} {make|let} {tool} print {fault}, but they are {much|far} too long "
    "for a {report|bug report|ticket}. {Find|Make|Produce} minimal ones, {of the same names|named "
    "alike|with the names kept}, in {target}.",
    "{Before|So that} anybody {can debug|debugs} {tool}, {minimise|cut down|shorten} the inputs in "
    "{source} {until|so that} {every|each} line {left|that is left} matters for {fault}; {the "
    "short ones|results} {go|belong} {to|in} {target}, {same names|names kept}.",
    "{We need|Wanted are|The vendor wants} small reproducers of {fault}, {what|the output that} "
    "{tool} gives {on|for} {all files|each file} in {source}. {Leave|Store|Put} them in {target}, "
    "{one|each} {under|with} its old name.",
    "{Strip|Free|Rid} the inputs in {source} of all ballast: {target} {gets|holds|receives} files "
    "of the same names on which {tool} still prints {fault}, {and|with} {as few lines as can be|no "
    "line too many}.",
    "{Which|What} lines of the files {in|below} {source} {really|actually} {cause|bring about} "
    "{fault} {from|in} {tool}? {Write|Keep|Copy} only {them|those}, file by file, {to|into} "
    "{target}, {under the|with} same names.",
    "{Make|Fill} {target} {with|from} {shortened|minimal} {copies|versions} of the files in "
    "{source}, {names as they were|equally named}: {each|every one} {must|has to} {still |}make "
    "{tool} {print|say} {fault}, {with|on} as few lines as {possible|you can}.",
    "{fault} is {what|all that} {tool} {has to say|says in the end} {about|on} the {long|huge} "
    "inputs in {source}; {find|get} {short|the shortest} ones {out of|from} them that {do the "
    "same|fail alike}, and {save|keep} these in {target}, {file for file|each} {under|by} "
    "{the|its} old name.",
)
RULE = (
    "{Only|Nothing but} whole lines may go, {the others keep|and the rest keeps} {content|text} "
    "and order; {tool and originals stay|leave tool and originals alone|the tool and the originals "
    "stay}. {Expected|Results|Files}: {names}.",
    "{Remove|Take out|Delete} {lines|whole lines}, but {change and reorder none|neither change nor "
    "reorder them}. The fewer {are left|remain} in {names} the better; {tool|the tool} and {old "
    "files|originals} {stay|are kept|do not change}.",
    "{Deliver|Make|Hand in} {names}, each {made of|with} {whole |}lines of its original in "
    "{their|the old} order, and {judged|scored|measured} by how few {they are|remain}. "
    "{Touch|Edit|Change} nothing else.",
    "In {names} {no line|not a line} may be {new, moved or altered|edited, moved or added}; "
    "{missing ones|gaps} are the {aim|purpose|point}: the score {rises|grows} with every line "
    "{that is gone|less}. {Originals|The old files} {and|as well as} the tool {stay|remain}.",
    "{Lines|Whole lines} are {deleted|dropped}, never edited, moved or {added|invented}, "
    "{and|while} {the tool|tool} and originals {stay|remain}. {The count|What counts|The measure} "
    "is {how many|the number that} {names} still {have|hold}.",
    "{Keep|Leave} the order and the text of lines; {all|what} you {do|may do} is {delete|drop} "
    "some. {Tool and originals|The tool and its old inputs} {stay|remain}, {and|while} {names} "
    "{appear|come into being}.",
    "{names} {may|can} hold {lines|only lines} of {their|the} originals, {each|every one} {as it "
    "was|unaltered} and {none|no two} out of {order|turn}; {fewer|shorter} {is|means} {better|a "
    "better score}. {The tool|Tool} and {inputs|old inputs} {are|stay} {untouched|as they are}.",
    "{Deleting|Dropping} {whole |}lines is {all that is allowed|the one thing allowed} {on the way "
    "to|for making} {names}: no {edits|edited line}, no {moves|other order}, {nothing|no line} {of "
    "your own|added}. {Every|Each} line {spared|gone} {raises|adds to} the score; tool and "
    "originals {stay|are fixed}.",
)


def clauses(tool: str, source: str, *, target: str, targets: Sequence[str]) -> tuple[Clause, ...]:
    """Return the symptom, what may be removed, and where the rest goes."""
    return (
        Clause(
            "goal",
            GOAL,
            facts={"tool": tool, "source": source, "target": target, "fault": "`fault`"},
            role="goal",
            brief=(
                "Reduce each file of {source} to the lines that make {tool} print {fault}: "
                "{target}, same names.",
                "{Shrink|Cut|Reduce} the files {of|in} {source} {while|as long as} {tool} "
                "{prints|says} {fault}; {results|put them} in {target}, {same names|names kept}.",
                "{target}: the files {of|in} {source}, {same names|named alike}, {with|of} only "
                "{the|those} lines {for which|on which} {tool} {says|prints} {fault}.",
            ),
        ),
        Clause(
            "rule",
            RULE,
            facts={"names": ", ".join(targets)},
            role="constraint",
            brief=(
                "Only delete whole lines; make {names}.",
                "{names}: {delete|drop} {whole lines|lines}, {edit|change} and {move|add} none.",
                "{Make|Write} {names} by {deleting|dropping} {whole |}lines {alone|only}.",
            ),
        ),
    )
