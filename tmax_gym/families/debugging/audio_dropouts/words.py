"""Words of the audio-dropouts family: what a stall is, the list of them, and the figures."""

from __future__ import annotations

from collections.abc import Iterable

from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause

HEADER = ("start", "length", "kind")
SAID = {
    "count": (
        "`count` (number of stalls)",
        "`count`, how many there are",
        "their number, `count`",
        "the stalls counted as `count`",
        "`count` for how often it stalled",
    ),
    "lost_ms": (
        "`lost_ms` (all stalls together in milliseconds, rounded down)",
        "`lost_ms`, the whole loss in full milliseconds",
        "what they sum to as `lost_ms`, milliseconds rounded down",
        "`lost_ms` (milliseconds lost altogether, without the fraction)",
        "the total of all lengths, cut to whole milliseconds, as `lost_ms`",
    ),
    "longest": (
        "`longest` (start of the longest one, of equal ones the first)",
        "`longest`, where the longest begins (the earliest such)",
        "the first sample of the longest (first of a tie) as `longest`",
        "`longest`: at which sample the longest starts, on a tie the earliest",
        "as `longest` the `start` of the one that lasts longest, the first among equals",
    ),
    "silent": (
        "`silent` (number of silent ones)",
        "`silent`, how many are silent",
        "the count of silent ones, `silent`",
        "`silent` for those of zeros, counted",
        "how many hold zeros, as `silent`",
    ),
}
GOAL = (
    "{Listen to|Analyse|Go through} {tape}: {the|our} recorder {stalled|hung} {now and "
    "then|several times|repeatedly} and {kept|went on} writing one value. {List|Collect|Find} "
    "{the|all} stalls in {table}.",
    "{tape} has {holes|gaps|dropouts} in it. {Find|Locate|Track down} {all of them|each one} and "
    "{write|put|list} them {into|in} {table}.",
    "While {tape} was {made|recorded|being taken} the {driver|recorder|sound card} "
    "{hung|froze|stood still} {repeatedly|more than once|again and again}; {table} {should|has to} "
    "{say|tell|list} where.",
    "{Somebody|A listener|A customer} {hears|noticed|complains of} {clicks|jumps|dropouts} in "
    "{tape}. {The cause is|Behind them is} a {stalling|hanging} recorder: {please |}{list|put} its "
    "stalls in {table}.",
    "{To|In order to|So that we can} debug the recorder {we need|we want|somebody has to make} "
    "{table}, {a|the} {list|table} of {its|the} stalls {in|throughout} {tape}.",
    "{Which|What} parts of {tape} are {real|sound|honest}, and {what|which of them} is {just|only} "
    "a {stalled|frozen} recorder? {Collect|Gather|List} the {latter|stalls} in {table}.",
    "{Make|Produce|Write} {table}, {a|the} list of {the places|all places} {where|at which} the "
    "recorder {stood still|stalled|got stuck} {during|in} {tape}.",
    "In {tape} the {signal|sound} {freezes|stalls|stands still} {at times|in places|here and "
    "there}, {which|and that} is the recorder's {fault|doing}; {get|bring|enter} {every|each} "
    "stall into {table}.",
    "{Our|The} recorder {drops out|stalls} {under load|now and again|from time to time}, and "
    "{tape} is {proof|an example|such a case}. {Say|Record|Report} in {table} {when|where} it "
    "{did|happened}.",
    "{table} is {missing|wanted|still to be made}: {the|all} stalls of the recorder in {tape}, "
    "{found|located} {to|down to} the {sample|single sample}.",
)
CRITERION = (
    "{A stall is|By a stall we mean|Stall means} {a longest possible|an unbroken|a maximal} run of "
    "{equal|identical} samples, {at least|no fewer than} {least} and {at most|no more than} {most} "
    "{of them|in number|long}; {longer ones|what is longer} {are|counts as} {honest pauses|true "
    "pauses|pauses}.",
    "{Count|Take|Regard} as a stall {any|each|every} {maximal|complete|whole} {run|stretch} of "
    "{least} to {most} {equal|identical} samples{. Anything longer is|, for whatever is longer "
    "is|, while a longer one is} {a|an honest} pause.",
    "{Equal|Identical|Unchanging} samples {in a row|one after another|in succession}, {no "
    "fewer|not fewer} than {least} {and|but|yet} {no more|not more} than {most}, {are|make|count "
    "as} {a|one} stall{; pauses are longer|, whereas pauses are longer|; a longer run is a pause}.",
    "When {least} or more samples {in a row|running|in succession} {are equal|are the same|have "
    "one value}, the recorder {hung|stalled|stood still}, unless {there are|the run has} more than "
    "{most}{: that is a|, which makes it a|, for then it is a real} pause.",
    "{Runs|Unbroken runs|Stretches} of {one and the same|a single|one} value {between {least} "
    "and|from {least} to|of {least} up to} {most} samples {long|in length} {are|count as} stalls; "
    "{shorter ones|shorter runs} {are|come by} chance, {longer ones|anything longer} "
    "{silence|pauses|a pause}.",
    "{We call it|It is} a stall {if|when|where} the value {does not|fails to} {change|move} "
    "{for|over} {least} {samples or more|or more samples}, {but|yet} {not|never} {for|over} more "
    "than {most}, {which|as that} is {a|an honest} pause.",
    "{From|At} {least} samples {on|upwards}, {a|any} run {without a change|of one value|that stays "
    "the same} is {one|a} stall; {beyond|above|past} {most} it is {a|an intended|a genuine} pause "
    "{again|instead} and {not listed|stays out|does not count}.",
    "{Look for|It shows as} {an unchanged|a constant|a repeated} sample value, {least} to {most} "
    "{times|samples} {running|in a row}, {the run|each run} {taken|counted} {whole|in full}. "
    "{Silence|A pause} {lasts|runs} longer{ and is no stall|, and does not count|}.",
    "{Pauses|Honest pauses|Real pauses} {exceed|are longer than} {most} samples. {Shorter|Other} "
    "{runs|stretches} of {one|a single} value {are|count as} stalls {if|provided that|as long as} "
    "{they have|there are} {at least|no fewer than} {least}{ samples|}; {every|each} run {counts "
    "as one|is taken whole}.",
    "{No|There is no} stall {below|under} {least} {equal|identical} samples {in a row|running}, "
    "{nor|and none} {above|over} {most}, {where|for there} {pauses|honest pauses} begin; "
    "{between|within} these {limits|bounds} {every|each} {maximal|unbroken} run is one.",
)
TABLE = (
    "{Its header is|Use the header|The header is} {header}: {number|index|place} of the first "
    "sample ({from|counting from} 0), {samples|how many samples}, and {silent} {where|if} "
    "{their|the} value is 0, {else|otherwise|if not} {stuck}; {rows|lines} {by start|in order|in "
    "time}.",
    "{Begin|Start|Open} it with {header}. {Then|After that} {comes|follows} a {row|line} {per|for "
    "each|for every} stall in {order|time}: {first sample|where it starts}, {counted|numbered} "
    "from 0; {how many|its samples}; {silent} ({zeros|for zeros}) or {stuck}.",
    "{Columns|Its columns|The columns} are {header}, {where|and} sample 0 is the {first of "
    "all|first one|very first}; the kind is {silent} {for|with} {zeros|a value of 0} and {stuck} "
    "{for|with} {any other|another|every other} value. {Sort|Order} {the rows|it} by start.",
    "{Under|Below} {header} {give|write|state} where {each|every} stall {begins|starts} (sample "
    "numbers {from|start at} 0), {how long it is|its length} in samples{,|} and {stuck}, or "
    "{silent} if it {is made|consists} of zeros; {go by time|in order of time}.",
    "{It|The table} {has|needs|gets} the first line {header}. {Positions|Starts} and lengths are "
    "{in|counted in} samples, {the file begins|beginning} with 0; zeros are {silent}, {the "
    "rest|other values|all else} {stuck}; keep the {order of time|temporal order}.",
    "{Format|Layout|Shape}: {header}, then {one|a single} stall {a|per} {line|row} as {it comes|it "
    "follows|they come} in time. {Samples|Positions|Places} {count|are numbered} from 0, and "
    "{a|any} stall of {zeros|the value 0} is {silent}, {any|every} other {stuck}.",
    "{The kind|A stall's kind} is {stuck}, or {silent} {where|when} {all its samples|its values} "
    "are 0; {before it|to its left} {stand|come} {where|at which sample} it {starts|begins} (the "
    "file's first {being|is} 0) and {how many|the number of} samples it {has|lasts}. {header} "
    "{heads|is the first line of} the {table|list}, {sorted|ordered} by {start|position}.",
    "{Silent|Mute} stalls (zeros) are {called|marked} {silent}, {others|the others} {stuck}. "
    "{Put|Set} this word {last|at the end} in {rows|lines} {under|below} {header}, {behind|after} "
    "the first {sample|sample's number}, from 0, and the {number|count} of samples, "
    "{earliest|first} {stall first|on top}.",
    "{One row|A line} {a|per|for each} stall, {ordered|sorted} by {start|position}: {the|its} "
    "first sample {when|if} counting from 0, {the|its} length {in|as} samples, {then|and} {silent} "
    "for {zeros|a zero level} or {stuck} for {a|any|some} other {level|value}. {On top|As a "
    "header} {goes|stands|comes} {header}.",
    "{With|Given} {header} as {the|its} header, {list|enter} {the stalls|every stall} {in order|as "
    "they come}; sample {numbers|positions} {start|begin} {at|with} 0, {lengths|the lengths} are "
    "{sample counts|samples as well|in samples}, and kinds {stuck} and, {for|where there are only} "
    "zeros, {silent}.",
)
FIGURES = (
    "{Add|Also make|Then write} {figures}, {one|a|a single} JSON object {with|of|holding} {asked}.",
    "{Sum up|Summarise|Condense} {the list|the stalls|everything} in {figures}, {as|in} JSON: "
    "{asked}.",
    "{figures} {gets|holds|has} what {management asks|operations ask|the vendor asks} for, {as|in} "
    "{a|one} JSON object: {asked}.",
    "{Numbers|Some numbers|The numbers} for the {ticket|report} go {to|into} {figures} ({JSON|as "
    "JSON}): {asked}.",
    "{From|Out of} the {list|stalls} {derive|compute|work out} {figures}, {an object of JSON|a "
    "JSON object} with {asked}.",
    "{Besides|In addition|Apart from the list}, {JSON in|a JSON object in} {figures} "
    "{says|states|gives} {asked}.",
    "{As|In} JSON, {figures} {reports|records|sums up}: {asked}.",
    "We {also|further} {want|need} {figures}: {one|a} JSON object, {in it|therein} {asked}.",
)
BRIEF_GOAL = (
    "List the stalls of the recorder in {tape}: {table}.",
    "{tape}: {find|list} {the|all} {stalls|dropouts} {of the recorder|in it}, {into|to} {table}.",
    "{Write|Make} {table}, {the|all} stalls {of|in} {tape}.",
)
BRIEF_CRITERION = (
    "A stall is a maximal run of {least} to {most} equal samples.",
    "{Stall|A stall}: {least} to {most} {equal|identical} samples {in a row|running}, {the run "
    "taken whole|as a maximal run}; {longer|a longer one} is {no stall|a pause}.",
    "{Maximal|Unbroken} runs of {equal|identical} samples count {from {least} to|between {least} "
    "and} {most} long.",
)
BRIEF_TABLE = (
    "Header {header}, in samples from 0, kind {silent} (zeros) or {stuck}, by start.",
    "{Columns|Header}: {header}; {places|starts} from 0 {and|, lengths} in samples, {by start|in "
    "order}; {zeros|a zero level}: {silent}, {else|otherwise}: {stuck}.",
    "{Rows|Lines} by {start|position} {under|below} {header}: {first|start} sample from 0, "
    "{samples|length}, {stuck} or, {if zero|for zeros}, {silent}.",
)


def clauses(
    tape: str,
    table: str,
    *,
    bounds: tuple[int, int],
    figures: str,
    asked: Iterable[str],
    rng: Rng,
) -> tuple[Clause, ...]:
    """Return the meaning of a stall, and the outputs; `figures` is "" if none are asked for."""
    header = f"`{','.join(HEADER)}`"
    clauses = [
        Clause("goal", GOAL, facts={"tape": tape, "table": table}, role="goal", brief=BRIEF_GOAL),
        Clause(
            "criterion",
            CRITERION,
            facts={"least": str(bounds[0]), "most": str(bounds[1])},
            brief=BRIEF_CRITERION,
        ),
        Clause(
            "table",
            TABLE,
            facts={"header": header, "silent": "`silent`", "stuck": "`stuck`"},
            role="format",
            brief=BRIEF_TABLE,
        ),
    ]
    if figures:
        asked_for = "; ".join(rng.choice(SAID[name]) for name in rng.shuffled(list(asked)))
        clauses.append(
            Clause(
                "figures",
                FIGURES,
                facts={"figures": figures, "asked": asked_for},
                role="output",
                brief=(
                    "Write {figures}: JSON with {asked}.",
                    "{figures}: {a|one} JSON object, {asked}.",
                    "{JSON in|As JSON in} {figures}: {asked}.",
                ),
            )
        )
    return tuple(clauses)
