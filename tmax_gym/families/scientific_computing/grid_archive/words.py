"""What the grid-archive family says."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause

GOAL = (
    "{source} is a classic NetCDF file {from|of|out of} {our|the} archive, {and|with} no NetCDF "
    "library is {at hand|installed}. {Extract|Compute} the means of {asked} {to|into} {table}, "
    "{the rest|a summary} {goes |}to {summary}.",
    "{Read|Decode} the {NetCDF classic|classic NetCDF} file {source} {by hand|from its bytes}: "
    "means of {asked} {per|for each|at every} time in {table}, {plus|and|as well as} {summary}.",
    "The archive {delivers|sends|keeps} {asked} as classic NetCDF, {source}. {Make|Produce|"
    "Derive} a table of means, {table}, and {a summary|the figures|the extremes}, {summary}, "
    "from {it|that file}.",
    "{Without|With no} NetCDF {tools|library} we {still need|want|have to get} {table}, the "
    "means of {asked} {in|from} {source} ({classic|the classic} format), and {summary}.",
    "{Parse|Take apart|Work through} {source}, {classic NetCDF|NetCDF in its classic form}, for "
    "{asked}: {table} {has|gets} means, {summary} {the extremes|what else is asked}.",
    "{From|Out of} the grids of {asked} {inside|in} the classic NetCDF file {source} {we need|"
    "derive|make} {table} and {summary}.",
    "{table} ({averages|means}) and {summary} ({extremes|what is missing, and peaks}) are {due|"
    "wanted} {for|of} {asked}; the {numbers|grids} {lie|are packed} in {source}, a classic "
    "NetCDF file.",
    "{Our|The} {analysts|modellers} {cannot|do not} {open|read} NetCDF. {Turn|Convert} {source} "
    "(classic) {for them|into files they can use}: {table} {with|has} the means of {asked}, "
    "{summary} {with|has} the rest.",
    "{Nothing here|No program on this machine} {reads|understands} NetCDF, {yet|so} {asked} must "
    "{come|be taken} out of {source}, {a file in|in} the classic format: {reduce|average} {into|"
    "to} {table}, {sum up|summarise} in {summary}.",
)
VALUES = (
    "Cells equal to {fill} are missing; {others|all others} {are|have to be} {unpacked|decoded} "
    "by {scale} and {offset} {where|if} {present|there}.",
    "{Unpack|Decode|Convert} with {scale} and {offset}, {as far as|where} a variable {has|"
    "carries} them, and {skip|leave out|pass over} {cells|values} at {fill}.",
    "{Stored|Raw|Packed} values {mean|stand for} {scale} times {them|themselves} plus {offset}, "
    "{without|except for} missing ones, {marked|which are} {fill}; a variable may {lack|be "
    "without} any of the three.",
    "{Mind|Note|Heed} the attributes: {fill} {marks|is} a missing cell, {scale} and {offset}, if "
    "{there|present|given}, turn {stored|raw|packed} numbers into {true|real} ones.",
    "The attribute {fill} {tells|says|gives} which {stored|raw} value is {no value|a gap}; "
    "{scale} and {offset} {apply|belong} to {the rest|others}, where {given|they exist}.",
    "{Missing means|A missing cell is} {fill}. {Anything|What is|All} else {becomes|means} "
    "{scale} times the {stored|raw|packed} number plus {offset}, {if|where} {these|they} are "
    "{given|present}.",
    "{Multiply|Scale} {stored|raw} numbers by {scale} and {add|then add} {offset}, {if|where} "
    "the variable {says so|has these}; {no cell|a cell never} {counts|enters} {with|at} {fill}, "
    "{the|its} mark for a gap.",
    "{offset} {comes|is} on top of {scale} times what is {stored|in the file}, {where|if} a "
    "variable {names|sets} {these|them}, {but|though} {fill} {in a cell|there} {says|means} "
    "nothing was {measured|recorded}.",
    "{Numbers|Values} are {packed|packed in the file}: {true|real} is {stored|raw} times "
    "{scale}, plus {offset}, {either may|each may} be {absent|missing}; {holes|gaps} {hold|"
    "carry} {fill}.",
)
TABLE = (
    "{table} has {header}: {variables|the variables} {in the order|as} {asked for|requested}, "
    "{each|every} by time, {the value|a value} of {hours}; {cells} {counts|is} the cells "
    "{present|with a value}, means to "
    "{tolerance} {are fine|suffice}.",
    "CSV {table}, {header}: {variable after variable|variables} {as asked for|in the order asked "
    "for}, {times|time} {ascending|rising} and as {hours} {has|gives} it, {cells} {for|as} the "
    "number of cells with a value, "
    "{errors|an error} below {tolerance} {allowed|accepted}.",
    "{Columns|The columns} of {table}: {header}. {Variables|Blocks} {come|stand} in the order "
    "{asked for|of the request}, times {rise|go up} and are {values|the values} of {hours}; "
    "{cells} is how many {are not missing|have a "
    "value}, and {tolerance} {is near enough|will do} for the mean.",
    "{header} {heads|begins|opens} {table}; {per|for each} variable, in the order {given|asked "
    "for}, {come|stand} the times ({values|the values} of {hours}) with {cells}, {the present|the "
    "valid} ones, and a mean {within|"
    "right to} {tolerance}.",
    "{Write|Put} {header} {on top|first} in {table}, {then|after it} a {line|row} per variable "
    "and time (what {hours} {holds|says}), both in {order|their order}; {cells} {counts|means} "
    "valid cells, the mean may be "
    "off by {tolerance}.",
    "{One|A} {row|line} per variable and time {goes|belongs} in {table} ({header}), {sorted so|"
    "in that order}, {the time|time} as in {hours}, {cells} {being|is} the {count|number} of valid "
    "cells; {up to|at most} "
    "{tolerance} of error in a mean is {fine|ignored}.",
    "{table} {opens|begins} with {header} and {goes|runs} through {the variables {as asked for|"
    "in the order asked for}|what was asked for, variable by variable}, {for each|each} {through|"
    "over} all times, {as given by|the values of} {hours}; {a mean|means} may {miss|be wrong} by "
    "{tolerance}, {cells} ({cells present|"
    "the number not missing}) may not.",
    "{Under|After} {header}, {table} {lists|has} every time ({by|as in} {hours}) {of|for} one "
    "variable, then of the "
    "next{ one|} {asked for|requested}; {a|the} mean {counts as|is} right to {tolerance}, {and|"
    "while} {cells} {says|tells} {over|from} how many {valid |}cells it was taken.",
    "For {table}: {header} as the {header|first line}, {rows|lines} by variable ({as|in the "
    "order} asked for) and {time|then time}, {a value|the value} of {hours}, in {cells} how many "
    "{cells|of them} had a value, "
    "{means|the mean} {to within|to} {tolerance}.",
)
SUMMARY = (
    "{summary} is a JSON object with {one|an} entry per variable: {missing} cells in {all|"
    "total}, and {peak}, {index|the indices} of the largest value as {a list: |}time, row, "
    "column{, all|} from 0.",
    "In {summary}, {every|each} variable {has|is} an object {of|with} {missing}, a {count|"
    "number} of cells, and {peak}, {a list of|listing} time, row and column {index|number} (from "
    "0) {of|for} {the|its} {largest|greatest} value.",
    "JSON {summary} {maps|leads} a variable to {missing} ({how many|a count}) and {peak}: where "
    "its {maximum|largest value} is, {as|by} {three indices|a list} from 0 (time, row, column).",
    "{As|For} JSON {summary}: {per|by} variable {missing}, the number of {missing|absent|empty} "
    "cells {over|at} all times, and {peak}, [time, row, column] {of|for} the maximum, {counted |"
    "}from 0.",
    "{Variables|The variables} {are|serve as} {the |}keys of {summary}; {each|every} {value|one} "
    "has {missing} ({total|overall} {count|number}) and {peak} ({time|the time}, row and column "
    "{index|number} from 0 of its {maximum|largest value}, {as|in} a list).",
    "{summary} {says|reports|records}, {variable by variable|per variable}, how many cells {are|"
    "count as} {missing} and where {the|its} {peak} {is|lies}: a list {of|with} time, row and "
    "column, {counted|all} from 0.",
    "{Also|Then} {write|save} {summary}, JSON {keyed|with keys} by variable: {peak} {locates|"
    "finds} the {top|largest} value ({list|array} of time, row, column, {the first being 0|"
    "zero-based}), {missing} counts {gaps|empty cells}{ at all times|}.",
    "{Zero-based|Counted from 0}, {peak} {gives|holds} [time, row, column] of a variable's "
    "{maximum|greatest value} in {summary}, {next to|beside} the {count|number} of {gaps|absent "
    "cells}, {missing}: {a|one} JSON entry per variable.",
    "{For|Of} each variable {note|put} {in|into} {summary} (JSON{, by name|, name as key}) "
    "{missing}, {its|the} {gaps|lacking cells} {counted|in number}, {and|then} {peak}: [time, "
    "row, column], {all |}from 0, where it is {largest|highest}.",
)
WEIGHTS = (
    "{Means|All means|Averages} are weighted {by|with} {area}, a variable {on|over} rows and "
    "columns.",
    "{Weight|Weigh} every cell {by|with} its {area} {from the same|in that} file when {taking|"
    "forming} means.",
    "A mean {weighs|counts} {cells|its cells} by {area}, which the file {has|holds} {as well|too}.",
    "{area} {gives|holds|is} the weight of {each|every} cell {for|in} the means.",
    "{Cells|The cells} {differ in|are not of one} size: {take|use} {area} {as weights|as the "
    "weight} in means.",
    "{For|In} means, a cell {counts|enters} {with|by} the weight {area} {has|holds} for it.",
    "{Not all|Few} cells are {alike|equal in size}: {average|form means} with {the variable |"
    "}{area} as {weight|weights}.",
    "{Larger|Bigger} cells {count|weigh} more {in|for} a mean, {in proportion|according} to "
    "{area}.",
)


def say(
    *, paths: tuple[str, str, str], asked: tuple[str, ...], weighted: bool
) -> tuple[Clause, ...]:
    """Return the clauses; `paths` are source, table and summary."""
    source, table, summary = paths
    names = " and ".join(f"`{name}`" for name in asked)
    goal = {"source": source, "table": table, "summary": summary, "asked": names}
    rule = {"fill": "`_FillValue`", "scale": "`scale_factor`", "offset": "`add_offset`"}
    form = {"table": table, "header": "`variable,time,cells,mean`", "cells": "`cells`"}
    form["hours"] = "the variable `time`"
    keys = {"summary": summary, "missing": "`missing`", "peak": "`peak`"}
    clauses = [
        Clause("goal", GOAL, facts=goal, role="goal"),
        Clause("values", VALUES, facts=rule),
        Clause("table", TABLE, facts=form | {"tolerance": "0.01"}, role="format"),
        Clause("summary", SUMMARY, facts=keys, role="format"),
    ]
    if weighted:
        clauses.append(Clause("weights", WEIGHTS, facts={"area": "`area`"}))
    return tuple(clauses)
