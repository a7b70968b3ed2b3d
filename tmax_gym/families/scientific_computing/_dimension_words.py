"""What the unit-police family says, and the reference checker's source."""

from __future__ import annotations

from tmax_gym.words.clauses import Clause

GOAL = (
    "{Formulas|Equations} with {wrong|mismatched} units {keep|go on} {reaching|slipping into} "
    "our {scripts|models}. {Write|Build} {kind}, {program}, that {lets only consistent ones "
    "pass|stops them}.",
    "{Write|Make} {kind} at {program} that {tells|separates} dimensionally consistent equations "
    "from {others|the rest}.",
    "{program}, {kind}, {should|is to} {judge|check} the units of an equation and accept or "
    "{reject|refuse} it.",
    "{Before|Ahead of} {a release|release} every {formula|equation} {passes|goes through} a "
    "unit check that {does not exist|is missing} {yet|so far}: {program}, {kind}.",
    "We {need|want} {kind} ({program}) to {accept|pass} an equation only if both {sides|of its "
    "sides} have the same units.",
    "A {probe|satellite} {was lost|failed} over units once. {Ours|Our team} {gets|will get} "
    "{program}, {kind} which {refuses|rejects} inconsistent equations.",
)
INTERFACE = (
    "{One|An} equation {arrives|comes} on standard input; exit status {yes} {accepts|means "
    "yes}, {no} {rejects|means no}.",
    "It {reads|takes} one equation from standard input and {exits|ends} with {yes} to accept or "
    "{no} to {reject|refuse} it.",
    "{Standard input|Its input} {is|holds} a single equation; {leave|exit} with status {yes} if "
    "it is {fine|consistent}, {otherwise|else} {no}.",
    "{Give|Feed} it an equation {as|on} standard input: {consistent|correct} means exit status "
    "{yes}, {anything else|the opposite} {no}.",
    "The {verdict|answer} on the equation {from|on} standard input is the exit status, {yes} "
    "for {consistent|acceptance}, {no} for {inconsistent|rejection}.",
    "Exit status {yes} {stands for|is} a consistent equation {on|from} standard input, {no} for "
    "{an inconsistent|a faulty} one.",
)
KNOWN = (
    "{quantities} {gives|has} the unit of {each|every} name, {units} {explains|defines} derived "
    "{units|ones} by others; {the base|basic} units are {base}.",
    "{Names|The names} and their units {are|stand} in {quantities}, {derived|composed} units in "
    "{units}; {base} {are|need} no {definition|explanation}.",
    "{See|Look at} {quantities} for the unit of {a|each} name and {units} for what {a|some} "
    "{composed|derived} unit {means|is}, {down|back} to {base}.",
    "{base} are {basic|the base units}; {units} {builds|derives} others from them and "
    "{quantities} {assigns|gives} {a unit|one} to every name.",
    "The {meaning|unit} of names {is|stands} in {quantities}; {symbols|units} {other "
    "than|besides} {base} are {defined|resolved} {by|in} {units}.",
    "{units} {traces|reduces} {every|each} derived unit to others, {in the end|finally} {base}, "
    "{and|while} {quantities} {says|lists} which unit {belongs|goes} with a name.",
)
RULES = (
    "Names and numbers (no unit) {combine|go together} with {operators} and brackets; a power "
    "is {an integer|a whole number}. {Sums|Terms} and both sides must {agree|match}.",
    "{Allowed|Possible} are names, {plain|unitless} numbers, brackets and {operators}, with "
    "{integer|whole} exponents; {terms|summands} must have {equal|the same} units, and so must "
    "{the sides|both sides}.",
    "{operators} and brackets {join|connect} names and {bare|unitless} numbers. {What|Whatever} "
    "is added or subtracted, like the two sides, {agrees|has to agree} in units; exponents are "
    "{integers|whole}.",
    "An equation {uses|has} names, numbers without unit, {operators} and brackets. "
    "{Exponents|Powers} are whole, {summands|added terms} {need|have} one unit, the two sides "
    "too.",
    "{Both|The} sides have one unit, {also|and so have} {all|the} terms of a sum; the "
    "{signs|operators} are {operators}, brackets {nest|may nest}, powers are whole, numbers "
    "have no unit.",
    "{Grammar|Syntax}: names, numbers (pure), brackets, {operators}, powers {with|to} whole "
    "exponents. {Adding|To add} takes {equal|the same} units, the equals sign {does|works} "
    "likewise.",
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
    "{Judge|Check} {formulas} {with it|too}: {verdicts} {has|gets} {accept} or {reject} {line "
    "for line|for each line}.",
    "{verdicts} {says|reports} {accept} or {reject} for {every|each} line of {formulas}, in "
    "{its|the same} order.",
    "{For|Of} the equations in {formulas}, {write|put} {accept} or {reject} line by line "
    "{to|into} {verdicts}.",
    "{Then|Also} go through {formulas}: {one|a} word a line, {accept} or {reject}, {in|as} "
    "{verdicts}.",
    "{Every|Each} line of {formulas} {is|must be} answered in {verdicts}, {by|with} {accept} or "
    "{reject}, in order.",
    "The {verdict|word} on {each|every} line of {formulas}, {accept} or {reject}, "
    "{goes|belongs} on the same line of {verdicts}.",
)
TABLE = (
    "{table} {maps|leads} {every|each} name to {the|a} list of {its|the} exponents of {order}, "
    "as one JSON object.",
    "{Also|First} {resolve|reduce} every name: JSON object {table}, {from name|each name} to "
    "{its |}exponents of {order} {in this order|as a list}.",
    "{In|As} {table} {give|list} for {every|each} name the five exponents, of {order}, {as|in} "
    "{a JSON list|JSON} under the name.",
    "{table} is a JSON object {with|of} {all|the} names; {each|every} value {lists|is a list "
    "of} the exponents of {order}.",
    "{Exponents|The exponents} of {order}, {as|in} a list {per|for each} name, {make up|form} "
    "the JSON object {table}.",
    "{Write|Save} what {each|every} name {reduces|comes down} to, in {table}: {a|one} JSON "
    "object of exponent lists, {order} in {turn|order}.",
)

CHECKER = """\
import csv, re, sys
BASE = ["m", "kg", "s", "A", "K"]
FUNCTIONS = {"exp", "log", "sin"}
class Wrong(Exception):
    pass
def dims(text, known):
    tokens = re.findall(r"[A-Za-z_][A-Za-z_0-9]*|\\d+(?:\\.\\d+)?|[-+*/^()]", text)
    at = 0
    def peek():
        return tokens[at] if at < len(tokens) else ""
    def take():
        nonlocal at
        at += 1
        return tokens[at - 1]
    def total():
        left = product()
        while peek() in ("+", "-"):
            take()
            if product() != left:
                raise Wrong
        return left
    def product():
        left = power()
        while peek() in ("*", "/"):
            sign = 1 if take() == "*" else -1
            left = [a + sign * b for a, b in zip(left, power())]
        return left
    def power():
        base = atom()
        while peek() == "^":
            take()
            sign = -1 if peek() == "-" and take() else 1
            exponent = sign * int(take())
            base = [a * exponent for a in base]
        return base
    def atom():
        token = take()
        if token == "(":
            inner = total()
            take()
            return inner
        if token in FUNCTIONS or token == "sqrt":
            take()
            inner = total()
            take()
            if token == "sqrt":
                if any(a % 2 for a in inner):
                    raise Wrong
                return [a // 2 for a in inner]
            if any(inner):
                raise Wrong
            return inner
        return [0] * 5 if token[0].isdigit() else list(known[token])
    return total()
def table():
    units = {u: [int(i == k) for i in range(5)] for k, u in enumerate(BASE)}
    for row in csv.DictReader(open(UNITS)):
        units[row["unit"]] = dims(row["definition"], units)
    return {r["name"]: dims(r["unit"], units) for r in csv.DictReader(open(QUANTITIES))}
def consistent(line, known):
    left, _, right = line.partition("=")
    try:
        return known[left.strip()] == dims(right, known)
    except (Wrong, KeyError):
        return False
"""
MAIN = """\
if __name__ == "__main__":
    sys.exit(0 if consistent(sys.stdin.read().strip(), table()) else 1)
"""


def say(
    *,
    kind: str,
    paths: dict[str, str],
    functions: bool,
    table: bool,
) -> tuple[Clause, ...]:
    """Return the clauses."""
    base = "`m`, `kg`, `s`, `A` and `K`"
    words = {"accept": "`accept`", "reject": "`reject`"}
    made = [
        Clause("goal", GOAL, facts={"kind": kind, "program": paths["program"]}, role="goal"),
        Clause("interface", INTERFACE, facts={"yes": "0", "no": "1"}, role="format"),
        Clause(
            "known",
            KNOWN,
            facts={"quantities": paths["quantities"], "units": paths["units"], "base": base},
            role="input",
        ),
        Clause("rules", RULES, facts={"operators": "`+ - * / ^`"}),
    ]
    if functions:
        facts = {"sqrt": "`sqrt`", "functions": "`exp`, `log` and `sin`"}
        made.append(Clause("functions", FUNCTIONS, facts=facts))
    facts = {"formulas": paths["formulas"], "verdicts": paths["verdicts"]}
    made.append(Clause("verdicts", VERDICTS, facts=facts | words, role="output"))
    if table:
        facts = {"table": paths["table"], "order": "m, kg, s, A, K"}
        made.append(Clause("table", TABLE, facts=facts, role="output"))
    return tuple(made)
