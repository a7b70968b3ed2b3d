"""What the ranked-search family says."""

from __future__ import annotations

from tmax_gym.families.data_querying.ranked_search.ranking import Formula
from tmax_gym.texts.clauses import Clause

GOAL = (
    "{Write|Build} a {language} program {program} that {ranks|orders} the documents in {folder} "
    "for a query.",
    "{folder} {needs|is to get} a search: {program}, in {language}, {ranking|which ranks} its "
    "documents.",
    "{Our|The} notes in {folder} {cannot|can not} be searched {yet|so far}. {Provide|Write} "
    "{program} in {language}, with the ranking below.",
    "{Implement|Make} the search over {folder} as a {language} program, {program}; {every "
    "score|each score} must {agree|be right}.",
    "A small search engine, please: {program} in {language}, {over|for} what {lies|is} in "
    "{folder}.",
    "{program} {should|will} answer queries {about|on} {folder}, in {language}, {by|following} "
    "the scores {given|defined} here.",
)
INTERFACE = (
    "{Each|Every} line of standard input is a query; {answer|print} {answer} for up to {limit} "
    "documents, best first, {lower|smaller} number first if equal, or {none}.",
    "It {reads|takes} a query a line from standard input and {prints|writes} the best {limit} "
    "as {answer}, equal scores by number, or {none} {without|if there is no} match.",
    "{Per|For each} query line on standard input: one line {with|of} {answer}, {at most|up to} "
    "{limit} documents, falling by score, then rising by number; {none} if {nothing|no "
    "document} matches.",
    "Queries {come|arrive} line by line on standard input. {Reply|Answer} with {answer} for the "
    "{limit} best, ties by {smaller|lower} number, {and|but} {none} for no {hit|match}.",
    "{Output|Out}, for {every|each} line of standard input: {answer}, {highest|best} score "
    "first, then {lowest|lower} number, {cut|stopped} after {limit}, or the word {none}.",
    "A line in, a line out: {answer} of the {top|best} {limit} documents, {sorted|ordered} by "
    "score, then number, or {none}. {Input|It} is standard input.",
)
SCORE = (
    "{Words are runs|A word is a run} of letters and digits, case {ignored|does not matter}. "
    "{Every|Each} {different|distinct} query word {adds|gives} its {occurrences|hits}, those in "
    "the {first|top} line, {the|its} title, {counted|taken} {title} times.",
    "{Split|Cut} into runs of letters and digits, in lower case. The score {sums|adds} how "
    "often {each|every} distinct query word {occurs|is there}, {in|within} the title (first "
    "line) {title} times as much.",
    "{Words consist|A word consists} of letters and digits, {compared|taken} in lower case; a "
    "document {gets|scores} one point {per|for each} occurrence of {a|any} different query "
    "word, {title} in the title, {its|the} first line.",
    "{Ignore|Disregard} case; words are {maximal|longest} runs of letters and digits. "
    "{Count|Add up} the occurrences of the {different|distinct} query words; one in the first "
    "line, {the|its} title, {counts|makes} {title}.",
    "The {title|heading} is the first line: a query word {there|in it} {is worth|counts} "
    "{title}, {elsewhere|below} 1, {each|every} time. Repeated query words {count|matter} once; "
    "words are runs of letters {and|or} digits without case.",
    "{Points|A document's points}: 1 for {each|every} place where a query word stands, {title} "
    "if it is in the {title|heading}, the first line. Words are {case-free|lower-cased} runs of "
    "letters and digits, query words {taken|counted} once.",
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
    "is|which is} adjacent in the body, {also across|across} lines {too|as well}, or in the "
    "title.",
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
    "{Also|Then} {answer|run} {queries} {with it|through it}, {to|into} {answers}.",
    "{answers} {holds|gets} what it says {to|for} {queries}.",
    "{Put|Save} its {answers|replies} to {queries} in {answers}.",
    "{Run|Try} it on {queries} and {leave|keep} the {output|result} as {answers}.",
    "{queries} {is|are} a {first|real} set of queries; {its|the} output {belongs|goes} in "
    "{answers}.",
    "{For|To} {queries}, {store|write} the lines it {prints|gives} in {answers}.",
)


def say(*, formula: Formula, language: str, paths: dict[str, str]) -> tuple[Clause, ...]:
    """Return the clauses."""
    goal = {"language": language, "program": paths["program"], "folder": paths["folder"]}
    answer = {"answer": "`number:score`", "limit": str(formula.limit), "none": "`none`"}
    clauses = [
        Clause("goal", GOAL, facts=goal, role="goal"),
        Clause("interface", INTERFACE, facts=answer, role="format"),
        Clause("score", SCORE, facts={"title": str(formula.title)}),
    ]
    if formula.rare:
        clauses.append(Clause("rare", RARE, facts={"weight": "`1 + floor(N / n)`"}))
    if formula.phrase:
        clauses.append(Clause("phrase", PHRASE, facts={"phrase": str(formula.phrase)}))
    if formula.minus:
        clauses.append(Clause("minus", MINUS, facts={"minus": "`-`"}))
    facts = {"queries": paths["queries"], "answers": paths["answers"]}
    return (*clauses, Clause("sample", SAMPLE, facts=facts, role="output"))
