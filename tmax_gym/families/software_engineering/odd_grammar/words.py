"""What an instruction of the odd-grammar family says."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause


def goal(sheet: str, program: str, language: str) -> Clause:
    """Return the goal."""
    return Clause(
        "goal",
        (
            "{Write|Build} a calculator in {language}, {program}, for the expression language "
            "{of|on} {sheet}.",
            "{sheet} describes {an odd|a peculiar} expression language. {program}, {language} "
            "source, {should|is to} {evaluate|work out} what is written in it.",
            "Formulas {in|of} our {settings|rule} files {follow|obey} {sheet} and no textbook: "
            "{make|write} {program}, {language} code that {evaluates|computes} them.",
            "The {old|former} calculator is {lost|gone}, its {manual|sheet} {sheet} is not: "
            "{bring it back|rebuild it} in {language} as {program}.",
            "{We need|Wanted is} {program}: {language} source that {parses|reads} and "
            "{evaluates|computes} expressions by the {rules|tables} {in|of} {sheet}.",
            "{Implement|Code} {sheet} to the letter{, however odd it looks|}: the {outcome|result} "
            "is {program}, an evaluator in {language}.",
        ),
        facts={"sheet": sheet, "program": program, "language": language},
        role="goal",
        brief="Write {program} ({language}), a calculator for the language in {sheet}.",
    )


def interface(samples: str) -> Clause:
    """Return input and output."""
    return Clause(
        "interface",
        (
            "{One|An} expression a line {comes|arrives} on standard input, and {a|one} line with "
            "its value in decimal, or with its error, {goes|is sent} to standard output; blank "
            "lines {print|give} nothing. {See|Compare with} {samples}.",
            "It {reads|gets} lines from standard input and {answers|prints} each with the value "
            "in decimal or the error, {skipping|passing over} blank ones; {samples} {has|shows} "
            "both sides.",
            "For {each|every} line of standard input that is not blank, print the decimal value "
            "or the error as a line {of|on} standard output, {as|the way} {samples} {shows|has "
            "it}.",
            "Standard input {holds|has} an expression {on every|to a} line (blank lines do not "
            "count), standard output {gets|takes} a decimal value or an error for each; "
            "{samples} {is|holds} {an example|a trial}.",
            "{Lines|Expressions} in, lines out: {a|the} decimal value or the error for each "
            "{line|expression}, nothing for a blank line, by way of standard input and output. "
            "{Some|A few} are {worked|given} in {samples}.",
            "{samples} {gives|has} inputs with {the right|their} outputs: line by line from "
            "standard input to standard output, a decimal value or an error each, blank lines "
            "{left out|skipped}.",
        ),
        facts={"samples": samples},
        role="input",
        brief="A line in, its decimal value or its error out, blank lines skipped; see {samples}.",
    )


def judged() -> Clause:
    """Return how it is tested."""
    return Clause(
        "judged",
        (
            "It is {judged|graded} by {other|unseen} inputs, in which every {rule|line} of the "
            "sheet {matters|counts}, the columns of errors {too|as well}.",
            "{Unseen|Further} inputs decide, with {wrong|faulty} lines {among them|in between}: "
            "{value|values} and error columns {have to|must} be right.",
            "Expect {inputs|lines} beyond the {samples|examples}, {sound|good} and {broken|wrong} "
            "ones, {to be compared|compared} line for line.",
            "{What|All that} the sheet says will be {tried|tested} on inputs {you have not|that "
            "nobody has} seen, errors and their places {included|not excepted}.",
            "The {trial|test} uses {new|other} inputs, {each|every one} with {good|sound} and "
            "{bad|faulty} lines, {and|where} an output {counts|is right} only {as a whole|if "
            "every line is}.",
            "{Outputs|Answers} are compared as a whole on {fresh|hidden} inputs: one wrong value "
            "or error column {spoils|loses} that input{, so read the sheet closely|}.",
        ),
        role="constraint",
        brief="Unseen inputs are compared line for line, errors included.",
    )
