"""The method sheet of a posterior-desk task: how each analysis is computed and printed."""

from __future__ import annotations

from tmax_gym.families.scientific_computing.posterior_desk.phrases import facts
from tmax_gym.families.scientific_computing.posterior_desk.plans import Plan
from tmax_gym.families.shared.sheets import flowed

_SHEET = """# Method

## Readings

There are two groups of readings, {first} and {second}. Below, m is the number of readings of
{first}, and n is the number of readings of {second}. The readings of a group are always in the
order of the input, unless it says that they are sorted. The lower median of a group is the middle
one of its sorted readings; of two middle ones it is the smaller one. `a // b` means a divided by b,
rounded down. Fractions are printed as `a/b` in lowest terms, with b = 1 for whole numbers.

## Random numbers

The random generator has a state x, which is the seed at the start. `below(n)` draws a whole number
from 0 to n - 1: it changes the state by {step}, and then it takes r = `x >> 16` and returns {pick}.

## `density`

The range of the readings is divided into {cells} cells. Each cell covers {width} whole numbers, and
cell 0 begins at 0. {kernel} {edge}

Print the weights of all cells for {first}, then `|`, and then the weights of all cells for
{second}, all separated by single blanks.

## `gap`

Divide the density of each group by its own total. The results are the shares p of {first} and q of
{second} in each cell. P and Q are the running sums of p and q from cell 0 on. Print {distance}, as
a fraction.

## `test`

The statistic is {statistic}.

The row consists of the readings of {first}, followed by those of {second}, with its places counted
from 0. Each round shuffles {again}: {shuffle}. After that, the first m places count as {first} and
the others as {second}, and the statistic is computed again.

Print the statistic of the groups as they were given, and {share} as a fraction, with a blank
between them. Here u is the number of rounds in which the statistic is larger than that of the given
groups, and e is the number of rounds in which it is equal.

## `interval`

Each round draws a new sample of each group: {draws}. Each number drawn is a place in the input
order of its group, counted from 0, and the reading at this place goes into the sample. The value of
a round is {estimate}. It is computed for the samples of this round. The observed value is computed
in the same way for the groups as they were given.

Sort the values of all rounds. With k = {cut}, `low` is the value k places after the first one, and
`high` is the value k places before the last one. Print {bounds}, separated by single blanks.

## `posterior`

This is a Metropolis chain over the whole numbers t from 0 to {top}. Let c be the lower median of
{first}. The energy of a t is the sum of the losses of all readings y of {second}{prior}. The loss
of a reading y is {loss}.

The chain starts at t = {begin}. {proposal} {wall}

Let d be the energy of the proposal minus the energy of t. If d is 0 or less, the proposal is
accepted. Otherwise it is accepted only if a number drawn by `below(65536)` is less than {mark}.
{when} An accepted proposal becomes the new t.

Rounds are counted from 1. The t after each of the rounds {kept} is kept. Print
four numbers, separated by single blanks: how many proposals were accepted; 100 times the mean of
the kept values, rounded down; and, with k = {tail} and the kept values sorted, the value k places
after the first one and the value k places before the last one.
"""


def sheet(plan: Plan, marks: str) -> str:
    """Return the method sheet of a plan; `marks` is the file of thresholds, if any."""
    return flowed(_SHEET.format(**facts(plan, marks)))
