"""What the affine-align family says."""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.families.scientific_computing.affine_align.alignment import Plan
from tmax_gym.texts.clauses import Clause

GOAL = (
    "{Write|Build} a sequence aligner in {language}, {program}; {two|different} labs must get "
    "{equal|identical} alignments from it, {column by column|to the last column}.",
    "{Our|The} alignments {differ|vary} between {packages|tools} wherever gaps {tie|can move}. "
    "{Settle|End} this {with|by} {an own|one} aligner in {language}: {program}.",
    "{Put|We need} an aligner with affine gaps {at|in} {program}, {language}, that leaves {no|not "
    "a single} {choice|tie} open.",
    "{Primers|Probes} are {checked|placed} by alignment here. {Provide|Prepare} {program}, "
    "{a|one} {language} program that does it {exactly|to the letter} as {agreed|described}.",
    "{Code|Program} pairwise alignment with affine gaps in {language} and {save|store} it as "
    "{program}; every {tie|choice} is {settled|fixed} below.",
    "{program} {shall|should} be a pairwise aligner, {language}, whose {output|answer} {nobody|no "
    "reviewer} can {dispute|get otherwise}.",
)
FEED = (
    "It {reads|takes} FASTA {from|on} standard input: first the target, then {queries|the "
    "queries}. A name {ends|stops} at the first blank, a sequence may {fill|take} several lines, "
    "lower case {equals|is} upper case. {Print|It prints} {row} per query, in {their|input} "
    "order.",
    "{Standard input|Its input} is FASTA, {target first|the target as first record}, queries "
    "{after it|behind}; names {go up to|end at} the first blank, sequences {run|go} over several "
    "lines, {case|letter case} means nothing. {Output|Out comes} per query: {row}.",
    "{Input|On standard input}: FASTA, wrapped lines and small letters {included|as well as "
    "large ones}; the {first|top} record is the target, {each|every} other one a query named by "
    "the word {behind|after} `>`. {Per query|For each} {print|write} {row}.",
    "{A|Each} run {gets|has} one target and then {its queries|queries} as FASTA {on|through} "
    "standard input (first word {as|is the} name, lines {wrapped|of any length}, {both|any} "
    "cases alike), and {answers|prints} {row} for {each|every} query in turn.",
    "FASTA {comes|arrives} {on|by} standard input; the record {at the top|on top} is the target, "
    "{the others|all others} are queries. {Take|Use} the first word of a header, {join|glue} the "
    "lines, {fold|treat} lower case {to|as} upper. {row} is {printed|written} per query.",
    "{Per query|For each query} {print|write} {row}. Queries {follow|come after} the target in "
    "one FASTA stream {on|from} standard input, {possibly|maybe} wrapped, {in|with} small or "
    "capital letters; {the name|a name} is the first word.",
)
SHEET = (
    "{sheet} {has|gives} the score of {each|every} letter pair and what gaps cost: {first} for "
    "the first letter {in|of} a gap, {further} for {each|every} later one, {both|all} "
    "{subtracted|taken off}.",
    "{Scores|Pair scores} and gap {costs|prices} {are|stand} in {sheet}. A gap of k letters "
    "{costs|loses} {first} once and {further} k - 1 times.",
    "{Take|Read} pair scores {and|as well as} gap prices from {sheet}; {first} is {paid|due} for "
    "a gap's first letter, {further} for {each|every} letter {behind|after} it.",
    "{For|On} {scoring|points} see {sheet}: {add|sum} the pair scores, subtract {first} where a "
    "gap {begins|starts} and {further} {wherever|where} it {goes on|continues}.",
    "What {pairs|letters} {earn|score} is {listed|tabled} in {sheet}, what gaps cost too: {first} "
    "{covers|is} the first letter {alone|only}, {further} {each|every} one {more|after it}.",
    "{By|With} {sheet}, a pair {earns|has} a score, and a gap {costs|takes away} {first} plus "
    "{further} for every letter {beyond|after} its first.",
)
GLOBAL = (
    "{Both|The two} sequences are aligned {whole|in full}, {end|from end} to end.",
    "{Align|It aligns} all of the query {with|to} all of the target; gaps at the ends {cost|are "
    "paid} {as usual|like others}.",
    "{Alignments are|It is a} global{ one|}: {no letter|nothing} of either sequence is left out, "
    "{end|outer} gaps {cost|count} too.",
    "{Every|Each} letter of both sequences {takes part|is aligned}, {end gaps|gaps at the ends} "
    "are {paid|charged} like {others|all}.",
    "{Leave out|Drop} no {end|part} of {either|any} sequence: the alignment is global, {outer|end} "
    "gaps {included|at full price}.",
    "The {whole|complete} query {meets|faces} the {whole|complete} target; {ends|the ends} are "
    "{not|never} free.",
)
FIT = (
    "The whole query is {fitted|aligned} {into|within} the target, {what|whatever} is left of the "
    "target on {either side|both sides} {is free|costs nothing}; {start} {say|tell} where in the "
    "target, from 1, ends included.",
    "{Every|Each} letter of the query {takes part|is aligned}, the target {may|can} {stick out|"
    "overhang} free of {charge|cost}. {start} are target positions {counted|numbered} from 1, "
    "both inclusive.",
    "{Ends|Both ends} of the target {cost nothing|are free}, those of the query {do cost|are not}; "
    "{start} {bound|delimit} the aligned part of the target ({count|counted} from 1, "
    "inclusive).",
    "{Place|Put} the {complete|full} query anywhere in the target {at no cost|for free} around "
    "it, and {give|report} {start}, its first and last target {position|letter}, {the first|"
    "numbering} {being|from} 1.",
    "The query is {used|aligned} {whole|in full}, {of|from} the target {only a|any} stretch, "
    "{from|between} {start} {inclusive|with both}, {counting|numbered} from 1; the rest is "
    "{free|not charged}.",
    "{Align|Fit} all of the query to {a|any} stretch of the target{ that pays best|}: {start} "
    "{name|number} its {first|outer} and last letters, {starting|beginning} {at|with} 1, and "
    "{nothing|no price} is {paid|due} outside.",
)
LOCAL = (
    "{Alignments are|It is a} local{ one|}: the best {stretch|part} of the query against the best "
    "of the target, {at|in} {places} (from 1, {inclusive|ends included}). {Without|Short of} a "
    "score above 0 {print|give} 0, zero places and `*`.",
    "{Any|A} stretch of the query {goes|is put} with {any|a} stretch of the target, {the rest|"
    "what is outside} is free; {places} {bound|delimit} {both|them}, counted from 1, inclusive. "
    "If {nothing|no alignment} scores {above|over} 0: score 0, places 0, {columns|letters} `*`.",
    "{Both|All} ends of {both|the two} sequences are free. {places} {count|are positions} from 1 "
    "and {include|contain} both ends; {where|if} no score is {positive|above 0}, all {numbers|"
    "places} are 0 and {columns|the last} `*`.",
    "{Search|Look} for the best-scoring stretches of {both|query and target}: {places}, {from 1|"
    "first letter 1}, ends {included|inclusive}; {should|if} none {score|be} above 0, print "
    "zeros and `*`.",
    "{Only|Just} the best part {counts|matters} on {either|each} side (local alignment), {from|"
    "between} {places}, {counting|numbered} from 1, inclusive; {none|nothing} above 0 "
    "{becomes|is} zeros and `*`.",
    "{Local|Use local} alignment: {free|no price for} ends {everywhere|on all sides}, positions "
    "{places} from 1 {with|including} both ends, and zeros with `*` {if|where} {no|not one} "
    "alignment {beats|exceeds} 0.",
)
COLUMNS = (
    "{The last word|The last part} {has|is} a letter {a|per} column: {pair}, {insert} where the "
    "query stands {alone|by itself}, {delete} where the target does{, |; }{runs}.",
    "{Columns|The columns} are {written|coded} {pair}, {with|and} {insert} for {a query letter|"
    "query} against a gap, {delete} for {a target letter|target} against {a gap|one}; {runs}.",
    "{Spell|Write} {columns|the columns} as {pair}; {insert} means {the query alone|a gap in the "
    "target}, {delete} {the target alone|a gap in the query}; {runs}.",
    "{For|As} columns {use|take} {pair}, {and|or} {insert} (a letter {only in|of only} the query) "
    "{and|or} {delete} (only {in|of} the target); {runs}.",
    "A column is {pair}, {or|else} {insert} if {only|just} the query has a letter {there|in it}, "
    "or {delete} if {only|just} the target {has|does}; {runs}.",
    "{insert} {marks|is} a query letter {without|that has no} partner, {delete} a target letter "
    "{without one|alone}, {the other columns are|else it is} {pair}; {runs}.",
)
TOUCH = (
    "{insert} {may|can} stand next to {delete}; {each|either} {pays|costs} for a first letter of "
    "its own.",
    "{A|The} {change|step} from {insert} to {delete}{ or back|, or back,} is {allowed|fine} and "
    "{opens|begins} a new gap.",
    "{Gaps|Two gaps} of different {kinds|sides} may touch ({insert} {beside|by} {delete}), {both|"
    "each} at full price.",
    "{Next to|Beside} {insert} {there may be|may stand} {delete}: two gaps, {two|both} "
    "openings {paid|charged}.",
    "{insert} {and|or} {delete} {may|can} be neighbours, {but|only} the second {is|counts as} a "
    "gap {begun|opened} anew.",
    "{It is|That is} {allowed|legal} {for|that} {insert} {to follow|follows} {delete} {and|or} "
    "the other way round; the {second|later} is a new gap.",
)
APART = (
    "{insert} {never|must not} {stands|stand} next to {delete}.",
    "{insert} and {delete} {may not|must never} {touch|meet}.",
    "{Between|From} {insert} and {delete} there {is|must be} {at least|always} one pair of "
    "letters.",
    "{No|Never} {insert} {beside|next to} {delete}: such alignments {are out|do not count}.",
    "{Forbid|Exclude} {insert} {directly|right} {beside|next to} {delete}, in {either|any} order.",
    "{Where|If} {insert} and {delete} would {touch|meet}, {take|use} another alignment: "
    "{that|it} is not {allowed|legal}.",
)
TIE = (
    "{Of|Among} {equally|several equally} good alignments {take|print} {place}compare {columns|"
    "column by column} from the {side} one on; {where|at the first place where} they differ, "
    "{order} is {the order|how they rank}{over}.",
    "{Ties|Equal scores} are {broken|settled} {thus|like this}: {place}{go|read} from the {side} "
    "column on and {prefer|take}, at the first difference, by {order}{over}.",
    "{If|Where} {several|more than one} {reach|have} the best score, {place}{walk|run} along the "
    "columns from the {side} one, {and|then} the first difference {decides|counts}: {order}"
    "{over}.",
    "{One|Only one} of the best alignments is {right|wanted}: {place}from the {side} column on, "
    "{the first|their first} difference {goes|falls} by {order}{over}.",
    "{Decide|Settle} ties {so|as follows}: {place}the {side} column is {compared|looked at} "
    "first, then its neighbour {and so on|and further}; {preference|rank} is {order}{over}.",
    "{Let|Have} {no|not one} tie open: {place}{columns|they} are compared {beginning|starting} "
    "{with|at} the {side} one, {ranked|in order} {order}{over}.",
)
STRAND = (
    "{Each|Every} query is {also tried|tried once more} as its reverse complement (N stays N); "
    "{report|give} the {higher|better} score, `+` for the query as it {is|stands}, {also|even} "
    "at a tie, `-` for the other{ one|}.",
    "{Try|Test} both strands: `-` is the reverse complement, N {staying|remains} N, {and|which} "
    "wins {only|just} with a {higher|better} score; {positions|everything} and columns {refer|"
    "belong} to what was aligned.",
    "`strand` is `-` where the reverse complement of the query (N {kept|unchanged}) scores "
    "{higher|better} {than|and} the query itself, {else|otherwise} `+`; {what|the one} is "
    "{aligned|better} is what is {reported|shown}.",
    "{Queries|The queries} {may|can} come from {either|any} strand: {align|take} the reverse "
    "complement (N to N) too, {keep|report} it as `-` if {strictly|really} better, {else|and "
    "otherwise} `+`.",
    "{A|The} query {counts|is taken} as it {is|stands} (`+`) unless its reverse complement, N "
    "{left|kept} as N, {has|gets} a {higher|better} score; {then|that is} `-`, {with|and} the "
    "latter's {alignment|columns}.",
    "{Compare|Score} the query and its reverse complement (N {pairs with|becomes} N): {print|"
    "give} the better as `+` or `-`, {with|and} `+` {on|for} a tie.",
)
REPORT = (
    "{Also|Then} {align|run it on} {reads} {with|against} the target {in|of} {target} and {save|"
    "write} {report}, a CSV file {headed|that starts with} {header}.",
    "{report} {should|is to} hold the {answer|result} for {reads} {against|with} {target} as CSV, "
    "{first line|header} {header}.",
    "{Use|Run} it: queries {from|in} {reads}, target {from|in} {target}; the {rows|lines} go to "
    "{report} as CSV {under|below} {header}.",
    "{For|As} a {first use|trial}, {write|put} what it says of {reads} {with|on} {target} "
    "{into|in} {report}: CSV, {header} {on top|first}.",
    "{The|All} queries of {reads} {have to|must} be aligned {with|to} {target}, {in|into} "
    "{report} {as CSV|with commas}, {starting with|after} {header}.",
    "{Finally|In the end} {report}, CSV {beginning with|under} {header}, {has|lists} the result "
    "of {every|each} query of {reads} against {target}.",
)


def say(
    *, plan: Plan, program: tuple[str, str], sheet: str, report: Mapping[str, str]
) -> tuple[Clause, ...]:
    """Return the interface, the prescribed alignment, and the report."""
    language, path = program
    pair = "`=` for equal and `X` for unequal letters" if plan.split else "`M` for two letters"
    names = {"M": "a pair of letters", "I": "`I`", "D": "`D`"}
    gaps = {"insert": "`I`", "delete": "`D`"}
    modes = {
        "global": Clause("ends", GLOBAL),
        "fit": Clause("ends", FIT, facts={"start": "`start` and `end`"}),
        "local": Clause(
            "ends",
            LOCAL,
            facts={"places": "`from` to `to` in the query, `start` to `end` in the target"},
        ),
    }
    runs = "equal neighbours as a count and the letter once, as in `3I`"
    ties = {
        "place": _place(plan),
        "side": "first" if plan.front else "last",
        "order": " before ".join(names[s] for s in plan.order),
        "over": ", and one that is over before one that goes on" if plan.mode == "local" else "",
    }
    clauses = [
        Clause("goal", GOAL, facts={"language": language, "program": path}, role="goal"),
        Clause("feed", FEED, facts={"row": f"`{' '.join(plan.columns)}`"}, role="format"),
        Clause("sheet", SHEET, facts={"sheet": sheet, "first": "`first`", "further": "`further`"}),
        modes[plan.mode],
        Clause(
            "columns",
            COLUMNS,
            facts=gaps
            | {"pair": pair, "runs": runs if plan.runs else "nothing is counted or shortened"},
            role="format",
        ),
        Clause("gaps", TOUCH if plan.touch else APART, facts=gaps),
        _tie(ties),
        *([Clause("strand", STRAND)] if plan.strands else []),
        Clause("report", REPORT, facts=report, role="output"),
    ]
    return tuple(clauses)


def _tie(facts: Mapping[str, str]) -> Clause:
    """Return the rule for ties; what a plan has no words for is left out of the frames."""
    kept = {name: value for name, value in facts.items() if value}
    frames: tuple[str, ...] = TIE
    for name in facts.keys() - kept.keys():
        frames = tuple(frame.replace(f"{{{name}}}", "") for frame in frames)
    return Clause("tie", frames, facts=kept)


def _place(plan: Plan) -> str:
    """Return which stretch of the target is taken, none where there is no choice."""
    if plan.mode == "global":
        return ""
    letter = "first" if plan.front else "last"
    # Going from the front, the sequences are turned: the first place found is then the latest.
    when = "latest" if plan.late != plan.front else "earliest"
    query = ", then the same in the query" if plan.mode == "local" else ""
    return f"the one whose {letter} aligned target letter comes {when}{query}; then "
