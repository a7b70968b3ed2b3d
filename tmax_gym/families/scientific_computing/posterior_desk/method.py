"""The method sheet of a posterior-desk task, in one of many wordings."""

from __future__ import annotations

from tmax_gym.families.scientific_computing.posterior_desk.phrases import facts
from tmax_gym.families.scientific_computing.posterior_desk.plans import Plan
from tmax_gym.families.shared import sheets
from tmax_gym.rng import Rng

GROUPS = (
    "{first} has m readings and {second} {has|} n, {each|both} kept in input order. A "
    "lower median is the middle reading, {and|} of two the smaller; `//` {divides and drops|drops} "
    "the fraction.",
    "{Write|Say} m for the {number|count} of {first} readings and n for {second}; {either|each} "
    "group {stays|is left} in input order. {With|Given} two middle readings, the lower median is "
    "the smaller. `//` {drops|cuts off} the fraction.",
    "{Below|Here} m and n {count|are the numbers of} {first} and {second} readings, whose {input "
    "order|order of input} {counts|matters}. The lower median is the smaller of two middle "
    "{ones|readings}, and `//` {drops|leaves out} the fraction.",
    "{Let|Have} m be the {number|count} of {first} readings, n that of {second}, {always|all} in "
    "input order. A lower median is the middle one, {and|} of two the smaller; `//` is "
    "division {without|less} the fraction.",
    "Of {first} there are m readings and of {second} n, {used|taken} in the order of input; the "
    "lower median of an even {number|count} is the smaller {one in|of} the middle. `//` {means|"
    "is} the whole part of a quotient.",
    "{Groups|Both groups} {keep|stay in} their input order: {first} with m readings, {second} "
    "with n. Lower median: the middle, the smaller {one|} where there are two. `//` "
    "{keeps|gives} the whole part of a quotient.",
)
DRAW = (
    "Chance comes from {step}, x {being|starting as} the seed; {after|with} each step r is `x >> "
    "16`, and {below} {means|is} one such draw, {pick}.",
    "{below} {stands for|is} one draw: {do|apply} {step} (x {starts|begins} as the seed), {set|"
    "let} r to `x >> 16`, {take|give} {pick}.",
    "{For|At} {each|every} draw {below} {advance|move on} the generator by {step} from the seed "
    "on and {return|yield} {pick} with r = `x >> 16`.",
    "{The|Our} generator {begins|starts} at x = seed and {goes|steps} {step}; {a draw|drawing} "
    "{below} {takes|is} one step and {yields|gives} {pick}, r being `x >> 16` {then|after it}.",
    "{Drawing|To draw} {below} {means|is}: {step} {once|one time}, r = `x >> 16`, {result|value} "
    "{pick}. The seed is the {first|initial} x.",
    "{With|From} x = seed {at first|to begin with}, {every|each} draw {below} {does|makes} {step} "
    "and {gives|is} {pick}, {where|in which} r is `x >> 16`.",
)
DENSITY = (
    "{cells} cells of {width} readings {each|apiece}, cell 0 {from|starting at} 0. A reading "
    "{adds|gives} {kernel}; {edge}. {Print|Write} the {first} weights of {all|the} cells, `|`, "
    "then {second}'s, {all|everything} separated by {single|} blanks.",
    "`density` {cuts|divides} the range into {cells} cells, {width} readings wide. {Each|Every} "
    "reading adds {kernel}; {edge}. It {prints|gives} {first}'s weights, a `|` and {second}'s, "
    "with {single|} blanks {between|throughout}.",
    "{For|On} `density` there are {cells} cells, {each|every one} {width} readings wide, {from 0|"
    "the first at 0}; {each|a} reading {contributes|adds} {kernel}, and {edge}. Print {first}'s "
    "weights, {then|} `|`, {then|and} {second}'s, blank-separated.",
    "`density` {prints|lists} weights of {cells} cells for {first}, then `|`, then for {second}, "
    "{all with|with} single blanks. A cell {is|spans} {width} readings, {counted|laid out} from 0; "
    "a reading {puts|adds} {kernel}, {and|while} {edge}.",
    "{Estimate|Get} `density` on {cells} cells ({width} readings each, {from|beginning at} 0): "
    "{every|each} reading adds {kernel}; {edge}. {Output|Print}: weights of {first}, `|`, weights "
    "of {second}, {blanks|a blank} between {words|items}.",
    "{A|The} `density` is {cells} weights {a|per} group, {first} before {second} with `|` "
    "between, {separated by|and} {single|} blanks; cells {span|cover} {width} readings from 0 "
    "on. {Each|A} reading adds {kernel}; {edge}.",
)
GAP = (
    "`gap`: {divide|scale} {both|the two} densities by their {own|} totals to get shares p "
    "({first}) and q ({second}), with running sums P and Q; {print|give} {distance} as {form}.",
    "`gap` {is|prints} {distance}, {as|written} {form}, p and q being {first}'s and {second}'s "
    "weights {divided by|over} their own total, P and Q {their|the} running sums.",
    "{For|On} `gap` {turn|make} the two densities {into|to} shares of their totals, p of {first} "
    "and q of {second}, {sum|add} them up from cell 0 {as|to} P and Q, {and|then} print "
    "{distance}: {form}.",
    "{Let|Have} p and q be {first}'s and {second}'s share of its density in {a|each} cell, P "
    "and Q {the|their} sums up to {that|this} cell: `gap` {is|prints} {distance} {as|in} {form}.",
    "`gap` {measures|tells} how far {first} (p) and {second} (q) are apart, densities {made|"
    "turned into} shares of their {totals|own sum} and P, Q cumulative: {distance}, {printed as|"
    "as} {form}.",
    "{The|A} `gap` {between|of} {first}, with shares p of its density per cell, and {second}, "
    "with q ({cumulative|summed up}: P and Q), is {distance}; {print|show} {form}.",
)
STATISTIC = (
    "`test` {uses|takes} {statistic}; {call|name} this the statistic.",
    "The statistic {in|of|for} `test` is {statistic}.",
    "{As|For a} statistic `test` {has|takes} {statistic}.",
    "`test` {goes|works} by {one|a} statistic: {statistic}.",
    "{What|The statistic that} `test` {looks at|computes} is {statistic}.",
    "{In|For} `test` the statistic {means|is} {statistic}.",
)
SHUFFLE = (
    "{Pool|Line up} {first} {before|ahead of} {second} in places from 0; {each|every} round {"
    "starts|begins} from {again}: {shuffle}. {Then|Now} the first m places {count|stand} as "
    "{first}.",
    "{The pool|The row} is {first} followed by {second}, places {counted|numbered} from 0. A round "
    "{shuffles|mixes} {again}: {shuffle}; its first m places are {first} {now|then}.",
    "{Every|Each} round {mixes|shuffles} {again} (the pool {is|being} {first}, then {second}, "
    "place 0 first): {shuffle}, {and|then} {reads|takes} the first m places as {first}.",
    "{With|Given} {first} and then {second} in {one|a} row of places 0, 1 and on, a round takes "
    "{again}, {and there|where} {shuffle}; the first m {become|are} {first}.",
    "{Rounds|A round} {of|in} `test`: from {again} (the pool: {first}, {then|behind it} {second}, "
    "{counted|places} from 0), {shuffle}; {afterwards|then} m places {in front|at the front} are "
    "{first}.",
    "{Start|Begin} {each|every} round {with|from} {again}, the pool being {first}, then {second}, "
    "from place 0. {Go on|Continue}: {shuffle}. {Take|Use} the first m {places|ones} as {first}.",
)
SHARE = (
    "{Print|Write} the statistic of the {input|data as given} and {share}, reduced {like|as} "
    "{above|in `gap`}, u rounds {being|lying} above it and e equal to it.",
    "{With|Given} u rounds {above|over} and e {equal to|at} the statistic of the {input|"
    "unshuffled groups}, `test` prints the latter and {share}, {again|also} reduced.",
    "`test` {prints|answers} two words: the statistic of the {input itself|unmixed groups}, and "
    "{share} {reduced|in lowest terms}, with u rounds {exceeding|above} it and e {that equal|"
    "equal to} it.",
    "{Out come|Printed are} the {observed|unshuffled} statistic and the {reduced|shortened} "
    "fraction {share}, u rounds {lying|being} above {the former|it} and e on it.",
    "{With|For} u rounds {above|beyond} the {observed|unmixed} statistic and e {rounds|} equal "
    "to it, {print|give} that statistic, {then|and} {share} reduced.",
    "The {answer|line} of `test` is the {observed statistic|statistic of the given groups} and "
    "{share} in lowest terms: u {counts|is} {the|all} rounds above, e {the ones|those} "
    "equal to it.",
)
INTERVAL = (
    "`interval` resamples: {each|every} round {makes|takes} {draws}, {naming|which name} places "
    "from 0 in a group's input order, and {notes|records} {estimate}.",
    "{A|Each} round of `interval` {is|takes} {draws}, places {counted|numbered} from 0 in input "
    "order, {and|then} {computes|finds} {estimate} of {what was drawn|the resample}.",
    "{For|In} `interval` {bootstrap|resample} {both|the two} groups {in|every} round: {draws} "
    "({as|being} places from 0, input order). {Keep|Note} {estimate}.",
    "`interval` is a bootstrap. {Per|In a} round {come|there are} {draws}, each {giving|picking} "
    "the reading at that place of {its|the} group (0 first, input order); {its|the} value is "
    "{estimate}.",
    "{Bootstrap|Resample} for `interval`: {draws} a round, {each|every one} a place from 0 in the "
    "group as read, {yielding|giving} {estimate}.",
    "{The rounds|Rounds} of `interval` {each|} {need|make} {draws}, {as|taken as} places from 0 "
    "in input order, and {give|yield} {estimate}.",
)
BOUNDS = (
    "{Sort|Order} the values of all rounds; with k = {cut}, `low` is entry k from the {bottom|"
    "start} and `high` entry k from the {top|end} (the outermost is entry 0). {Print|Write} "
    "{bounds} with the observed value {between|in the middle}.",
    "{Let|With} k be {cut}; `low` and `high` are the sorted values {number|at} k from {below|the "
    "low end} and k from {above|the high end}, the outermost {counting|being} 0. {Printed "
    "are|Out come} {bounds} with the observed value {between|in between}.",
    "`low` {and|as well as} `high` {come|are} k = {cut} places inside the ends of the sorted "
    "values (k = 0 {is|means} the very end). {It prints|Print} {bounds} and {between them|in the "
    "middle} the observed value.",
    "{Go|Step} k = {cut} places in from {either|each} end of the sorted values (0 {places|} "
    "being the end itself) {to find|for} `low` and `high`; {the line|it} has {bounds}, and the "
    "observed value {between|in between} them.",
    "{Of|Among} the sorted values {skip|pass over} k = {cut} at each end; the next ones are `low` "
    "and `high`. {Write|Print} {bounds} with the {value|one} of the {given|unresampled} groups "
    "(observed) {between|in the middle}.",
    "{After|Once} sorting, k = {cut} values {drop|fall} off at {both|either} ends and those then "
    "outermost are `low` and `high`; {give|print} {bounds}, {and between|with} the observed value "
    "{of the input|} {between them|in between}.",
)
ENERGY = (
    "`posterior` is a Metropolis chain {over|for} {whole|all whole} t from 0 to {top}: its "
    "energy is {loss} summed over the {second} readings y, plus {prior}, where c is the "
    "lower median of {first}.",
    "`posterior` {runs|walks} over whole t from 0 to {top}. {Energy|The energy} {adds|sums} "
    "{loss} for {each|every} reading y of {second}, {and|then adds} {prior}; c {is|means} the "
    "lower median of {first}.",
    "{For|In} `posterior` a level t (0 to {top}, whole) of {second} has {as energy|the energy} "
    "the sum of {loss} over {its|the} readings y, {to which|and} the prior {adds|gives} {prior}, c "
    "being {first}'s lower median.",
    "{What|The level that} `posterior` {explores|samples} is t, whole, 0 to {top}, {with|of} "
    "energy: {loss} {added|summed} over {second}'s readings y, and {prior} on top, {with|taking} c "
    "as lower median of {first}.",
    "{Let|Have} c be the lower median of {first}. `posterior` {moves|steps} t {within|through} "
    "0 to {top}, {its|the} energy being the sum of {loss} over y in {second}, plus {prior}.",
    "{Sample|Explore} t, whole, {between|within} 0 and {top}, in `posterior`: energy is {loss} "
    "for {each|every} y of {second}, {added up|summed}, plus {prior} ({first}'s lower median is "
    "c).",
)
STEP = (
    "The chain {starts|begins} at {begin}. {Each|Every} round proposes {proposal}; what {leaves|"
    "falls outside} the range {wall}.",
    "{Start|Begin} {at|from} {begin}. A step's proposal is {proposal}; {one|a proposal} out of "
    "range {wall}.",
    "{From|Starting from} {begin}, a round {proposes|suggests} {proposal}; outside the range it "
    "{wall}.",
    "{At first|To start with} t is {begin}; {each|every} round {puts forward|proposes} {proposal}, "
    "and {whatever|a value that} is out of range {wall}.",
    "{Proposals|A proposal}, t {being|starting at} {begin}, {are|is} {proposal}; {anything|a "
    "value} beyond the range {wall}.",
    "{With|Having} t at {begin} {initially|to begin with}, rounds propose {proposal}; {a value|"
    "one} past either end {wall}.",
)
ACCEPT = (
    "A proposal {that raises|raising} the energy by d is taken where `d <= 0`, {otherwise|else} "
    "where a `below(65536)` is less than {mark}; that {draw|number} is {made|drawn} {when}.",
    "{Take|Accept} it if its energy is no higher; if it is {higher by|} d {more|above}, only {if|"
    "when} a draw `below(65536)` is under {mark}. {This|That} draw {happens|is made} {when}.",
    "{With|For} d the rise in energy, `d <= 0` is accepted {always|as such}, {else|any other} if "
    "`below(65536)` {comes out|falls} below {mark}; {draw|it is drawn} {when}.",
    "{Acceptance|It is accepted}: `d <= 0`, d {being|is} the gain in energy, or a number from "
    "`below(65536)`, drawn {when}, {smaller|less} than {mark}.",
    "{Draw|Get} the `below(65536)` of acceptance {when}, d {being|meaning} new minus old energy: "
    "`d <= 0` {passes|is taken}, and {so does|also} a number {under|less than} {mark}.",
    "{Let|Have} d be new {energy|} minus old energy. `d <= 0` is taken; {above that|otherwise} "
    "a number `below(65536)` must be {under|smaller than} {mark}, and it is drawn {when}.",
)
KEPT = (
    "{Rounds|Steps} {number|count} from 1, and t after rounds {kept} is kept. {Print|Write} the "
    "{accepted|taken} proposals, 100 times the mean of what is kept, {cut off|rounded down}, and "
    "the sorted kept values {tail} places in from {either|each} end.",
    "{Keep|Note} t after rounds {kept}, counted from 1. {Printed are|Out come} how many "
    "proposals were taken, 100 times the kept mean {rounded|cut} down, and of the sorted kept "
    "ones those {tail} places inside {either|each} end.",
    "{Of|From} the rounds, counted from 1, {kept} {are|get} kept. The line {has|gives} the "
    "{number|count} of proposals taken, 100 times the mean kept {cut|rounded} down, then the "
    "kept values {tail} places from the {low|lower} and from the {high|upper} end, sorted.",
    "{After|As of} rounds {kept} (the first is 1) t is kept. {Print|Give} the "
    "count of {taken|accepted} proposals, the kept mean in hundredths {cut|rounded} down, and "
    "after sorting the kept entries {tail} in from {each|either} end.",
    "{What|The t that} rounds {kept} {leave|end with} is kept (round 1 is the first). {It prints|"
    "Print}: proposals accepted, kept mean times 100 {without|less} its fraction, {lower|low} and "
    "{upper|high} kept value {tail} places inside the sorted list.",
    "{Store|Keep} the t of rounds {kept}, {the first round|numbering} being 1, and {print|give} "
    "{accepted|taken} proposals, 100 times the mean of those {cut|rounded} down, and {two|both} "
    "quantiles: {tail} places in from either end of them sorted.",
)
SECTIONS: tuple[sheets.Section, ...] = (
    ("groups and chance", (GROUPS, DRAW)),
    ("density", (DENSITY,)),
    ("gap", (GAP,)),
    ("test", (STATISTIC, SHUFFLE, SHARE)),
    ("interval", (INTERVAL, BOUNDS)),
    ("posterior", (ENERGY, STEP, ACCEPT, KEPT)),
)


def sheet(plan: Plan, marks: str, rng: Rng) -> str:
    """Return the method sheet, in one of many wordings."""
    return sheets.sheet(SECTIONS, facts(plan, marks) | _FORMS, rng)


_FORMS = {"below": "`below(n)`", "form": "`a/b` in lowest terms, with b = 1 for whole numbers"}
