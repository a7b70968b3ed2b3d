"""What the subword family says: the rules of the tokenizer, and one run of it."""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.families.data_science.subword.encoding import BREAK, Rules
from tmax_gym.families.shared.sources import Sources, compiled, twins
from tmax_gym.texts.obligations import Obligation

MARKS = {
    "none": "Nothing is added to mark the start or the end of a word.",
    "before": "Put a `_` in front of each word; from then on it is a character like any other.",
    "after": "Put a `_` at the end of each word; from then on it is a character like any other.",
}
COUNT = {
    True: "Take each different word only once, however often it occurs.",
    False: "Take every occurrence of a word.",
}
BYTES = "in byte order (compare the left tokens first, then the right ones)"
TIES = {
    "smallest": f"the smallest of these pairs {BYTES} is merged",
    "largest": f"the largest of these pairs {BYTES} is merged",
    "earliest": "the one is merged that occurs first when you go through the words in the order "
    "of their first occurrence, each from left to right",
    "shortest": f"the one with the fewest characters together is merged, and of these the smallest "
    f"{BYTES}",
    "longest": f"the one with the most characters together is merged, and of these the smallest "
    f"{BYTES}",
}
ENCODE = {
    False: "To encode a word, start from its single characters and apply all merges in the order "
    "in which they were learned, each one everywhere in the word, from left to right.",
    True: "To encode a word, go through it from left to right and take, at each place, the longest "
    "known token that the rest of the word begins with. If there is none, take a single character. "
    "The order of the merges does not matter here.",
}


def say(rules: Rules, programs: Sources, run: Mapping[str, str]) -> tuple[Obligation, ...]:
    """Return the interface, the rules one by one, and the run that is wanted."""
    first, *others = programs
    return (
        Obligation(
            "goal",
            f"Our models don't agree on how a word is split into subword tokens. Write a "
            f"{first.name} program, `{first.path}`, that learns byte-pair merges from text and "
            f"encodes other text with them, exactly by prescribed rules.",
            "goal",
        ),
        *twins(others),
        Obligation(
            "feed",
            f"The program reads standard input: a line with the number of merges, then the lines "
            f"to learn from, then a line `{BREAK}`, and then the lines to encode.",
            "input",
        ),
        *_learning(rules),
        *_encoding(rules),
        Obligation(
            "print",
            f"The program first prints a line `left right` for each merge, in the order in which "
            f"they were learned. Then it prints one line for each line to encode: "
            f"{'the numbers of its tokens' if rules.numbers else 'its tokens'}, separated by "
            f"single blanks.",
            "format",
        ),
        Obligation(
            "measure",
            "The last line of the output is `words W tokens T unknown U`, with the numbers of "
            "words, tokens and unknown tokens in all encoded lines together.",
            "format",
        ),
        Obligation(
            "report",
            f"Also run the program once and save its output as `{run['target']}`. It should learn "
            f"from the lines of `{run['corpus']}` and encode the lines of `{run['texts']}`, with "
            f"this number of merges: {run['count']}.",
            "output",
        ),
        Obligation("keep", f"Leave `{run['corpus']}` and `{run['texts']}` as they are.", "limit"),
        _judged(programs),
    )


def _learning(rules: Rules) -> list[Obligation]:
    """Return how words are made and merges are learned."""
    case = "change capital letters to lower case first" if rules.fold else "keep capital letters"
    obligations = [
        Obligation(
            "words",
            f"Words are separated by blanks; {case}. {MARKS[rules.mark]} Then split each word into "
            f"single characters, which are its first tokens. No token ever reaches beyond its "
            f"word.",
            keys=("blank", "space", "separated"),
        ),
        Obligation(
            "count",
            f"In each round of learning, count the pairs of neighbouring tokens in the words to "
            f"learn from. {COUNT[rules.types]} A pair that occurs twice in a word counts twice "
            f"there. Join the most frequent pair into one token everywhere, in each word from left "
            f"to right. Learning ends after the given number of merges, or earlier if no pair has "
            f"a count of {rules.least} or more.",
        ),
        Obligation(
            "tie",
            f"If several pairs have the highest count, {TIES[rules.tie]}.",
            keys=("tie", "several pairs", "equally frequent", "same count", "highest count"),
        ),
    ]
    if rules.digits:
        obligations.append(
            Obligation(
                "digits",
                "Digits are only joined with digits: a pair of a token of digits and a token of "
                "other characters is never counted or merged.",
                keys=("digit",),
            )
        )
    if rules.limit:
        obligations.append(
            Obligation(
                "limit",
                f"A pair that has more than {rules.limit} characters together is never counted or "
                f"merged.",
            )
        )
    return obligations


def _encoding(rules: Rules) -> list[Obligation]:
    """Return how words are encoded, and what the tokens are called."""
    known = Obligation(
        "known",
        "A token is known if it is a character of the words to learn from or was made by a merge. "
        "All other tokens are unknown.",
        keys=("known",),
    )
    encode = Obligation("encode", ENCODE[rules.greedy], keys=("encod",))
    if not rules.numbers:
        return [known, encode]
    return [
        known,
        encode,
        Obligation(
            "numbers",
            "Known tokens are numbered from 0: first all characters of the words to learn from, in "
            "byte order, then the tokens that were made by merges, in the order in which they were "
            "learned. A merge that makes a token that has a number already gets no new one. An "
            "unknown token has the number `-1`.",
        ),
    ]


def _judged(programs: Sources) -> Obligation:
    """Return how the programs are built and tried."""
    it = "both programs" if len(programs) > 1 else "the program"
    return Obligation(
        "judged",
        f"{compiled(programs)}We will run {it} on texts that you have not seen, and compare the "
        f"output line by line.",
        "grading",
    )
