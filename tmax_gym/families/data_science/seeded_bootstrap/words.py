"""What the seeded-bootstrap family says."""

from __future__ import annotations

from tmax_gym.families.data_science.seeded_bootstrap.bootstrap import Plan
from tmax_gym.texts.clauses import Clause

GOAL = (
    "{Write|Implement} the bootstrap {below|described here} in {language}, {program}; {two|all} "
    "sites must get {equal|identical} figures, down to the last {digit|unit}.",
    "{Our|The} {intervals|confidence intervals} have to be {reproducible|repeatable} anywhere: "
    "{put|we need} a {language} program at {program} that {resamples|draws} exactly as "
    "{agreed|written below}.",
    "{program} {shall|should} compute bootstrap {intervals|bounds} in {language}, with {our "
    "own|a prescribed} generator {so|in order} that {nobody|no reviewer} gets other numbers.",
    "A {reviewer|referee} {wants|asks} to {repeat|redo} our bootstrap {exactly|digit by digit}. "
    "{Provide|Prepare} it as a {language} program, {program}, by these rules.",
    "{Resampling|Bootstrap} results {differ|vary} between our {tools|packages}. {Settle|End} "
    "this {with|by} one {language} program, {program}, whose {every draw|draws} we prescribe.",
    "{Code|Program} the {following|prescribed} bootstrap in {language} and {save|store} it as "
    "{program}; {no|not one} draw may {deviate|differ}.",
)
FEED = (
    "{Standard input|Its input} {starts|begins} with {first}; {then|after that} {every|each} "
    "line {has|holds} {row}. {It prints|Print} {out}, {separated|apart} by blanks.",
    "It {reads|takes} {first} {on|from} the first line of standard input and {row} {on|from} "
    "{each|every} further one, and {prints|answers} {out} on one line.",
    "{Input|On standard input}: a line {with|of} {first}, then lines {with|of} {row}. Output: "
    "{one|a single} line {with|of} {out}.",
    "The first line {it reads|of standard input} {gives|has} {first}, the {others|rest} {row} "
    "each; {the answer|what it says} is one line, {out}.",
    "{After|Behind} {first} {on|in} the first line, standard input {has|lists} {row} line by "
    "line; {print|write} {out} {with|and} single blanks between.",
    "{Give|Feed} it {first}, {and|then} on lines of their own {row}; {from|on} standard output "
    "{comes|we expect} {out} {in|as} one line.",
)
DRAW = (
    "A draw {replaces|turns} the state, at first the seed, {by|into} {step} modulo 2^32, "
    "{and|then} {takes|picks} {pick} of the {values|observations} in {input order|the order of "
    "input}, counted from 0.",
    "{Start|Begin} with the seed as x. {For|At} {every|each} draw set x to {step} modulo 2^32 "
    "and {take|use} value number {pick}, {from 0 on|counting from 0}, in input order.",
    "{Each|Every} draw {steps|moves} the generator, x becomes {step} modulo 2^32 (x "
    "{starts|begins} as the seed), and {selects|yields} the value at {pick} in input order, "
    "{the first|counting the first} as 0.",
    "The generator is {step} modulo 2^32 {beginning|starting} {from|at} the seed; {after|with} "
    "{every|each} step, index {pick}, from 0 in input order, {names|is} the value {drawn|taken}.",
    "{Indexes|The index} {of draws|drawn} {come|comes} from {pick}, counted from 0 {in|along} "
    "the input, {after|once} x has {gone|changed} to {step} modulo 2^32; the seed is {its|the} "
    "first x.",
    "{Let|Have} x be the seed. {Drawing|To draw} means: x is {step} modulo 2^32, {then|and} the "
    "value {at|with} index {pick} in input order ({first|the first} is 0) {is|gets} "
    "{drawn|picked}.",
)
WHOLE = (
    "A {replicate|resample} {has|takes} as many draws as there are {values|observations}, n in "
    "all; the {first column|stratum} {plays no part|is ignored}.",
    "n is the {number|count} of observations, {and|which is} the {number|count} of draws "
    "{in|of} a replicate; {strata|labels} are {ignored|not used}.",
    "For {one|each} replicate {draw|make} n {times|draws}, n being the {number|count} of "
    "{all|the} observations, whatever {stratum|label} they have.",
    "{Ignore|Disregard} the strata; {each|every} replicate {consists of|is} n draws from "
    "{all|the whole of} the n values.",
    "{Every|Each} replicate {comes|is} from n draws {over|among} all n values {together|at "
    "once}; {labels|strata} do not {matter|count}.",
    "{All|The} n values form one pool, {labels|strata} {or not|aside}, from which a replicate "
    "{takes|draws} n {times|of them}.",
)
SPLIT = (
    "{Strata|The strata} are {resampled|drawn from} {separately|one by one}, in byte order of "
    "{name|their names}: as many draws as the stratum has values, n {its|being their} number.",
    "A replicate {goes|works} stratum by stratum, names in byte order, with n draws "
    "{from|among} the n values of {each|every one}.",
    "{Within|In} a replicate {take|visit} the strata in byte order {of their names|by name} and "
    "draw n times {from|within} {each|every one}, n {being|is} its own size.",
    "{Stratify|Keep strata apart}: for {each|every} stratum in byte order of {names|the name}, "
    "n draws {among|from} its own n values, then the next.",
    "n {is|means} the size of a stratum; {each|every one} gets n draws {of|from} its own "
    "values, {the strata|all} in byte order of {name|their names}.",
    "The strata {come|follow} in byte order; {of|from} each with n values, n are {drawn|taken} "
    "{before|ahead of} the next one, {for|in} every replicate.",
)
STATISTIC = (
    "{Sort|Order} a replicate, {drop|cut} {trim} of its size (cut to {an integer|a whole "
    "number}) at {either|each} end, {and|then} {record|note} 1000 times the sum {of the "
    "rest|left} over its count, cut off.",
    "{Its|The} statistic is the mean in thousandths, {cut off|rounded down}, without the "
    "{lowest|smallest} {trim} and the {highest|largest} {trim} of it ({number|count} rounded "
    "down).",
    "{Of|From} every replicate {remove|discard} the {lowest|smallest} and the {highest|largest} "
    "{trim} (a count {rounded|cut} down), {then|and} take `floor(1000 * sum / count)`.",
    "{Per|For each} replicate, the {trimmed|truncated} mean counts: {trim} off {each|either} "
    "end, {rounded|cut} down to {whole|full} values, 1000 times the {rest's|remaining} sum "
    "divided by its count, {floored|rounded down}.",
    "{Thousandths|Units} of 0.001, rounded down, {express|give} the mean of a replicate whose "
    "{outer|extreme} {trim} on {each|either} side (a {number|count} rounded down) {is|was} "
    "{dropped|removed}.",
    "{Let k be|Take as k} {trim} of the replicate's size, rounded down; {without|leaving out} "
    "its k {smallest|lowest} and k {largest|highest}, the statistic is the {integer|whole} part "
    "of 1000 times the mean.",
)
BOUNDS = (
    "{Sort|Order} {the|all} B statistics; {low}, {middle} and {high} {are|mean} those {at|with} "
    "index {rule}, from 0, for p = {places}.",
    "{With|For} p = {places}, the sorted statistics at {place|index} {rule}, {counted|counting} "
    "from 0, {give|are} {low}, {middle} and {high}; B {is|means} {the number of|how many} "
    "replicates.",
    "{Out|What comes out} of B {ascending|sorted} statistics: {low}, {middle}, {high}, "
    "{found|standing} at {rule}, {counting|counted} from 0, where p {is|goes through} {places}.",
    "{low}, {middle} and {high} {stand|are found} at {index|place} {rule} ({from|counting from} "
    "0, {with |}p = {places}) {among|of} the B statistics {in ascending order|once sorted}.",
    "B replicates {make|give} B statistics; {ascending|sorted}, number {rule}, "
    "{beginning|starting} at 0, with p {of|being} {places} {is|means} {low}, {middle}, {high}.",
    "{Percentiles|Bounds} are {plain|simple}: {sort|order} the B statistics, {look|read} at "
    "{rule}, from 0; p = {places} {gives|yields} {low}, {middle}, {high}.",
)
REPORT = (
    "{Apply|Run} it also {on|to} {columns} of {source}, strata from {stratum}, with seed {seed} "
    "and {count} replicates {each time|for each}: {report} {with|under} {header}.",
    "{report} ({header}) {gets|has} a line for {columns}, in {this|that} order: {source}, "
    "strata in {stratum}, seed {seed} {every time|for each}, {count} replicates.",
    "{For|Of} {columns} in {source} {write|put} one line {each|apiece} {to|into} {report}, "
    "header {header}, seed {seed} {anew|again} for each, {count} replicates, strata {by|from} "
    "{stratum}.",
    "{source} {has|holds} the {data|sample}, {stratum} {names|gives} the stratum. {With|Use} "
    "seed {seed} and {count} replicates for {columns}, {and fill|filling} {report} "
    "{under|below} {header}.",
    "{Then|Finally} {columns} of {source}: seed {seed}, {count} replicates, {stratum} {as|is} "
    "the stratum, a CSV line {each|apiece} in {report} {under|after} {header}.",
    "CSV {report} {starts|begins} with {header}; {from|out of} {source} it {reports|covers} "
    "{columns}, strata {in|from} {stratum}, {every one|each} with seed {seed} and {count} "
    "replicates.",
)


def say(
    *,
    plan: Plan,
    language: str,
    program: str,
    report: dict[str, str],
) -> tuple[Clause, ...]:
    """Return the clauses."""
    names = {"low": "`low`", "middle": "`middle`", "high": "`high`"}
    feed = {"first": "seed and replicates", "row": "stratum and value"}
    draw = {
        "step": f"`{plan.multiplier} * x + {plan.increment}`",
        "pick": "`(x >> 16) % n`",
    }
    places = {"rule": "`floor(B * p / 1000)`", "places": f"{plan.tail}, 500 and {1000 - plan.tail}"}
    return (
        Clause("goal", GOAL, facts={"language": language, "program": program}, role="goal"),
        Clause("feed", FEED, facts=feed | {"out": "`low middle high`"}, role="format"),
        Clause("draw", DRAW, facts=draw, bullet=True),
        Clause("strata", SPLIT if plan.strata else WHOLE, bullet=True),
        Clause("statistic", STATISTIC, facts={"trim": f"{plan.trim} %"}, bullet=True),
        Clause("bounds", BOUNDS, facts=places | names, bullet=True),
        Clause("report", REPORT, facts=report, role="output"),
    )
