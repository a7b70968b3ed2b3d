"""How the unit-police family puts its clauses."""

from __future__ import annotations

_WHY = (
    "{formulas|equations} with {wrong|mismatched} units {keep|go on} {reaching|slipping into} our "
    "{scripts|models}"
    "|a {probe|satellite} {was lost|failed} over {units|mixed units} once"
    "|{nobody|no one} checks the units of our {equations|formulas} {yet|so far}"
    "|{last month|last week} a sum of {lengths and times|masses and currents} {went "
    "into "
    "print|reached a report}"
    "|{reviewers|students} {send|hand} us equations {nobody|no machine} has checked"
    "|units {are|get} mixed up {again and again|too often} in {these|our} equations"
)
GOAL = (
    f"{{{_WHY}}}. {{Write|Build|Make}} {{kind}}, {{program}}, that {{lets only consistent ones "
    "pass|stops them}.",
    f"{{{_WHY}}}; {{hence|so}} {{program}}, {{kind}}, {{should|is to}} {{judge|check}} the units "
    "of "
    "an equation and accept or {reject|refuse} it.",
    "{Write|Make|Build} {kind} at {program} that {tells|separates} dimensionally {consistent|"
    "sound} "
    "equations from {others|the rest}.",
    "{program}, {kind}, {should|is to|will} {judge|check} {the units of an equation|an equation "
    "by "
    "its units} and {accept|pass} or {reject|refuse} it.",
    "{Before|Ahead of} {a release|release|publication} every {formula|equation} {passes|goes "
    "through} a unit check that {does not exist|is missing} {yet|so far}: {program}, {kind}.",
    "We {need|want} {kind} ({program}) to {accept|pass} an equation only if {both|the two} "
    "{sides|of its sides} have the same units.",
    f"{{{_WHY}}}. We {{need|want}} {{kind}}, {{program}}, {{which|that}} {{refuses|rejects}} "
    "{inconsistent equations|an equation that does not add up}.",
)
_IN = (
    "{one|an} equation {arrives|comes|is given} on standard input"
    "|standard input {is|holds|carries} a single equation"
    "|it {reads|takes} one equation from standard input"
    "|its input is {one|an} equation {as|on} standard input"
    "|the equation {to judge|in question} {stands|is} on standard input"
)
_EXIT = (
    "exit status {yes} {accepts|means yes}, {no} {rejects|means no}"
    "|{yes} as exit status {stands for|means} {consistent|fine}, {no} for {inconsistent|faulty}"
    "|{leave|exit} with status {yes} if {it is|all is} {fine|consistent}, {otherwise|else} {no}"
    "|the {verdict|answer} is the exit status, {yes} {if|when} accepted, {no} {if|when} {rejected|"
    "refused}"
    "|{consistent|correct} {gives|means} exit status {yes}, {anything else|the opposite} {no}"
)
INTERFACE = (
    f"{{{_IN}}}; {{{_EXIT}}}.",
    f"{{{_IN}}}, {{and|while}} {{{_EXIT}}}.",
    f"{{{_IN}}}. {{{_EXIT}}}.",
    f"{{{_EXIT}}}; {{{_IN}}}.",
)
_NAMES = (
    "{quantities} {gives|has|holds} the unit of {each|every} name"
    "|{names and their units|the units of names} {are|stand} in {quantities}"
    "|{see|look at} {quantities} for the unit of {a|each} name"
    "|{quantities} {says|lists} which unit {belongs|goes} with a name"
    "|the {meaning|unit} of {a name|each name} {is|stands} in {quantities}"
)
_DERIVED = (
    "{units} {explains|defines} derived {units|ones} by others, {in the end|down to} {base}"
    "|derived units {are|stand} in {units}, {base} {are|need} no {definition|explanation}"
    "|{base} are {basic|the base units}, {others|the others} {are|get} {built|defined} in {units}"
    "|{symbols|units} {other than|besides} {base} are {defined|resolved} {by|in} {units}"
    "|{units} {traces|reduces} {what is not|all but} {base} to other units"
    "|what a {composed|derived} unit {means|is}, {down|back} to {base}, {is|stands} in {units}"
)
KNOWN = (
    f"{{{_NAMES}}}; {{{_DERIVED}}}.",
    f"{{{_NAMES}}}, {{and|while}} {{{_DERIVED}}}.",
    f"{{{_DERIVED}}}; {{{_NAMES}}}.",
    f"{{{_DERIVED}}}. {{Besides, |}}{{{_NAMES}}}.",
)
_FORM = (
    "names and numbers (no unit) {combine|go together} with {operators} and brackets"
    "|{allowed|possible} are names, {plain|unitless} numbers, brackets and {operators}"
    "|{operators} and brackets {join|connect} names and {bare|unitless} numbers"
    "|an equation {uses|has} names, numbers without unit, {operators} and brackets"
    "|the {signs|operators} are {operators}, brackets {nest|may nest}, numbers have no unit"
    "|{grammar|syntax}: brackets, names, numbers ({pure|no units}), {operators}"
)
_SAME = (
    "{sums|terms} and both sides must {agree|match} in units"
    "|{terms|summands} must have {equal|the same} units, {and so|so} must {the sides|both sides}"
    "|what is added or subtracted, like the two sides, {agrees|has to agree} in units"
    "|{both|the} sides have one unit, {also|and so have} {all|the} terms of a sum"
    "|{adding|to add} takes {equal|the same} units, the equals sign {does|works} likewise"
    "|one unit {holds|is needed} for {all terms|every term} of a sum and for {both|the two} sides"
)
_WHOLE = "{exponents|powers} are {whole|integers|whole numbers}"
RULES = (
    f"{{{_FORM}}}; {_WHOLE}. {{{_SAME}}}.",
    f"{{{_FORM}}}. {_WHOLE}; {{{_SAME}}}.",
    f"{{{_SAME}}}; {{{_FORM}}}, {{and|while}} {_WHOLE}.",
    f"{{{_SAME}}}. {{{_FORM}}}; {_WHOLE}.",
)
FUNCTIONS = (
    "{sqrt} halves all exponents, which must be {even|even numbers}; {functions} {take|want} "
    "{only pure|dimensionless} numbers and {give|return} such.",
    "{Of|As to} functions: {functions} {need|require} and {yield|give} {pure|unitless} numbers, "
    "{sqrt} takes an argument with even exponents of {all|the} base units, and halves them.",
    "{functions} are {defined|good} for pure numbers only ({with|and} such a result); {sqrt} "
    "{halves|divides by two} exponents that are {all|every one} even.",
    "{There are|You will meet} functions: {sqrt}, for which {all|the} base exponents {have "
    "to|must} be even and are halved, {and|as well as} {functions}, from pure number to pure "
    "number.",
    "{Also|Besides} {sqrt} may {occur|appear}, which halves base exponents and {fails|is wrong} "
    "{if|where} one is odd, and {functions} of {pure|dimensionless} numbers, "
    "{pure|dimensionless} again.",
    "{With|For} {functions} argument and value are {pure|unitless} numbers; {sqrt} "
    "{accepts|takes} even exponents {alone|only} and {halves|returns half of} them.",
)
VERDICTS = (
    "{Judge|Check|Try} {formulas} {with it|too}: {verdicts} {has|gets} {accept} or {reject} {line "
    "for line|for each line|as each verdict}.",
    "{verdicts} {says|reports|records} {accept} or {reject} for {every|each} {line|equation} of "
    "{formulas}, in {its|the same} order.",
    "{For|Of} the {equations|lines} in {formulas}, {write|put} {accept} or {reject} {line by line|"
    "in their order} {to|into} {verdicts}.",
    "{Then|Also|Finally} go through {formulas}: {one|a} word {a|per} line, {accept} or {reject}, "
    "{in|as} {verdicts}.",
    "{Every|Each} {line|equation} of {formulas} {is|must be} answered {in order|in turn} in "
    "{verdicts}, {by|with} {accept} or {reject}.",
    "The {verdict|word} on {each|every} {line|equation} of {formulas}, {accept} or {reject}, "
    "{goes|belongs} {on|in} the {same|matching} line of {verdicts}.",
    "{accept} or {reject}, {a line|one line} {each|per equation}, {is|that is} what {verdicts} "
    "{holds|has to say} {about|on} {formulas}, {in order|line for line}.",
    "{What|Whatever} it {says|thinks} of {formulas} {goes|belongs} in {verdicts}, {as|with} "
    "{accept} or {reject} for {each|every} line{ in turn|}.",
)
TABLE = (
    "{table} {maps|leads} {every|each} name to {the|a} list of {its|the} exponents of {order}, "
    "{as|in} one JSON object.",
    "{Also|First} {resolve|reduce} every name: JSON object {table}, {from name|each name} to {its "
    "|}exponents of {order} {in this order|as a list}.",
    "{In|As} {table} {give|list} for {every|each} name the five exponents, of {order}, {as|in} {a "
    "JSON list|JSON} under the name.",
    "{table} is a JSON object {with|of} {all|the} names; {each|every} value {lists|is a list of} "
    "the exponents of {order}.",
    "{Exponents|The exponents} of {order}, {as|in} a list {per|for each} name, {make up|form} the "
    "JSON object {table}.",
    "{Write|Save} what {each|every} name {reduces|comes down} to, in {table}: {a|one} JSON object "
    "of exponent lists, {order} in {turn|order}.",
    "JSON: {table} {holds|has} {under|for} {every|each} name {its|a list of} five {whole |"
    "}numbers,"
    " the exponents of {order}.",
    "{By|For every} name, {five exponents ({order}) go|a list of exponents ({order}) goes} {into|"
    "to} "
    "{table}, a JSON object.",
)
