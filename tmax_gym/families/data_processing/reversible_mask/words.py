"""What the reversible-mask family says."""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.texts.clauses import Clause

GOAL = (
    "{A partner|An outside team} {gets|receives} our tables, but {no|never a} real {number|code}. "
    "{Write|Build} the mask of {sheet} in {language}: {program}; it must {also lead back|be "
    "reversible}, with the key.",
    "{Write|Put} a reversible mask in {language} {at|into} {program}, {exactly|digit by digit} as "
    "{sheet} {prescribes|lays down}: {masked tables|what leaves} must keep {its|the usual} "
    "format.",
    "{sheet} {prescribes|defines} how {cells|values} are masked before a table {leaves|goes "
    "outside}. {Implement|Code} it {there and back|in both directions} in {language}, as "
    "{program}.",
    "{program} {shall|should} mask and unmask tables ({language}), {bit by bit|precisely} by "
    "{sheet}, so that {our|the} other systems {read|understand} {the result|its output}.",
    "{Our|The} old masking {tool|job} {is gone|was lost}; only its sheet {remains|is left}, "
    "{sheet}. {Rebuild|Write} it as {program} in {language}, {masking|mask} and "
    "unmasking{ alike|}.",
    "{Auditors|The auditors} {want|demand} that {personal|real} values {leave|go out} only "
    "masked. {Provide|Make} {program} in {language} by {the rules of|} {sheet}, {able|with a way} "
    "to undo it.",
)
FEED = (
    "{Standard input|Its input} {starts|begins} with a line {mask} or {unmask}; {then|after it} "
    "{comes|follows} a comma-separated table with {column names|a header}. The {same|whole} "
    "table, masked or restored, {goes to|is printed on} standard output.",
    "It {reads|takes} {mask} or {unmask} {from|on} the first line of standard input, {and|then} a "
    "CSV table {below|after} it, header first, and {prints|writes} that table {changed|"
    "converted}.",
    "{Input|On standard input}: one line, {mask} or {unmask}, {then|and} a table with a header "
    "and commas (never quotes). Output: the {whole|same} table {with|after} the change.",
    "{Line one|The first line} {it reads|of standard input} is {mask} or {unmask}, the "
    "{rest|others} a CSV table, {header|names} first; {the answer|what it prints} is the table{ "
    "again|}, its cells {turned|converted}.",
    "{After|Behind} a line {mask} or {unmask}, standard input {has|holds} a header and rows "
    "{with|between} commas; {print|write} {header and rows|them} {again|back}, with the cells "
    "{treated|converted}.",
    "{Give|Feed} it {mask} or {unmask} {as|on} a first line, {and|then} a table in CSV{ without "
    "quotes|, unquoted}; {from|on} standard output {comes|we expect} the {full|whole} table.",
)
KEY = (
    "{The|Its} key is {an integer|a whole number} below 2^32, {other|new} in {every|each} "
    "{run|trial}; columns may {come|stand} in any order, {some|or} may be {missing|absent}.",
    "{Keys|The keys} are {integers|whole numbers} below 2^32. {Tables|The tables} {need not|do "
    "not always} have all columns of the sheet, {or|nor} have them in {its|that} order.",
    "{Expect|Be ready for} any key from 0 to 2^32 - 1, and any {choice|selection} and order of "
    "{columns|the sheet's columns}.",
    "{Unseen|Other} tables have {columns|their columns} in another order, {maybe|possibly} fewer; "
    "{keys|their keys} {lie|are} below 2^32.",
    "{Which|What} columns {a table|an input} has, and in {which|what} order, {differs|varies}; "
    "{a|the} key {fits|has} 32 bits.",
    "{Do not|Never} rely on the order or {number|presence} of columns, {and|but} {expect|allow "
    "for} a key of 32 bits {at most|or less}.",
)
MASKED = (
    "{Then|Also} mask {plain} {with|by} the key ({key}), {into|as} {masked}.",
    "{masked} {has to be|should be} {plain}, masked {with|by} the key ({key}).",
    "{Use|Apply} it: {plain} {with|under} the key ({key}) {becomes|gives} {masked}.",
    "{For|As} a first {delivery|use}, {write|save} {plain} masked {with|by} the "
    "key ({key}) to {masked}.",
    "{What|The table that} goes out is {masked}: {plain} under {the|our} key ({key}).",
    "{Run|Put} {plain} through it {with|using} the key ({key}) and {keep|store} {the result|what "
    "comes out} as {masked}.",
)
RESTORED = (
    "{Restore|Unmask} {export} {with|by} the same key, {into|as} {restored}.",
    "{restored} {has to|must} hold {export}, unmasked {with|by} the same key.",
    "{export} {came|comes} back masked {with|under} that key; {put|save} {its|the} plain {form|"
    "table} {in|into} {restored}.",
    "{In|For} the other direction, {write|turn} {export}, of the same key, {back to|to} "
    "{restored}.",
    "{Undo|Take off} the mask of {export} {too|as well}, key unchanged: {restored}.",
    "{We|They} {got|received} {export} under this key {before|earlier}; {its|the} real values "
    "{belong|go} {in|into} {restored}.",
)


def say(*, paths: Mapping[str, str], language: str, key: str) -> tuple[Clause, ...]:
    """Return the program, its input, and the tables."""
    goal = {"sheet": paths["sheet"], "program": paths["program"], "language": language}
    words = {"mask": "`mask KEY`", "unmask": "`unmask KEY`"}
    given = {"plain": paths["plain"], "masked": paths["masked"], "key": key}
    clauses = [
        Clause("goal", GOAL, facts=goal, role="goal"),
        Clause("feed", FEED, facts=words, role="format"),
        Clause("key", KEY, facts={}, role="input"),
        Clause("masked", MASKED, facts=given, role="output"),
    ]
    if "restored" in paths:
        back = {name: paths[name] for name in ("export", "restored")}
        clauses.append(Clause("restored", RESTORED, facts=back, role="output"))
    return tuple(clauses)
