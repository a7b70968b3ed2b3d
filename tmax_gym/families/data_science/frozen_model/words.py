"""What the frozen-model family says."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause

GOAL = (
    "{tool} is a {trained|fitted} model, {compiled|frozen} years ago, and {all|the only thing} "
    "that {remains|is left} of it. {Write|Rebuild} it in {language} as {copy}.",
    "{The|Our} scoring model {survives|exists} only as the {stripped|} binary {tool}. We need "
    "the same model as {language} source, {at|in} {copy}.",
    "{Reconstruct|Recover} the {decision trees|trees} inside {tool} and {write|put} an "
    "equivalent {language} program {to|at} {copy}.",
    "{Nobody|No one} can retrain what {tool} computes: {data and source|source and data} are "
    "{lost|gone}. {Port|Translate} it to {language}, {copy}.",
    "{copy} {should|is to} become a {language} program that {scores|judges} exactly {like|as} "
    "{tool}, {whose source|the source of which} {nobody has|is lost}.",
    "An {audit|auditor} {demands|asks for} readable {language} in place of the {closed|opaque} "
    "scorer {tool}. {Take it apart|Study it} and {leave|save} the {same model|equivalent} at "
    "{copy}.",
)
MODEL = (
    "It {adds up|sums} the points of {some|a few} small trees, each {split|node} "
    "{sending|leading} a row left {if|where} a feature is below a {constant|fixed value}; it "
    "{prints|reports} the label and the total.",
    "{Inside|In it} are {small|shallow} trees. {Every|Each} node {compares|checks} one feature "
    "with a {constant|number}, leaves {give|carry} points, and the {sum|total} decides "
    "{the|about the} label.",
    "{Points|The points} from all trees are {added|summed}; {a|the} total {from some cut-off "
    "on|that reaches a cut-off} {means|gives} one label, {a smaller|less} the other, and both "
    "are printed.",
    "{As far as|What} we know: {integer|whole-number} features, comparisons {with|against} "
    "constants, {points|scores} summed over {trees|several trees}, a label {by|according to} "
    "the sum.",
    "{Known|All we know}: {it is|} an additive tree model on {integers|whole numbers}; a "
    "{leaf|leaf of a tree} has points, their sum {picks|selects} the label, {and|then} label "
    "and sum come out.",
    "{Technically|In short}, trees of {simple|plain} comparisons {vote|decide} with points; the "
    "output {is|has} the label that {belongs to|follows from} the sum, then {the|that} sum.",
)
FEED = (
    "{Both|Tool and copy} read lines of {features}, {integers|whole numbers} {with|and} a blank "
    "between, from standard input, {and print|printing} label and points for {each|every} line.",
    "{Standard input|The input} is {one|a} row {a|per} line, {features} {apart|separated} by "
    "blanks; {each|every} line {yields|gives} the label, a blank, {and|then} the points.",
    "{Its|The} interface {stays|remains}: {features} {on|in} a line of standard input, label "
    "and points {on|in} a line of output.",
    "{Feed|Give} it {features} {line by line|a line each} on standard input; {out|back} "
    "{comes|come} the label and the points, {one|a} line for {one|each}.",
    "{Rows|Lines} of {features} {go|come} in through standard input, lines {with|of} a label "
    "and its points {come|go} out, {same|in the same} order.",
    "A {row|line} of input {holds|has} {features} in this {order|sequence}, blanks {between|in "
    "between}, and {is answered|gets its answer} by label and points.",
)
SCORED = (
    "{Score|Run} {batch} {with it|through it} as well: {scored} {holds|gets} {header}, {a|one} "
    "line per row in the same order.",
    "{scored} is {for|to hold} the scores of {batch}, {rows|lines} in their order, CSV "
    "{with|under} {header}.",
    "{First|To begin with}, {put|write} the verdicts on {batch} {into|in} {scored} ({header}, "
    "{order kept|same order}).",
    "{Also|In addition} we {need|want} {batch} scored, {as|in} {scored} with the header "
    "{header}, {row by row|in the given order}.",
    "{Of|For} the {rows|records} in {batch}, {save|store} what the tool says {in|to} {scored}, "
    "{header} {first|on top}, same order.",
    "{header} {is|are} the {columns|header} of {scored}, {which|that} {gives|has} the result "
    "for {every|each} row of {batch}, in order.",
)
SPLITS = (
    "{splits} {lists|has} {every|each} constant a feature is compared with, {once|only once}, "
    "as CSV {with|under} {rule}, {sorted|ordered} by feature, {then|and within it} value.",
    "{List|Report} the {distinct|different} comparison values per feature {in|to} {splits}: "
    "{rule}, {by|in order of} feature and value.",
    "{For|As} documentation, {put|write} all {different|distinct} splits {into|in} {splits} "
    "({rule}), sorted by feature and {numerically|as a number} by value.",
    "{rule} {heads|begins} {splits}, {a|the} CSV of {all|the} values that features are "
    "{tested|compared} against, without {repeats|duplicates}, by feature, then value.",
    "{Which|What} values {does|will} each feature get compared {with|to}? {splits} {says|tells} "
    "so: {rule}, each {pair|one} once, by feature, then by value.",
    "{The|All} thresholds {belong|go} in {splits} under {rule}, {no|without a} pair twice, "
    "{ordered|sorted} by feature name and {rising|ascending} value.",
)

OWN = (
    "The {source|program} is {to be read|for readers}: {nothing|no piece} of the binary, {encoded "
    "or "
    "not|not even encoded}, may stand in it, {nor|and no} more than {size} bytes.",
    "{Do not|Never} {embed|copy} the binary or {parts|any part} of it, {encoded or not|encoded or "
    "plain}; {a source|the source} has {up to|at most} {size} bytes.",
    "{Own work only|No copying}: a source {with|that holds} the binary's bytes, in {any|whatever} "
    "encoding, or {more than|over} {size} bytes {counts for nothing|is refused}.",
    "{At most|Up to} {size} bytes of {readable|plain} source are {allowed|accepted}, {without|free "
    "of} encoded {data|blobs} {from|out of} the binary.",
    "{We|Auditors} {want|need} to read the {source|code}: {keep it to|no more than} {size} bytes, "
    "and "
    "{leave out|without} {encoded pieces|any encoded piece} of the binary.",
    "{Written|Source} by hand, {that is|meaning}: {none|not one} of the binary's bytes, {even "
    "encoded|encoded or not}, {and|with} {size} bytes at {most|the most}.",
)


def say(
    *,
    tool: str,
    batch: str,
    scored: str,
    splits: str,
    copy: str,
    language: str,
    features: str,
    size: int,
) -> tuple[Clause, ...]:
    """Return the clauses."""
    goal = {"tool": tool, "copy": copy, "language": language}
    clauses = [
        Clause("goal", GOAL, facts=goal, role="goal"),
        Clause("model", MODEL, role="input"),
        Clause("feed", FEED, facts={"features": f"`{features}`"}, role="format"),
        Clause(
            "scored",
            SCORED,
            facts={"batch": batch, "scored": scored, "header": "`id,label,points`"},
            role="output",
            bullet=True,
        ),
    ]
    if splits:
        facts = {"splits": splits, "rule": "`feature,value`"}
        clauses.append(Clause("splits", SPLITS, facts=facts, role="output", bullet=True))
    clauses.append(Clause("own", OWN, facts={"size": str(size)}, role="constraint"))
    return tuple(clauses)
