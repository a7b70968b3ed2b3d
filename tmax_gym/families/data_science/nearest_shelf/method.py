"""The method sheet of a nearest-shelf task, in one of many wordings."""

from __future__ import annotations

from tmax_gym.families.data_science.nearest_shelf.plans import HASHES, Plan
from tmax_gym.families.shared import sheets
from tmax_gym.rng import Rng

WORDS = (
    "{Texts|A text} {become|becomes} lower case; {words|its words} are the longest runs of {run}, "
    "{and those|the ones} of fewer than {shortest} characters are {left out|dropped}.",
    "{Fold|Turn} a text to lower case and {cut|split} it into words, {longest|maximal} runs of "
    "{run}; {skip|drop} words with fewer than {shortest} characters.",
    "{Words|A text's words} are its longest runs of {run} after {folding|turning} it to lower "
    "case, {but|though} none {counts|matters} below {shortest} characters.",
    "{Everything|All text} is lower case {first|to begin with}. {Runs|Longest runs} of {run} are "
    "words; {a|one} word needs {shortest} characters {at least|or more}.",
    "{Take|Read} a text in lower case as words, {that is|meaning} longest runs of {run}; {discard|"
    "leave out} what is shorter than {shortest} characters.",
    "{In|From} a text in lower case {take|pick} the longest runs of {run} {as|for} words, but "
    "{only|just} those with {shortest} characters or more.",
)
FEATURES = (
    "{Features|The features} of a text are {features}; {each|every one} is hashed: {hash}.",
    "{Hash|Take the hash of} {each|every} feature, {features}, {like this|so}: {hash}.",
    "{A|The} text {has|gives} these features: {features}. {Their|The} hash is {hash}.",
    "{As|For} features {take|use} {features}, and {hash|reduce} {each|every one} {thus|this way}: "
    "{hash}.",
    "{It is|They are} {features} that {make|become} features, {hashed|and are hashed} {so|thus}: "
    "{hash}.",
    "{Count|Use} {features} as features; the hash of {one|a feature} is {hash}.",
)
VECTOR = (
    "A vector has {axes} axes. {Each|Every} feature adds {weight} to axis {axis}{sign}.",
    "{Vectors|All vectors} have {axes} axes, {numbered|counted} from 0; a feature adds {weight} to "
    "axis {axis}{sign}.",
    "{On|With} {axes} axes from 0 on, a feature of hash h {puts|adds} {weight} {to|on} axis "
    "{axis}{sign}.",
    "{Start|Begin} with {axes} zeros. {A|Each} feature with hash h adds {weight} at {place|axis} "
    "{axis}{sign}.",
    "A text {becomes|is} {axes} numbers: {every|each} feature, h its hash, adds {weight} to "
    "number {axis}, {counted|counting} from 0{sign}.",
    "{There are|Take} {axes} axes. {Add|Count} for {each|every} feature {weight} on axis {axis} "
    "of it, h {being|meaning} the hash{sign}.",
)
PRINTED = (
    "`vectors` {prints|gives} a line {an|per} item: its name and its numbers, {blank-separated|"
    "with single blanks}.",
    "{For|On} `vectors` {print|write} each item's name and {its|the} numbers {on a line|in one "
    "line}, {apart by|separated by} blanks.",
    "`vectors` {lists|has} the items in input order, name first, {then|and} the numbers, all "
    "{separated by|with} single blanks.",
    "{A|One} line {for|of} {each|every} item {answers|is printed for} `vectors`: name, {then|and "
    "after it} the numbers with blanks {between|between them}.",
    "{In|With} `vectors` {each|every} item is a line, {made of|with} name and numbers and "
    "{single|one} blanks between.".replace("{single|one} blanks", "blanks {in|}"),
    "`vectors`: name and numbers of {each|every} item on a line of its own, {parted|separated} by "
    "blanks.",
)
COVARIANCE = (
    "{The|A} covariance of two axes is {formula} over all {items|n items}, {without|never with} "
    "requests; `covariance` {prints|gives} {as row i|in row i} those of axis i with {axes|axis} 0 "
    "to i, blanks between.",
    "{Over|Across} the n items (requests {apart|left aside}) {formula} is the covariance of two "
    "axes; {for|on} `covariance` {print|write} {a|one} line an axis i, {with|for} axes 0 to i, "
    "blank-separated.",
    "`covariance` prints the lower triangle {line by line|row by row}, axis i with 0 to i, {with "
    "blanks|blank-separated}; {a|one} covariance is {formula}, n {counting|being} the items, "
    "never requests.",
    "{Take|Compute} {formula} for axes x and y over the n items, requests {excluded|not counted}: "
    "{that is|it is} their covariance. `covariance` {shows|prints} of axis i {those|the ones} "
    "with 0 to i {on|in} a line, with blanks.",
    "{For|With} n items and no request, {formula} is what x and y have as covariance; {row|line} i "
    "of `covariance` {holds|has} axis i against 0 to i, {blanks|single blanks} between.",
    "Covariance {means|is} {formula}, sums over the n items {only|alone}; {of|under} `covariance` "
    "{print|give} {each|every} axis i with axes 0 to i {on one line|in a line}, blank-separated.",
)
DIRECTION = (
    "{Before|Ahead of} the axes are chosen, the common direction goes: v is all ones, {then|and} "
    "{rounds} times w = C v (C the covariances) and v = {scaled}; {each|every} "
    "vector x, requests too, becomes {without}.",
    "{Remove|Take out} the common direction first: {start|begin} with v all ones, {rounds} times "
    "{set|put} w = C v with the covariances C and v = {scaled}; {then|now} x is "
    "{without} for items and requests.",
    "{Find|Get} v by power iteration: all ones, {rounds} times multiplied by the covariances and "
    "{scaled|brought} to {scaled}. {Replace|Change} every vector x, {of items and "
    "requests|a request's too}, by {without}.",
    "{All|The} vectors share a direction v, which {leaves|is taken out}: from all ones, {rounds} "
    "rounds of w = C v (covariances C) and v = {scaled}, then x {turns into|"
    "becomes} {without}, {requests included|also for requests}.",
    "v {begins|starts} as all ones; {rounds} times w is the covariances times v, and v {becomes|"
    "is then} {scaled}. {Items|Vectors of items} and requests lose it: x {becomes|"
    "is now} {without}.",
    "{With|Having} C the covariances, {repeat|do} {rounds} times from v all ones: w = C v, v = "
    "{scaled}. {Afterwards|After that} {each|every} x, request or item, is "
    "{without}.",
)
WITHOUT = (
    "{Divisions|All divisions} there are cut towards zero, {entry by entry|for each entry}, and "
    "covariances are {taken|computed} {anew|afresh} from the items {afterwards|after it}.",
    "{Cut|Drop} the fraction of {each|every} quotient there towards zero, and {compute|take} the "
    "covariances {anew|again} from the changed items.",
    "{Entries|Quotients} are {whole|integers} there, {cut|truncated} towards zero; {new|fresh} "
    "covariances {come|are made} from the items {so changed|as changed}.",
    "{Fractions|The fractions} of quotients fall away there (towards zero), {and|while} "
    "covariances are {recomputed|done again} on what the items {became|are now}.",
    "{Towards zero|To zero} is where those quotients are {cut|rounded}, and {the|all} covariances "
    "{used|needed} from here on {come|are} from the changed items.",
    "{Round|Cut} such quotients towards zero. {From|After} this {step|point} on covariances are "
    "those of the {changed|new} items.",
)
AXES = (
    "{Go|Run} through the axes by falling variance, {lower|smaller} number first if equal, and "
    "{keep} `axes` {prints|shows} {shown}.",
    "{Axes|The axes} are {taken|tried} in order of variance, {largest|greatest} first and of equal "
    "ones the lower number; {keep} {For|On} `axes` print {shown}.",
    "{By|From} largest to smallest variance, {ties|equals} by lower number, {look at|take} the "
    "axes and {keep} `axes` {gives|prints} {shown}.",
    "{Sort|Order} the axes by variance, {falling|descending}, equal ones by number, and {keep} "
    "{Printed|Out} {for|by} `axes` {come|is}: {shown}.".replace("{come|is}", "{are|come}"),
    "{Not|By no means} all axes stay: {largest|greatest} variance first, lower number if equal, "
    "{keep} `axes` {answers|prints} {shown}.",
    "{Reduce|Thin out} the axes: {in|by} falling variance, the lower of equals first, {keep} The "
    "answer to `axes` is {shown}.",
)
REQUEST = (
    "A request is {request}.",
    "{For|As} a request {take|use} {request}.",
    "{Requests|The requests} are {request}.",
    "{What|The thing that} is asked for is {request}.",
    "{Each|Every} request {means|is} {request}.",
    "{Read|Understand} a request as {request}.",
)
NEAREST = (
    "`nearest` {ranks|orders} items by {measure}, of equal ones the {tie} in the input first, on "
    "the kept axes {alone|only}; {print|write} the names of the first COUNT {a|per} request, one "
    "line each, {with blanks|blank-separated}.",
    "{On|Over} the kept axes `nearest` {goes|sorts} by {measure}, {ties|equals} with the {tie} in "
    "the input first, and {prints|gives} COUNT names {on a line|in one line} for {each|every} "
    "request, blank-separated.",
    "{For|On} `nearest` {print|write} {a|one} line a request: COUNT names by {measure} {on|over} "
    "the kept axes, and {if|where} equal the {tie} in the input {first|leading}, {single|} "
    "blanks between.",
    "{Nearness|What is near} {is|counts} by {measure} on the kept axes, and {among|of} equals the "
    "{tie} in the input {is|comes} first; `nearest` {has|prints} COUNT names {for|on} a request's "
    "line, with blanks.",
    "`nearest` {answers|fills} a line per request with COUNT names, blank-separated, {ranked|"
    "ordered} on the kept axes by {measure}, {then|and} the {tie} in the input first.",
    "{Compare|Rank} on kept axes {only|alone}: {measure}, {else|then} the {tie} in the input "
    "first. `nearest` {prints|gives} {each|every} request's first COUNT names {on|in} a line, "
    "blanks between.",
)


def sheet(plan: Plan, rng: Rng) -> str:
    """Return the method sheet, in one of many wordings."""
    direction = (DIRECTION, WITHOUT) if plan.removed else ()
    sections: tuple[sheets.Section, ...] = (
        ("vectors", (WORDS, FEATURES, VECTOR, PRINTED)),
        ("covariance", (COVARIANCE,)),
        ("axes", (*direction, AXES)),
        ("nearest", (REQUEST, NEAREST)),
    )
    return sheets.sheet(sections, _facts(plan), rng)


def _facts(plan: Plan) -> dict[str, str]:
    """Return every phrase that a plan needs."""
    start, factor = HASHES[plan.hash]
    mixed = f"h = (h xor b) * {factor}" if plan.hash == "fnv" else f"h = h * {factor} + b"
    top, bottom = plan.limit
    chosen = (
        f"keep the first {plan.kept}."
        if plan.reduce == "variance"
        else "keep an axis unless its variance is 0 or its covariance with one kept earlier, "
        f"squared, times {bottom} is more than {top} times the product of both variances."
        if top > 1
        else "keep an axis unless its variance is 0 or its covariance with one kept earlier, "
        f"squared, times {bottom} is more than the product of both variances."
    )
    kept = "the numbers of the axes kept, in the order in which they were"
    return {
        "run": "letters a to z and digits" if plan.digits else "letters a to z",
        "shortest": str(plan.shortest),
        "features": {
            "words": "all words",
            "pairs": "all words and all pairs of neighbours `a+b` among the words that are left",
            "trigrams": "all runs of three characters in each word put between two `#`",
        }[plan.features],
        "hash": f"h = {start}, then `{mixed}` mod 2^32 for each byte b",
        "axes": str(plan.axes),
        "axis": f"`(h >> 16) mod {plan.axes}`" if plan.high else f"`h mod {plan.axes}`",
        "weight": {
            "count": "1 each time it occurs",
            "once": "1, and that only once a text however often its hash occurs,",
            "rarity": "the whole part of `n / d` each time it occurs (n items, d of them with this "
            "hash, nothing where d is 0)",
        }[plan.weight],
        "sign": f", or takes it away where bit {plan.signed} of h (the lowest is 0) is set"
        if plan.signed >= 0
        else "",
        "formula": "`n * sum(x * y) - sum(x) * sum(y)`",
        "rounds": str(plan.rounds),
        "scaled": "`64 * w / largest |w|`",
        "without": "`x - v * (v . x) / (v . v)`",
        "keep": chosen,
        "shown": f"v on one line and on the next {kept}" if plan.removed else kept,
        "request": "the names of items that somebody liked, whose vectors are added up and "
        "which are not named again"
        if plan.liked
        else "a text like those of the items, made a vector in the same way",
        "measure": {
            "cosine": "the cosine between the two vectors, compared exactly, largest first (0 with "
            "a zero vector)",
            "euclid": "squared Euclidean distance, smallest first",
            "manhattan": "the sum of absolute differences, smallest first",
            "dot": "the dot product, largest first",
            "signs": "how many axes agree in sign (plus, minus or zero), most first",
        }[plan.measure],
        "tie": "later" if plan.late else "earlier",
    }
