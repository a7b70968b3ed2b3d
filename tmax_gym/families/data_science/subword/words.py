"""What the subword family says."""

from __future__ import annotations

from tmax_gym.families.data_science.subword.encoding import BREAK, Rules
from tmax_gym.texts.clauses import Clause

GOAL = (
    "{Write|Implement} a {subword|byte-pair} tokenizer in {language} as {program}, {exactly by|"
    "true to} the rules {below|given here}.",
    "{We need|Wanted is} {program}, a {language} {program|tool} that learns {byte-pair|subword} "
    "merges and {applies|uses} them by {these|fixed} rules.",
    "{program} {shall|should} be our subword tokenizer, {written|done} in {language}: it learns "
    "merges from {lines|text} and {encodes|cuts up} other {lines|text}.",
    "{Two|Several} of our {models|teams} cut words {differently|in different ways}; one {language} "
    "{program|tokenizer}, {program}, {shall|should} {end|settle} that.",
    "{Build|Make} {program}, a {language} program {for|doing} byte-pair encoding the way we "
    "{agreed on|settled}{ for our models|}.",
    "A {tokenizer|subword tokenizer} {is|was} lost and must be {rewritten|done again} in "
    "{language}, {as|at} {program}, {merge by merge|by its old rules}.",
)
FEED = (
    "{Standard input|Its input} {starts|begins} with a line {holding|with} the number of merges; "
    "{then come|next are} lines to learn from, a line {mark}, and lines to encode.",
    "Input: a number of merges on {a|the first} line, {training|learning} lines, {the|a} line "
    "{mark}, then lines {to be encoded|to encode}.",
    "{It reads|Read} from standard input how many merges to learn, {on|in} a line {alone|of its "
    "own}, {then|next} lines to learn from {up to|until} a line {mark}; what {follows|comes after} "
    "is encoded.",
    "On standard input, the {first line|line first} says how many merges {to learn|are wanted}; "
    "lines to learn from {follow|come next}, and after {mark} {those|the lines} to encode.",
    "{The line|A line} {mark} {parts|separates} the lines to learn from and {those|the ones} to "
    "encode; {before both|at the top} stands the number of merges{, all on standard input|}.",
    "{Take|Expect} the number of merges, text to learn from, {mark} and text to encode, {line by "
    "line|each on its lines}, {on|from} standard input.",
)
PRINT = (
    "{It prints|Print} {every|each} merge as {pair} {in|on} a line, in {the order of learning|"
    "learning order}, and {then|after that} a line for each {encoded line|line to encode}: "
    "{form}.",
    "{Output|Standard output} {has|gets} the merges {first|at first}, {pair} a line as they were "
    "learned, {then|and} for each line to encode {one|a line}: {form}.",
    "{First|To begin with}, {it prints|print} the merges as learned, {one a line|a line each}, "
    "{pair}; {then|after that} the encoded lines, {form}.",
    "{Each|Every} merge {learned|found} is a line {pair} of {output|standard output}; {below|"
    "after} {them|these} {comes|goes} one line an encoded line, {form}.",
    "{What|All} it {learns|learned} is printed in {order|that order}, {pair} on {a|each} line, and "
    "{then|afterwards} {what it encodes|every encoded line}: {form}.",
    "{Lines|Print lines} {pair} for the merges{, in the order of learning|, as learned}; {after|"
    "behind} them, line for line, the encodings, {form}.",
)
MEASURE = (
    "{The last|A last} line {says|tells} how well that {went|works}: {form}, for all encoded lines "
    "together, unknown {being|are} the tokens that are neither {a character|characters} of the "
    "{training|learning} text nor {merged ones|made by a merge}.",
    "{At the end|Last} {comes|stands} {form}: {sums|the counts} over the encoded lines, {where|in "
    "which} a token is unknown if it is no character of the {training|learning} text and {made by "
    "no merge|no product of a merge}.",
    "{To judge|For judging} the {result|vocabulary}, {end|close} with {form}, {counted|summed} "
    "over {all|the} encoded lines; unknown means neither seen as a character {in learning|when it "
    "learned} nor {merged|the outcome of a merge}.",
    "{Finish|End} {by|with} a line {form} {over|for} all {lines encoded|encoded lines}; a token "
    "{counts as|is} unknown when {neither|it is neither} a character of the {learning|training} "
    "text {nor|and not} {what a merge made|a merged one}.",
    "{form} is the {last|final} line, {a count|counts} over all encoded lines: words, tokens, and "
    "tokens that are {neither|no} characters {learned from|of the learning text} nor {results|"
    "products} of {a merge|merges}.",
    "{Evaluate|Rate} it in a {last|closing} line {form}: {totals|sums} of the encoded lines, "
    "unknown {for|meaning} tokens that are {neither|not} characters of the {learning|training} "
    "text nor {came from|made by} a merge.",
)
TOKENS = "its tokens with single blanks between"
NUMBERS = "the numbers of its tokens with single blanks between"
NUMBERED = (
    "Tokens are numbered from 0: {first|at first} the {single characters|characters} {learned "
    "from|of the learning text} in byte order, then what merges make that is new, in order; "
    "{others|all others} are {none}.",
    "{Numbers|The numbers} {start|begin} at 0 {with|for} all characters of the {training|learning} "
    "text in byte order and go on with {new merged tokens|each new merged token} as learned; "
    "{unknown|unseen} ones {get|are} {none}.",
    "{Count|Number} from 0 the characters that the {training|learning} text has, in byte order, "
    "and {on from there|then} {new merged tokens|every new merged token}; {what is unknown|the "
    "unknown} is {none}.",
    "{none} {stands for|means} an unknown token; {known|the others} are numbered from 0, "
    "characters {first|ahead} in byte order, then {new merged|merged} tokens{, each once,|} as "
    "learned.",
    "{The|A} vocabulary is {all|the} characters {seen|of the learning text} in byte order, then "
    "{new|the new} merged tokens as learned; {places|positions} count from 0, {none} is {for|"
    "given to} {others|the rest}.",
    "{Give|Write} {none} for what is unknown; {else|otherwise} the {place|position}, from 0, {in|"
    "among} characters {learned from|seen} in byte order and then merged tokens{, new ones "
    "only|, once each}.",
)
WORD = (
    "{Words|The words} are what blanks {part|separate}{ in a line|}; {case}, {mark}, and "
    "merges never {cross|leave} a word.",
    "{Split|Cut} {lines|a line} at blanks{ into words|}; {case} and {mark}. {No merge|Nothing} "
    "{crosses|goes beyond} a word.",
    "A word {is|means} {anything|all} between blanks: {case}, {mark}, and {it|every word} is "
    "{treated|merged} {by itself|alone}.",
    "{case} and {mark} for {each|every} word, {that is|meaning} for {what|all that} blanks "
    "{part|separate}; {merges|tokens} stay {within|inside} words.",
    "{At the start|At the outset,} {case}; blanks {part|separate} words, {mark}, and {no "
    "token|none} {spans|covers} two words.",
    "{Blanks|Spaces} {end|divide} words. {Also|Besides}, {case}, {mark}, and {words|they} are "
    "{merged|handled} {one by one|each alone}.",
)
CASES = {True: "capitals A to Z become a to z", False: "capitals stay capitals"}
SIGNS = {
    "none": "no end mark is added",
    "before": "every word gets a `_` in front",
    "after": "every word gets a `_` at its end",
}
COUNT = (
    "{Every|Each} round merges the most frequent pair of neighbouring tokens {everywhere|in all "
    "words}, from the left; {how}. {Stop|End} when no pair {counts|has} {least} or more.",
    "The pair of neighbours {found|seen} most often is merged next, {everywhere|in every word} "
    "and from the left; {how}, and below {least} {learning ends|nothing is merged}.",
    "{Learn|Take} {again and again|in each round} the most frequent neighbouring pair, {replacing|"
    "joining} it from the left; {how}; {end early|stop} once {the best|it} has fewer than {least}.",
    "{Next|At every step} {comes|is merged} the pair of adjacent tokens with the highest count, "
    "left to right; {how}. Pairs {below|under} {least} are {left|never merged}.",
    "{Pairs|Adjacent tokens} are counted {anew|afresh} each round and the top one is merged, "
    "{going|working} from the left; {how}, {least} being the {least|lowest} count {that "
    "counts|for a merge}.",
    "{Of all|Among} neighbouring pairs the most frequent is joined, from the left; {how}. {Fewer|"
    "Less} than {least} is {too few|not enough}: then {learning|it} {ends|is over}.",
)
HOW = {
    True: "a word counts once, however often it occurs",
    False: "every occurrence of a word counts",
}
TIE = (
    "{Among|Of} equally frequent pairs, {rule} {wins|goes first}.",
    "{Ties go|A tie goes} to {rule}{ then|}.",
    "{If|Where} {several|two} pairs are equally frequent, {take|choose} {rule}.",
    "{rule} {wins|comes first} {where|when} counts are equal.",
    "{Equal|The same} counts: {rule} is {merged|taken} first.",
    "{With|At} equal counts {prefer|take} {rule}.",
)
TIES = {
    "smallest": "the pair smaller in byte order (left token before right)",
    "largest": "the pair larger in byte order (left token before right)",
    "earliest": "the pair that stands first in the words (in the order of their first occurrence)",
    "shortest": "the pair shorter when joined (of equal length, the smaller in byte order, left "
    "token before right)",
    "longest": "the pair longer when joined (of equal length, the smaller in byte order, left "
    "token before right)",
}
DIGITS = (
    "{Tokens of digits|Digits} never {merge|join} with {anything else|other tokens}, {only with|"
    "just with} {each other|digits}.",
    "No pair of {a digit token|digits} and {something else|another token} is {ever|at any time} "
    "{counted|merged}.",
    "{Do not|Never} {count|merge} a pair {in which|where} one token is {made|} of digits and the "
    "other {is not|not}.",
    "Digits {merge|join} with digits only, {and|} {the rest|all else} {with|among} {the rest|its "
    "like}.",
    "{Keep|Hold} digits and {other|all other} characters {apart|in separate tokens} when merging.",
    "{Between|Across} digits and {other|non-digit} characters {nothing|no pair} is {merged|"
    "counted}.",
)
LIMIT = (
    "No token {may|can} {have more|be longer} than {limit} characters{, mark included|}: {pairs "
    "beyond that do|a pair beyond that does} not count.",
    "Pairs that would {make|give} more than {limit} characters are {not counted|left out of the "
    "count}.",
    "{limit} characters{, marks too,|} are the most {that a|a} token {may|can} have; {longer "
    "pairs|pairs beyond it} are {ignored|no candidates}.",
    "{Ignore|Skip} {every pair|pairs} whose {joined length|length together} {exceeds|is over} "
    "{limit} characters.",
    "A merged token {has|may have} at most {limit} characters; {longer ones|pairs beyond that} are "
    "never {merged|counted}.",
    "{Do not|Never} {count|merge} a pair that {together|joined} {has|would have} more than {limit} "
    "characters.",
)
ENCODE = {
    False: (
        "{To encode|Encoding}, {apply|use} the merges to {each|every} word in the order {learned|"
        "of learning}, {each|every one} from the left{, everywhere it fits|}.",
        "A word is encoded by {running|applying} all merges {over|to} its characters, in the "
        "order of learning and from the left.",
        "{For|When} encoding, {go|run} through the merges as learned and {join|merge} {each|every} "
        "pair from the left {wherever|where} it {stands|occurs}.",
        "{Start|Begin} encoding from {single characters|characters} and replay {the merges|every "
        "merge} in their order, left to right.",
        "{Encode|Cut} a word by {replaying|repeating} the merges {one after the other|in order}, "
        "each from the left, on its characters.",
        "{The order|What counts} in encoding is {the one|that} of learning: merge after merge {is "
        "applied|goes} {over|to} the word, from the left.",
    ),
    True: (
        "{To encode|Encoding}, {take|cut off} from the left the longest token {known|of the "
        "vocabulary} each time, {or|else} a single character.",
        "A word is encoded from the left {by|with} the longest known token {at|from} each place; "
        "{where|if} {none fits|there is none}, one character.",
        "{For|When} encoding, forget the order of merges: {take|the} longest known token first, "
        "from the left, {at worst|else} a single character.",
        "{Encode|Cut} greedily: {always|each time} the longest known token that the rest of the "
        "word {starts|begins} with, {or|else} one character.",
        "{At|From} each place of a word, the longest {matching|fitting} token {counts|is taken}, "
        "{failing that|otherwise} one character; {then on|so on} to the right.",
        "{The longest|Longest} token {first|wins} in encoding: from the left, {cut|take} the "
        "longest known start of {what is left|the rest}, or one character.",
    ),
}
REPORT = (
    "{Run it|Use it} {also|too}, the number of merges being {count}: learn from {corpus}, encode "
    "{texts}, and {leave|put} {what it prints|the output} in {target}.",
    "{target} {shall|should} hold what it prints for {corpus} and {texts} {to encode|as lines "
    "to encode}; the number of merges {there|then} is {count}.",
    "{Learn|Let it learn} from {corpus} (number of merges: {count}), encode {texts}, and "
    "{save|store} the {output|result} as {target}.",
    "{With|For} {corpus} to learn from, {texts} to encode and this number of merges: {count}, "
    "{its output|the result} {goes|belongs} into {target}.",
    "{From|Out of} {corpus} learn merges ({count} is {their number|how many}), {then|and} encode "
    "{texts}; {keep|write} "
    "{all it prints|the printed lines} in {target}.",
    "{Fill|Write} {target} {with|by} one run{ of it|}: {count} as the number of merges, {corpus} "
    "{for learning|to learn from}, {texts} {for encoding|to encode}.",
)


def say(*, rules: Rules, language: str, program: str, report: dict[str, str]) -> tuple[Clause, ...]:
    """Return the rules one by one, and the run that is wanted."""
    count = {"how": HOW[rules.types], "least": str(rules.least)}
    clauses = [
        Clause(
            "goal",
            GOAL,
            facts={"language": language, "program": program},
            role="goal",
            brief="Write a subword tokenizer in {language}: {program}.",
        ),
        Clause("feed", FEED, facts={"mark": f"`{BREAK}`"}, role="input"),
        Clause(
            "print",
            PRINT,
            facts={"pair": "`left right`", "form": NUMBERS if rules.numbers else TOKENS},
            role="format",
        ),
        Clause("measure", MEASURE, facts={"form": "`words W tokens T unknown U`"}, role="format"),
        Clause("words", WORD, facts={"case": CASES[rules.fold], "mark": SIGNS[rules.mark]}),
        Clause("count", COUNT, facts=count),
        Clause("tie", TIE, facts={"rule": TIES[rules.tie]}),
        Clause("encode", ENCODE[rules.greedy]),
        Clause("report", REPORT, facts=report, role="output"),
    ]
    if rules.numbers:
        clauses.append(Clause("numbers", NUMBERED, facts={"none": "-1"}))
    if rules.digits:
        clauses.append(Clause("digits", DIGITS))
    if rules.limit:
        clauses.append(Clause("limit", LIMIT, facts={"limit": str(rules.limit)}))
    return tuple(clauses)
