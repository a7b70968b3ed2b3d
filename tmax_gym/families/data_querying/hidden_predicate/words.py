"""What the hidden-predicate family says."""

from __future__ import annotations

GOAL = (
    "{Nobody|No one} has the source of {tool}, {which|the program that} {screens|sorts out} our "
    "{table}. {Find|Recover} its condition and {write|put} it {into|in} {where} as {SQL|an SQL "
    "expression}.",
    "{tool} {decides|settles} which {table} {stay|we keep}. We want to {drop|retire} it: {express|"
    "state} its rule as one SQL condition, {in|to} {where}.",
    "{What|Which rule} does {tool} {apply|use} to {table}? {Answer|Say it} with {one|a single} "
    "condition in SQL, {saved|stored} as {where}.",
    "{Take|Replace} the closed filter {tool} {by|with} {the|an} equal WHERE condition {on|over} "
    "{table}, {written|kept} in {where}.",
    "The {vendor|author} of {tool} is {gone|out of reach}, {and|but} the database {must|has to} "
    "{screen|filter} {table} by itself now: {put|leave} the same condition, as SQL, in {where}.",
    "{where} {shall|is to} hold {one|the} SQL condition that {keeps|selects} exactly {those|the} "
    "{table} {which|that} {tool} {keeps|lets through}.",
)
FEED = (
    "The {tool|filter} {reads|takes} lines of {columns}, {blanks|spaces} between, and {answers|"
    "replies} {keep} or {drop} to {each|every one}.",
    "{Give|Feed} it {one|a} record a line, {columns} in this order, {and|then} it {prints|says} "
    "{keep} or {drop} {for each|line by line}.",
    "On {standard input|its input} it {wants|expects} {columns} {apart|separated} by blanks, line "
    "{after|by} line; {out|back} {comes|come} {keep} or {drop}.",
    "{Its|The} input {has|is} a line {per|for each} record ({columns}, {whole numbers|integers}), "
    "its output {keep} or {drop} {in the same order|for each}.",
    "{Each|Every} line of input, {columns} with {single|} blanks between them, is {met|answered} "
    "{by|with} {keep} or {drop}.",
    "It is a {plain|simple} pipe: lines {with|holding} {columns} go in, {one|a} word {per|for "
    "each} line, {keep} or {drop}, {comes|is what you get} out.",
)
KEPT = (
    "{Also|In addition} {list|write} the ids {of {database}|in {database}} that it keeps, "
    "ascending, one {a|per} line, {to|into} {kept}.",
    "{kept} {should|is to} {hold|have} the ids of the rows of {database} it keeps, {lowest|"
    "smallest} first, {one|each on} a line.",
    "{Run|Try} it on {database} {as well|too}: the ids {it keeps|that stay}, {ascending|in "
    "ascending order}, {go|belong} {line by line|one a line} in {kept}.",
    "{From|Of} {database}, {save|store} {the|all} ids that {pass|are kept} in {kept}, {sorted|"
    "ordered} as numbers, one {for each|a} line.",
    "{For|As} a {check|comparison}, {put|leave} in {kept} what it keeps of {database}: ids {only|"
    "alone}, ascending, {one to a line|a line each}.",
    "{database} {holds|has} {a|some} {table|rows} to {try it on|start with}; the ids of {those|"
    "the rows} kept {belong|go} in {kept}, one a line and ascending.",
)
FORM = (
    "The condition {uses|names} {the columns|column names} of the table, {stands|is} alone "
    "({no|without} SELECT, no subquery) and {takes|has} {at most|up to} {limit} characters.",
    "{Only|Just} the condition itself: column names, {numbers|constants}, operators, {no|never a} "
    "SELECT, {at most|no more than} {limit} characters.",
    "{Write|State} {what|that which} would {follow|come after} WHERE, {without|but not} that word "
    "and without {any|a} SELECT, {in|within} {limit} characters.",
    "It {may|can} have {up to|at most} {limit} characters, {refers|and refers} to columns by "
    "name, and {contains|has} no SELECT.",
    "{Leave out|Omit} the word WHERE; {a|any} SELECT inside {is|would be} {refused|rejected}, "
    "{so|and so} is {what|anything} {longer than|over} {limit} characters.",
    "{Bare|Plain} SQL expression on {the|its} columns, {no|without} SELECT {in it|anywhere}, "
    "{not|no} longer than {limit} characters.",
)
COUNTS = (
    "{counts} {gets|has} {the header|the first line} {header} and, {by|for each} place in {order|"
    "order of the alphabet}, how many {it keeps|are kept}, zero {included|too}.",
    "{Count|Tally} what {it keeps|stays} {per|by} place, places without any {included|as 0}, "
    "sorted by place, as CSV with {header} {on top|first}: {counts}.",
    "{A|One more} {table|CSV file}, {counts} ({header}), {says|tells} how many {rows|} of every "
    "place {are kept|it keeps}, 0 where none, {by|ordered by} place.",
    "{Per|For every} place, {including|also} those that lose everything, the {number|count} of "
    "kept rows {goes|belongs} in {counts}, CSV {under|with} {header}, by place.",
    "{Then|Finally} {group|sum up} by place: {counts} with {header} as {header|first} line, "
    "places {ascending|sorted}, zeros {written|kept}.",
    "{header} {heads|begins} {counts}, {a|the} CSV of kept rows {per|by} place, {sorted|ordered} "
    "by place, {with|and} 0 for a place that {keeps|has} none.",
)
