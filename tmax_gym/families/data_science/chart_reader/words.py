"""What the chart-reader family says."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause

GOAL = (
    "{All|The only thing} that {is left|remains} of a table on {measure} is the bar chart "
    "{picture}. {Read|Measure} the bars {back|off} into {values} and {put|write} {what "
    "follows|the figures below} {in|into} {summary}.",
    "{picture} {shows|is} a bar chart of {measure}; {recover|restore} its numbers as {values} "
    "and {answer|report} what is asked {below|here} in {summary}.",
    "The {data|numbers} behind the chart {picture} ({measure}) {were|got} lost. We {need|want} "
    "them again, {values}, {with|plus} a summary, {summary}.",
    "{A report|An old report} {gives|shows} {measure} only as a picture, {picture}. {Turn|Make} "
    "the bars into a table, {values}, and {describe|summarise} {it|them} in {summary}.",
    "{Digitise|Digitize} the bars of {picture}, {which stand|a chart that stands} for "
    "{measure}: numbers {to|into} {values}, {findings|the summary} {to|into} {summary}.",
    "{From|Out of} the chart {picture} on {measure} {make|produce} the table {values}; "
    "{summary} {takes|gets} the {answers|findings}.",
)
AXIS = (
    "The {upper|top} tick of the vertical axis {means|is|stands for} {hi}, the lower {one|tick}, "
    "where {all|the} bars {begin|start}, {lo}; the scale is {linear|even}.",
    "Bars {rise|stand up|grow} from the lower tick{, worth|, at|, which is} {lo}; the upper {tick|"
    "one} is {hi}, {and|with} the axis {is|being} linear {between|in between}.",
    "{Between|From} the two ticks, {lo} {below|at the bottom} (the {foot|base} of the bars) and "
    "{hi} {above|at the top}, the {vertical |}axis is {linear|evenly divided}.",
    "{Linear|The axis is linear|Its axis is even}: {lo} at the lower tick, the {foot|base} of "
    "{every|each} bar, {hi} at the {upper|top} one.",
    "The {vertical |}axis {has|shows} two ticks. At the lower one, the {base|bottom} of {all|the} "
    "bars, the value is {lo}, at the upper {one|tick} {hi}, {evenly|linearly} in between.",
    "{Mind|Note} the axis: it {goes|runs} {evenly|linearly} from {lo}, {the lower tick|at the "
    "lower tick} and the {foot|base} of {every|each} bar, to {hi} at the {upper|top} tick.",
    "{Values|Heights} go from {lo}, {marked by|at} the lower tick where {each bar|every bar} "
    "{begins|starts}, {linearly|evenly} to {hi} at the {upper|top} {tick|one}.",
    "{hi} is the {upper|top} tick of the axis and {lo} the lower one, on which {all|"
    "the} bars stand; {the axis|the scale} is {linear|even}.",
)
SERIES = (
    "{Each|Every} group {has|holds|shows} one bar {a|per|for each} series, {darkest|the darkest} "
    "first; {grid lines|faint lines} and specks {mean|are} nothing.",
    "Bars {stand|come} in groups, a bar {per|for each} series, {from dark to light|dark to light}; "
    "{ignore|disregard} {grid lines and specks|specks and grid lines}, if any.",
    "{Within|In} a group {the|} series {follow|stand|go} from {dark|the darkest} to light. Faint "
    "{lines|grid lines} and single specks, {where present|if there are any}, {do not count|are no "
    "data}.",
    "{Shades tell|The shade tells} the series, dark {before|to} light in {each|every} group; "
    "{leave|keep} {grid and specks|specks and grid} {aside|out of it}.",
    "{Groups consist|A group consists} of neighbouring bars, series 1 {the|being the} darkest, "
    "then lighter; {lines and specks|specks and grid lines} are {clutter|not data}.",
    "Series {are|get} numbered from 1, {from the|} darkest to {the|} lightest, {side by side|next "
    "to each other} in a group; {other marks|grid and specks} {are to be ignored|do not matter}.",
    "{Grid lines and specks|Specks and a grid}, {if present|where you see them}, {carry|have} no "
    "data; {in each|in every} group the {bars|series} {get lighter|go from dark to light}, series "
    "1 {first|at the left}.",
    "A {series|shade} {has|puts} one bar in {each|every} group, {darkest|the darkest one} {on the "
    "left|leftmost}; {do not read|skip} {faint lines and specks|specks and faint lines}{, if "
    "any|}.",
)
VALUES = (
    "{The|Its} table {has|gets} the header {header} and {a|one} line {per|for every} bar, {from "
    "|}left to right, {groups and series|both numbers} counted from 1, {mean|an average} error {up "
    "to|at most} {tolerance} of the axis.",
    "{Write|Give} the bars from left to right, CSV {under|with} {header}, group and series {from|"
    "starting at} 1; on average {they|values} may be {off|wrong} by {tolerance} of the axis "
    "{length|range}.",
    "{One|A} CSV line {a|per} bar, left to right, {below|under} {header}; {numbering|counting} "
    "begins at 1. An error of {tolerance} of the axis {range|length}, on average, is "
    "{fine|accepted}.",
    "{header} are the columns, {with|and} the bars from left to right {below|as rows}, groups "
    "and series {from|counted from} 1. {Measure|Read} to {tolerance} of the axis{| length} or "
    "{better|less}, on average.",
    "CSV: first {header}, then every bar {going|from} left to right, {groups|group} and series "
    "{numbered|counted} from 1; the mean error {decides|counts}, {tolerance} of the axis "
    "{is|being} good enough.",
    "{Every|Each} bar {gets|has} a row, left to right, {in|under} the columns {header}, {all|both} "
    "counted from 1, and the {mean|average} deviation {stays|should stay} {below|within} "
    "{tolerance} of the axis.",
    "{Accuracy|Precision}: {tolerance} of the axis{ length|}, {averaged|on average}. {Columns|The "
    "columns} {header}, CSV, the {first|leftmost} bar {first|on top}, group and series {numbers "
    "|}{beginning|starting} {with|at} 1.",
    "{Number|Count} groups and series from 1, {go|proceed} from left to right, and {write|give} "
    "{each|every} bar as a CSV row under {header}, {correct|right} to {tolerance} of the "
    "{axis|axis length} on average.",
)
SUMMARY = (
    "{The summary|Its summary} is {one|a} JSON object: {groups} is {the|a} {number|count} of "
    "groups, {tallest} and {shortest} are {pairs|lists} of group and series{, a bar each|}.",
    "As JSON, {report|give} {groups}, the {number|count} of groups, {and|then} {tallest} and "
    "{shortest}, each {a|the} {pair|list} of {the |}group and {the |}series of that bar.",
    "{In|Into} {the|one} JSON object {go|belong} {groups} ({how many|their number}), {tallest} and "
    "{shortest}, {those two|the latter} as {lists|pairs} of group and series.",
    "JSON {with|having} {groups} (a {number|count}), {tallest} and {shortest}: {which|what} bar is "
    "{the|} highest, {which|what} lowest, as a {list|pair} of group and series.",
    "{Its|The} {keys|JSON keys} are {groups}, {a|the} count, and {tallest} and {shortest}, {for|"
    "naming} {the|its} highest and {the |}lowest bar {by|as} {a list|a pair} of group and series.",
    "{groups} {counts|is the count of} the groups; {tallest} and {shortest} {name|point to} a bar "
    "{by|as} group and series, {in a|as a} JSON list; all in {one|a single} object.",
    "A bar is {named by|given as} a {list|pair}, group and series: {so|thus} {give|report} "
    "{tallest} and {shortest} in {a|one} JSON object, {with|along with} {groups}, {how many groups "
    "there are|the number of groups}.",
    "{Its|The} JSON {tells|says} in {groups} how many groups {there are|the chart has}, and "
    "{under|in} {tallest} and {shortest}, {by|as} lists [group, series], {which bars are|what is} "
    "highest and lowest.",
)
SLOPES = (
    "{Also|There} {add|put} {slopes}: {for|of} every series, in order, the slope {per|a} group of "
    "the least-squares line through {its|the} values.",
    "{slopes} {lists|holds} the {least-squares|regression} slope of each series, {in order|first "
    "to last}, per {group|step of one group}.",
    "{Another|One more} key, {slopes}, {has|holds} one {number|slope} a series: how {much|far} the "
    "least-squares line {rises|climbs} per group.",
    "{Fit|Lay} a straight line through {each|every} series by least squares; {slopes} {lists|has} "
    "{the|its} rise {per|a} group, {in order|series by series}.",
    "Under {slopes} {list|give} the trend of {each|every} series, {that is|i.e.} the slope of {a|"
    "the} least-squares line with the group {number|index} as x.",
    "{And|Finally} the trends: {slopes}, a list {with|of} the {least-squares|fitted} slope, per "
    "group, {for|of} {each|every} series.",
)


def say(
    *,
    picture: str,
    outputs: tuple[str, str],
    measure: str,
    ends: tuple[int, int],
    series: int,
    tolerance: str,
    slopes: bool,
) -> tuple[Clause, ...]:
    """Return the clauses."""
    values, summary = outputs
    goal = {"picture": picture, "values": values, "summary": summary, "measure": measure}
    keys = {name: f"`{name}`" for name in ("groups", "tallest", "shortest")}
    clauses = [
        Clause("goal", GOAL, facts=goal, role="goal"),
        Clause("axis", AXIS, facts={"lo": str(ends[0]), "hi": str(ends[1])}, role="input"),
        Clause("series", SERIES, role="input"),
        Clause(
            "values",
            VALUES,
            facts={"header": "`group,series,value`", "tolerance": tolerance},
            role="format",
        ),
        Clause("summary", SUMMARY, facts=keys, role="format"),
    ]
    if slopes:
        clauses.append(Clause("slopes", SLOPES, facts={"slopes": "`slopes`"}, role="format"))
    return tuple(clauses)
