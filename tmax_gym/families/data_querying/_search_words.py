"""What the ranked-search family says."""

from __future__ import annotations

from tmax_gym.families.data_querying._search import Formula
from tmax_gym.words.clauses import Clause

_NEED = (
    "{folder} {needs|is to get} a search"
    "|{our|the} notes in {folder} {cannot be|are not} searched {yet|so far}"
    "|a small search engine, please, {over|for} what {lies|is} in {folder}"
    "|queries about {folder} {find|have} no answer {yet|so far}"
    "|{rank|order} the documents in {folder} {for a query|by query}"
    "|{nobody|no one} finds anything in {folder}"
    "|{searching|to search} {folder} by eye {takes too long|is slow}"
)
GOAL = (
    f"{{{_NEED}}}: {{write|make}} {{program}} in {{language}}.",
    f"{{{_NEED}}}. {{Provide|Write|Build}} {{program}} in {{language}}; {{every|each}} score must "
    "{agree|be right}.",
    "{Write|Build} a {language} program {program} that {ranks|orders} the {documents|notes} in "
    "{folder} {for|by} {a query|queries}.",
    "{Implement|Make} the search over {folder} as a {language} program, {program}; {every "
    "score|each score} must {agree|be right}.",
    "{program} {should|will} answer queries {about|on} {folder}, in {language}, {by|following} "
    "the scores {given|defined} here.",
    f"{{{_NEED}}}; {{program}}, in {{language}}, {{is {{wanted|due}} for that|is missing}}.",
)
_LINE = (
    "{each|every} line of standard input is a query, {each|every} line of output its answer"
    "|queries {come|arrive} line by line on standard input and {are|get} answered {so|likewise}"
    "|{per|for each} query line on standard input {print|write} one line"
    "|{a line in|a query on standard input}, {a line out|one line of output}"
    "|{output|out goes}, for {every|each} line of standard input{ (a query)|, a query}, one line"
    "|{read|take} a query a line from standard input and {print|answer} a line{ for each|}"
)
_ITEMS = (
    "{answer} for up to {limit} documents, {spaces|a space} between them"
    "|the best {limit} as {answer}, {separated by|with} spaces"
    "|{answer} {separated by|with} spaces for the {limit} best"
    "|space-separated {answer} of {at most|up to} {limit} documents"
    "|{answer} with spaces between, {cut|stopped} after {limit}"
)
_ORDER = (
    "{best|highest score} first, {lower|smaller} {number|file number} first if equal"
    "|{sorted|ordered} by falling score, {then|equal ones} by rising {number|file number}"
    "|falling by score, ties by {smaller|lower} {number|file number}"
    "|{best|highest score} on the left, of equals the {lower|smaller} {number|file number}"
)
_NONE = (
    "{none} if {nothing|no document} matches"
    "|{none} {without|if there is no} match"
    "|the word {none} for no {hit|match}"
    "|{none} {stands|is} for nothing found"
)
INTERFACE = (
    f"{{{_LINE}}}: {{{_ITEMS}}}, {{{_ORDER}}}, or {{{_NONE}}}.",
    f"{{{_LINE}}}: {{{_ITEMS}}} ({{{_ORDER}}}); {{{_NONE}}}.",
    f"{{{_LINE}}}: {{{_NONE}}}, {{else|otherwise}} {{{_ITEMS}}}, {{{_ORDER}}}.",
    f"{{{_LINE}}}. {{Print|Answer with}} {{{_ITEMS}}}, {{{_ORDER}}}; {{{_NONE}}}.",
)
_WORD = (
    "words are {maximal |}runs of letters and digits, case {ignored|does not matter}"
    "|{split|cut} into runs of letters and digits, in lower case"
    "|a word {is|means} letters and digits {in a row|without a gap}, {in any case|upper case "
    "as lower case}"
    "|{ignore|disregard} case; words are runs of letters and digits"
    "|letters and digits {make|form} words, all else {parts|separates} them, case {is nothing|"
    "does not count}"
)
_COUNT = (
    "{every|each} {different|distinct} query word {adds|gives} its {occurrences|hits}"
    "|the score {sums|adds} how often {each|every} distinct query word {occurs|is there}"
    "|a document {gets|scores} one point {per|for each} occurrence of {any|a} {different|distinct} "
    "query word"
    "|{count|add up} the occurrences of the {different|distinct} query words"
    "|{each|every} place {with|of} a query word, {however often it is asked|asked once or more}, "
    "{scores|is worth} 1"
)
_TITLE = (
    "those in the {first|top} line, {the|its} title, {counted|taken} {title} times"
    "|{within|in} the title (first line) {title} times as much"
    "|{title} in the title, {its|the} first line"
    "|one in the first line, {the|its} title, {counts|makes} {title}"
    "|{and|but} {title} in the {title|heading}, the first line"
)
SCORE = (
    f"{{{_WORD}}}. {{{_COUNT}}}, {{{_TITLE}}}.",
    f"{{{_COUNT}}}, {{{_TITLE}}}; {{{_WORD}}}.",
    f"{{{_COUNT}}}, {{{_TITLE}}}. {{{_WORD}}}.",
)
RARE = (
    "{Rare|Rarer} words weigh more: {multiply|take} a word's part by {weight}, N {being|is} all "
    "documents, n those {with|that have} the word.",
    "{Each|A} word's {share|part} is {multiplied by|taken times} {weight} for N documents, n "
    "{of|among} {them|which} {with|containing} it.",
    "{weight} is the {weight|factor} of a word {in|that occurs in} n of N documents.",
    "{With|Given} N documents and n that {hold|have} a word, its {part counts|points count} "
    "{weight} times.",
    "{Occurrences are|What a word adds is} multiplied by {weight}: N {is|means} the "
    "{number|count} of documents, n {of|that of} those {with|having} it.",
    "For a word in n of {the|all} N documents {every|each} point {becomes|is worth} {weight}.",
)
PHRASE = (
    "{Neighbours help|Pairs count}: {phrase} {more|extra} for every two successive query words "
    "that {also|anywhere} stand {side by side|together} in that order, title and rest "
    "{apart|separately}.",
    "Where two query words {in a row|that follow each other} {also|likewise} do so in the "
    "title, or in the {rest|body}, {add|give} {phrase}, once {a|per} pair.",
    "{Add|Give} {phrase} for {each|every} pair of consecutive query words found "
    "{consecutive|next to each other} in the title or in the body ({lines|line ends} do not "
    "{matter|separate}).",
    "{phrase} {points|more points} {go|belong} to {each|every} adjacent pair of the query {that "
    "is|which is} adjacent in the body, {also|even} across lines, or in the title.",
    "A {pair|couple} of neighbouring query words {met|found} as neighbours in title or body "
    "{brings|is worth} {phrase} {extra|more}, however often.",
    "{Extra|Additional} points, {phrase} {each|a pair}: successive query words that "
    "{follow|come after} each other in the {title or body|title or in the body} of a document "
    "with a score.",
)
MINUS = (
    "A {query word|word} with {minus} {before|in front} {excludes|rules out} documents {that "
    "have|with} it.",
    "{minus} {before|in front of} a word {drops|removes} {all|the} documents {with|that "
    "contain} it.",
    "{Skip|Leave out} documents with a word that the query {marks|gives} {with|by} {minus}.",
    "A document {with|that has} any {minus} word of the query is {no|never a} match.",
    "{minus} {means|stands for} not: documents with that word {are|get} {left out|dropped}.",
    "{If|Where} a query word {starts|begins} with {minus}, {no|not one} document that "
    "{has|holds} it {appears|is shown}.",
)
SAMPLE = (
    "{Also|Then|Finally} {answer|run} {queries} {with it|through it}, {to|into} {answers}.",
    "{answers} {holds|gets|is to have} what it {says|answers} {to|for} {queries}.",
    "{Put|Save|Store} its {answers|replies} to {queries} {in|as} {answers}.",
    "{Run|Try} it on {queries} and {leave|keep|save} the {output|result} {as|in} {answers}.",
    "{queries} {is|are} a {first|real|small} set of queries; {its|the} output {for them |}{belongs|"
    "goes} in {answers}.",
    "{For|To} {queries}, {store|write|keep} the lines it {prints|gives} in {answers}.",
    "{Feed|Give} it {queries}; {what comes out|the output} {goes|belongs} {to|in} {answers}.",
    "{Its|The} output for {queries} {is|makes} {what {answers} is to hold|the content of "
    "{answers}}.",
)


def say(*, formula: Formula, language: str, paths: dict[str, str]) -> tuple[Clause, ...]:
    """Return the clauses."""
    goal = {"language": language, "program": paths["program"], "folder": paths["folder"]}
    answer = {"answer": "`number:score`", "limit": str(formula.limit), "none": "`none`"}
    made = [
        Clause("goal", GOAL, facts=goal, role="goal"),
        Clause("interface", INTERFACE, facts=answer, role="format"),
        Clause("score", SCORE, facts={"title": str(formula.title)}),
    ]
    if formula.rare:
        made.append(Clause("rare", RARE, facts={"weight": "`1 + floor(N / n)`"}))
    if formula.phrase:
        made.append(Clause("phrase", PHRASE, facts={"phrase": str(formula.phrase)}))
    if formula.minus:
        made.append(Clause("minus", MINUS, facts={"minus": "`-`"}))
    facts = {"queries": paths["queries"], "answers": paths["answers"]}
    return (*made, Clause("sample", SAMPLE, facts=facts, role="output"))
