"""Words of the unknown-packer family."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause


def clauses(
    language: str, *, packer: str, unpacker: str, folders: tuple[str, str]
) -> tuple[Clause, ...]:
    """Return the given files, the goal, and how it is judged."""
    return (
        Clause(
            "goal",
            (
                "The {archive|backlog} was written with {packer}, {a stripped binary|of which "
                "only the binary is left}, and the {matching|corresponding} unpacker {is "
                "lost|has vanished}. {Write|Recreate} it in {language}, as {unpacker}.",
                "{packer} packs lines of text; nothing {here|we own} unpacks them. {Work "
                "out|Find out} how it {works|packs} and {write|make} the {reverse|inverse} in "
                "{language}: {unpacker}.",
                "{Write|Create} {unpacker}, a {language} program that undoes what the stripped "
                "tool {packer} does{ to a text|}.",
                "{Nobody kept|There is no copy of} the decoder for {packer}. {Supply|Provide} "
                "one: {unpacker}, {in|written in} {language}.",
                "{Our|The} only way into the old files is to {reverse|invert} {packer}, {a "
                "binary without symbols|which has no source}; {the result|your inverse} "
                "belongs in {unpacker} ({language}).",
                "{Given|You have} the packer {packer} {and nothing else|alone}, "
                "{reconstruct|derive} the unpacker as a {language} source, {unpacker}.",
            ),
            facts={"packer": packer, "language": language, "unpacker": unpacker},
            role="goal",
            brief="Write {unpacker} in {language}, the inverse of the binary {packer}.",
        ),
        Clause(
            "interface",
            (
                "{Both|Either} {work|works} as a filter: the packer {turns|makes} each line of "
                "standard input {into|a} line of hex digits, and {yours|the unpacker} {has to "
                "turn|turns} such lines back.",
                "Packing goes line by line from {standard input|stdin} to standard output, "
                "{and so does|like} unpacking: {hex|hex digits} in, {plain|readable} lines out.",
                "{It|The unpacker} reads packed lines ({hex|hexadecimal}) from standard input "
                "and {prints|writes} the {plain|original} lines to standard output; the packer "
                "{does|did} the opposite.",
                "{Use|Expect} standard input and standard output on both: a {plain|text} line "
                "{corresponds to|becomes} one line of hexadecimal digits and {back|the other "
                "way round}.",
                "{As|Like} the packer, the unpacker is a {plain|simple} filter without "
                "{options|arguments}: packed hex lines {come in|enter}, text lines {go "
                "out|leave}.",
                "Every line of text {becomes|is} one line of hex {in packed form|once packed}; "
                "{read those|take these} from standard input and {write|give} the text to "
                "standard output.",
            ),
            role="input",
            brief="A filter: packed hex lines in, plain lines out.",
        ),
        Clause(
            "files",
            (
                "{Also unpack|Then unpack} the files in {packed} into {plain}: same "
                "{stem|number}, suffix {new} {instead of|for} {old}.",
                "{Put|Store} the {content|text} of every {packed}/*{old} {in|below} {plain} "
                "under the same {stem|name} with {new}.",
                "The {backlog|files to convert} {is|lie} in {packed}; {for each|for every} "
                "{old} file {leave|write} the {new} file of the same {stem|number} in {plain}.",
                "{With it|Using it}, {convert|unpack} {all of|everything in} {packed}; "
                "{results|outputs} go to {plain}, {old} {becoming|replaced by} {new}.",
                "What {lies|is} in {packed} ({old}) is {wanted|needed} as text in {plain} "
                "({new}), {names otherwise|stems} unchanged.",
                "{plain} {should hold|is to hold} the unpacked {files|content} of {packed}: a "
                "{new} file {for each|per} {old} file, {same stem|named alike}.",
            ),
            facts={"packed": folders[0], "plain": folders[1], "old": "`.pk`", "new": "`.txt`"},
            role="output",
            brief="Unpack {packed} into {plain}, {old} becomes {new}.",
        ),
        Clause(
            "judged",
            (
                "{unpacker} will be run {alone|by itself} on {further|other} packed lines, "
                "{where the packer is missing|in a place without the packer}.",
                "We {compare|check} {unpacker} on lines {it has not seen|of our own}, "
                "{without|away from} the packer and the folders.",
                "{Unseen|New} files {decide|count}: {unpacker} has to stand {alone|on its "
                "own}, {without|with neither} packer or tables {beside it|at hand}.",
                "{Later|After that} {unpacker} meets {unknown|new} packed text {on a "
                "machine|somewhere} without the packer.",
                "A {fresh|different} batch {will be|is} unpacked with {unpacker} {only|alone}; "
                "the packer will not be {there|present}.",
                "{Only|Nothing but} {unpacker} is {taken over|kept}, and {tried|tested} on "
                "packed lines {from elsewhere|that are not here}.",
            ),
            facts={"unpacker": unpacker},
            role="constraint",
            brief="{unpacker} is tried alone on unseen packed lines.",
        ),
    )
