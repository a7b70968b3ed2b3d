"""What the triple-patterns family says."""

from __future__ import annotations

from tmax_gym.families.data_querying.triple_patterns.patterns import BREAK, Rules
from tmax_gym.texts.clauses import Clause

GOAL = (
    "{Write|Implement} a query engine for {a graph|our graph} of triples {in|as} {language}: "
    "{program}.",
    "{We need|Wanted is} {program}, a {language} {program|tool} that {answers|resolves} pattern "
    "queries over {a graph|named edges}.",
    "{program} {shall|should} answer {questions|pattern queries} {about|over} a knowledge graph "
    "and be {written|done} in {language}.",
    "Our graph {database|store} {is retired|goes away}; {its queries|the queries} {must|have to} "
    "be answered by {a small|one} {language} program, {program}.",
    "{Build|Make} {program}: a {language} program that {matches|fits} patterns {on|against} a "
    "graph of {triples|named edges}.",
    "{Pattern queries|Queries by pattern} over {triples|a graph} need a {small|tiny} {language} "
    "engine{ of our own|}, {program}.",
)
FEED = (
    "{Standard input|Its input} {has|holds} triples, {shape} a line, a line {mark}, and queries, "
    "one a line; {each|every query} {gets|is answered by} one line.",
    "On standard input {come|there are} lines {shape}, {then|next} {mark} on a line, then queries "
    "line by line; {print|it prints} a line for each.",
    "{It reads|Read} triples {shape} from standard input {up to|until} a line {mark}; {what "
    "follows|after it} are queries, each {answered|to be answered} by a line.",
    "{Triples|Lines} {shape} {come|stand} first on standard input; {after|behind} a line {mark} "
    "every line is a query and {gives|yields} {one|a} line of output.",
    "A line {mark} {on|of} standard input {parts|separates} the triples ({shape}) from the "
    "queries; {each|every} query {makes|has} one line of output.",
    "{Queries|The queries}, {one a line|a line each}, follow a line {mark}, before which standard "
    "input {lists|has} {shape} lines; for each {print|there is} one line.",
)
QUERY = (
    "A query is {form}: variables to show, a colon, {then|and} patterns with {lone|single} dots "
    "between, all of which must hold; {a pattern|each} is start, path, end, {either|each} end "
    "a name or a variable.",
    "{Queries|They} {look|read} like {form}; {left|ahead} of the colon {stand|are} the variables "
    "to show, {right of|after} it patterns of start, path and end that all {hold|must hold}; ends "
    "are names or variables.",
    "{form} is {how a query looks|what a query is like}: what to show, then start-path-end "
    "patterns{, ends being names or variables|}, {each|all} of which {has|have} to hold.",
    "{Take|Read} a query {form} as variables to show, and patterns of start, path, end that "
    "{hold|are true} together; {an end|start or end} is a variable or a name.",
    "{With|In} a query {form} the patterns (start, path, end) {hold|apply} {together|all at "
    "once}, and the variables {before|left of} the colon are shown; other ends are names.",
    "{In|A query is} {form}{ for example|, say}: patterns of start, path and end, {all|every one} "
    "to hold, and {in front|before the colon} the variables {shown|to show}; words without `?` "
    "are names.",
)
ROWS = (
    "{Rows|The rows} {join|put} the shown values by commas {and|,} {stand|come} in byte order with "
    "single blanks between; {count}; {none} if there is no row.",
    "{Print|Write} a row as values {joined by|with} commas, rows sorted by byte and {parted|"
    "separated} by a blank; {count}; without rows {print|write} {none}.",
    "{An answer|The line} is its rows in byte order, a blank {between|apart}, values {within|in} "
    "a row {joined|parted} by commas; {count}; {none} {stands for|means} no row.",
    "{Values|The values} of a row {get|have} commas between, rows {a blank|single blanks}, in byte "
    "order; {count}; {if|where} nothing {matches|fits}, {none}.",
    "{none} is the answer {if|when} nothing {fits|matches}; else rows, sorted bytewise, {parted|"
    "separated} by a blank, {each|every one} its values {joined|linked} by commas; {count}.",
    "{Sort|Order} rows by byte, {join|link} their values by commas, {put|leave} one blank between "
    "rows; {count}; {no row at all|nothing found}: {none}.",
)
COUNTS = {
    True: "one row for each assignment of all variables, so rows may recur",
    False: "equal rows are printed once",
}
PATHS = {
    "inverse": "`{sign}edge` walks an edge backwards",
    "plus": "`edge{sign}` is one or more such steps",
    "star": "`edge{sign}` is any number of such steps, none included (every node of the graph "
    "reaches itself)",
    "sequence": "`a{sign}b` is a and then b",
    "either": "`a{sign}b` is a or b",
}
PATH = (
    "{A path is|Paths are} {an edge name or more|more than an edge name}: {signs}.",
    "{In|Within} a path, {signs}.",
    "Paths {know|have} {more than|signs beside} plain edges: {signs}.",
    "{Of|As for} paths: {signs}.",
    "{Besides|Beyond} a plain edge{ name|}, a path may {have|hold} signs: {signs}.",
    "{signs}: {so|that is how} a path is {read|built}.",
)
BIND = (
    "{Signs at|Signs on} an edge bind strongest{, a backward sign before a repeat "
    "sign|}, then sequence, then alternatives.",
    "Alternatives bind weakest, sequences {next|in the middle}, {signs|a sign} at an edge "
    "strongest.",
    "{First|Strongest} {come|are} the signs at an edge, {then|next} sequence, {last|weakest} the "
    "alternatives.",
    "{Read|Split} a path at alternatives first, {then|next} at steps; {other signs "
    "belong|the rest belongs} to one edge.",
    "{A path|It} {splits|falls} into alternatives{ first|}, {each|these} into steps, {and|} a step "
    "{has|keeps} its own signs.",
    "{Edge signs|Signs at edges} {first|before all}, then sequence, then alternatives: {this|that} "
    "is the order of binding.",
)
COMPARE = (
    "{A pattern|Patterns} may also be {forms}: both are variables, {compared|and comparison is} "
    "by byte.",
    "{Where|If} {forms} {stand|are put} for a pattern, two variables are compared {by byte|"
    "bytewise}.",
    "{Two|A pair of} variables {may|can} be compared {too|as well}, by byte: {forms}.",
    "{Patterns|Conditions} {forms} compare what two variables {hold|stand for}, byte by byte.",
    "{With|By} {forms}, {in place of|instead of} a pattern, variables are compared as bytes.",
    "{Also|Besides}, {forms} {ask|say} how the {values|names} of two variables compare as bytes.",
)
NEGATE = (
    "{A|Each} pattern after {word} must not hold{; its variables are bound elsewhere|}.",
    "{word} {before|in front of} a pattern {forbids|excludes} {it|what it says}.",
    "{With|After} {word}, a pattern {is|counts as} {forbidden|not allowed to hold}.",
    "{Where|If} a pattern {starts|begins} with {word}, {no such path may exist|"
    "there must be no such path}.",
    "A solution {drops out|is dropped} {when|if} a pattern behind {word} holds.",
    "{word} {turns|makes} a pattern {into|} its contrary: no such path {exists|is there}.",
)
HOPS = (
    "{Another|A second} {kind of query|question} is {form}: {print|answer} the fewest steps from "
    "a to b, each step one {pass|walk} of the path, {way}; 0 from a node to itself, `-` {where|if} "
    "there is no way.",
    "{form} asks {how few steps lead|for the fewest steps} from a to b, a step being the path "
    "once, {way}: 0 {for|within} the same node, `-` without {a way|any}.",
    "{For|To} {form} the answer is the least number of steps, {way}, between a and b, {each|every "
    "step} the path {once|walked once}; `-` {means|says} none leads there, 0 that a is b.",
    "{Queries|A query} {form} {want|wants} the length of a shortest way from a to b {in|counted "
    "in} walks of the path, {way}; a itself is 0 {away|off}, the unreachable `-`.",
    "{Shortest ways|Distances} are asked {by|with} {form}: walks of the path, {way}, {needed|it "
    "takes} from a to b, 0 {if|where} they are one node, `-` {if|where} b is {beyond reach|not "
    "reached}.",
    "{Answer|Take} {form} {by|with} the smallest number of walks of the path, {way}, that {take|"
    "bring} one from a to b: 0 for {none needed|a itself}, `-` for never.",
)
WAYS = {"directed": "only forwards", "both": "forwards or backwards at will"}
REPORT = (
    "{Answer|Have it answer} {queries} {on|for} the triples of {graph} {and|, then} {save|put} "
    "the lines {in|as} {answers}.",
    "{answers} {gets|shall hold} its answers to {queries} {over|on} {graph}.",
    "{Run|Use} it on {graph} {with|for} {queries} too; {its output|what it prints} {goes|belongs} "
    "into {answers}.",
    "{With|For} {graph} and {queries}, {leave|store} what it {prints|says} in {answers}.",
    "{Put|Write} into {answers} what it {says|prints} for {graph} and {queries}.",
    "{graph} and {queries} are {ours|for a first run}: {answers} {must|should} hold the answers.",
)


def say(*, rules: Rules, language: str, program: str, report: dict[str, str]) -> tuple[Clause, ...]:
    """Return the language of queries, rule by rule, and the run that is wanted."""
    signs = [
        sentence.replace("{sign}", getattr(rules, name))
        for name, sentence in PATHS.items()
        if getattr(rules, name)
    ]
    form = "`?x ?y : ?x edge ?y . ?y edge name`"
    clauses = [
        Clause(
            "goal",
            GOAL,
            facts={"language": language, "program": program},
            role="goal",
            brief="Write a graph query engine in {language}: {program}.",
        ),
        Clause("feed", FEED, facts={"shape": "`start edge end`", "mark": f"`{BREAK}`"},
               role="input"),
        Clause("query", QUERY, facts={"form": form}),
        Clause("rows", ROWS, facts={"count": COUNTS[rules.bag], "none": "`none`"}, role="format"),
        Clause("report", REPORT, facts=report, role="output"),
    ]  # fmt: skip
    if signs:
        clauses.append(Clause("paths", PATH, facts={"signs": "; ".join(signs)}))
    if len(signs) > 1:
        clauses.append(Clause("binding", BIND))
    if rules.compare:
        clauses.append(Clause("compare", COMPARE, facts={"forms": "`?x != ?y` or `?x < ?y`"}))
    if rules.negate:
        clauses.append(Clause("negate", NEGATE, facts={"word": "`not`"}))
    way = {"form": "`hops a b : path`", "way": WAYS[rules.hops]}
    return (*clauses, Clause("hops", HOPS, facts=way))
