"""What the grid-archive family says."""

from __future__ import annotations

from tmax_gym.words.clauses import Clause

GOAL = (
    "{source} is a classic NetCDF file {from|of} {our|the} archive, {and|with} no NetCDF "
    "library is {at hand|installed}. {Extract|Compute} the means of {asked} {to|into} {table}, "
    "{the rest|a summary} to {summary}.",
    "{Read|Decode} the NetCDF classic file {source} {by hand|from its bytes}: means of {asked} "
    "{per|for each} time in {table}, {plus|and} {summary}.",
    "The archive {delivers|sends} {asked} as classic NetCDF, {source}. {Make|Produce} a table "
    "of means, {table}, and {a summary|the figures} {summary} from it.",
    "{Without|With no} NetCDF tools we {still need|want} {table}, the means of {asked} in "
    "{source} (classic format), and {summary}.",
    "{Parse|Take apart} {source}, {classic NetCDF|NetCDF in its classic form}, for {asked}: "
    "{table} {has|gets} means, {summary} {the extremes|what else is asked}.",
    "{From|Out of} the grids of {asked} {inside|in} the classic NetCDF file {source} {we "
    "need|derive} {table} and {summary}.",
)
VALUES = (
    "Cells equal to {fill} are missing; {others|all others} {are|have to be} unpacked by "
    "{scale} and {offset} {where|if} present.",
    "{Unpack|Decode} with {scale} and {offset}, {as far as|where} a variable has them, and "
    "{skip|leave out} {cells|values} at {fill}.",
    "{Stored|Raw} values {mean|stand for} {scale} times them plus {offset}, {without|except "
    "for} missing ones, {marked|which are} {fill}; a variable may {lack|be without} any of the "
    "three.",
    "{Mind|Note} the attributes: {fill} {marks|is} a missing cell, {scale} and {offset}, if "
    "{there|present}, turn {stored|raw} numbers into {true|real} ones.",
    "The attribute {fill} {tells|says} which {stored|raw} value is no value; {scale} and "
    "{offset} {apply|belong} to {the rest|others}, where {given|they exist}.",
    "{Missing means|A missing cell is} {fill}. {Anything|What is} else {becomes|means} {scale} "
    "times the {stored|raw} number plus {offset}, {if|where} these are given.",
)
TABLE = (
    "{table} has {header}: {variables|the variables} {in the order|as} {named|given} above, "
    "{each|every} by time; {cells} {counts|is} the cells present, means to {tolerance} {are "
    "fine|suffice}.",
    "CSV {table}, {header}: {variable after variable|variables} {as named above|in the order "
    "above}, {times|time} ascending, {cells} {for|as} the number of cells with a value, "
    "{errors|an error} below {tolerance} {allowed|accepted}.",
    "{Columns|The columns} of {table}: {header}. {Variables|Blocks} {come|follow} in the order "
    "above, times {rise|go up}; {cells} is how many {are not missing|have a value}, and "
    "{tolerance} {is near enough|will do}.",
    "{header} {heads|begins} {table}; {per|for each} variable, in the order {given|named} "
    "above, {come|follow} the times with {cells}, the {present|valid} ones, and a mean "
    "{within|right to} {tolerance}.",
    "{Write|Put} {header} {on top|first} in {table}, {then|below it} a line per variable and "
    "time, both in {order|their order}; {cells} {counts|means} valid cells, the mean may be off "
    "by {tolerance}.",
    "{One|A} row per variable and time {goes|belongs} in {table} ({header}), {cells} {being|is} "
    "the {count|number} of cells there; {up to|at most} {tolerance} of error in a mean is "
    "{fine|ignored}.",
)
SUMMARY = (
    "{summary} is a JSON object with {one|an} entry per variable: {missing} cells in "
    "{all|total}, and {peak}, {index|the indices} of the largest value as time, row, column "
    "from 0.",
    "In {summary}, {every|each} variable {has|is} an object {of|with} {missing}, a "
    "{count|number}, and {peak}, {a list of|listing} time, row and column {index|number} (from "
    "0) of the {largest|greatest} value.",
    "JSON {summary} {maps|leads} a variable to {missing} ({how many|a count}) and {peak}: where "
    "its {maximum|largest value} is, {as|by} three indices from 0 (time, row, column).",
    "{As|For} JSON {summary}: {per|by} variable {missing}, the number of {missing|absent} cells "
    "{over|at} all times, and {peak}, [time, row, column] {of|for} the maximum, from 0.",
    "{Variables|The variables} {are|serve as} {the |}keys of {summary}; {each|every} "
    "{value|one} has {missing} ({total|overall} {count|number}) and {peak} ({time|the time}, "
    "row and column {index|number} from 0 of its {maximum|largest value}).",
    "{summary} {says|reports}, {variable by variable|per variable}, how many cells {are|count "
    "as} {missing} and where {the|its} {peak} {is|lies}: a list {of|with} time, row and column, "
    "counted from 0.",
)
WEIGHTS = (
    "{Means|All means} are weighted {by|with} {area}, a variable {on|over} rows and columns.",
    "{Weight|Weigh} every cell {by|with} its {area} {from the same|in that} file when "
    "{taking|forming} means.",
    "A mean {weighs|counts} cells by {area}, which the file {has|holds} {as well|too}.",
    "{area} {gives|holds} the weight of {each|every} cell {for|in} the means.",
    "{Cells|The cells} differ in size: {take|use} {area} {as weights|as the weight} in means.",
    "{For|In} means, a cell {counts|enters} {with|by} the weight {area} {has|holds} for it.",
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
    keys = {"summary": summary, "missing": "`missing`", "peak": "`peak`"}
    made = [
        Clause("goal", GOAL, facts=goal, role="goal"),
        Clause("values", VALUES, facts=rule),
        Clause("table", TABLE, facts=form | {"tolerance": "0.01"}, role="format"),
        Clause("summary", SUMMARY, facts=keys, role="format"),
    ]
    if weighted:
        made.append(Clause("weights", WEIGHTS, facts={"area": "`area`"}))
    return tuple(made)
