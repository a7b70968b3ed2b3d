"""The method sheet of a posterior-desk task: how each analysis is computed and printed."""

from __future__ import annotations

from tmax_gym.families.scientific_computing.posterior_desk.phrases import facts
from tmax_gym.families.scientific_computing.posterior_desk.plans import Plan
from tmax_gym.families.shared.sheets import flowed

_SHEET = """# Method

## Readings

There are two groups of readings, {first} and {second}. Below, m is the number of readings of
{first}, and n is the number of readings of {second}. The readings of a group are in the order of
the input, unless this document says that they are sorted. The lower median of a group is the middle
one of its sorted readings, or the smaller of the two middle ones. `a // b` means a divided by b,
rounded down, and `a >> b` means `a // 2^b`. Fractions are printed as `a/b` in lowest terms, with
b = 1 for whole numbers. Positions are counted from 0.

## Random numbers

The random generator has a state x, which is the seed at the start. `below(n)` draws a whole number
from 0 to n - 1: it updates the state with {step}, then sets r = `x >> 16`, and returns {pick}.

## `density`

The range of the readings is divided into {cells} cells. Each cell covers {width} whole numbers, and
cell 0 begins at 0. {kernel} {edge}

Print the weights of all cells for {first}, then `|`, and then the weights of all cells for
{second}, each time from cell 0 on and all separated by single blanks.

## `gap`

Divide the density of each group by the sum of its weights. The results are the shares p of {first}
and q of {second} in each cell. {running}Print, as a fraction, {distance}.

## `test`

The statistic is {statistic}.

The row consists of the readings of {first}, followed by those of {second}. Each round shuffles
{again}: {shuffle}. After that, the first m positions count as {first} and the others as {second},
and the statistic is computed again.

Print the statistic of the original groups and then {share} as a fraction, with a blank between
them. Here u is the number of rounds in which the statistic is larger than that of the original
groups, and e is the number of rounds in which it is equal.

## `interval`

Each round draws a new sample of each group: {draws}. Each number drawn is a position in its group,
in the order of the input, and the reading at this position goes into the sample. The value of a
round is computed from the samples of this round. It is {estimate}. The observed value is computed
in the same way from the original groups.

Sort the values of all rounds. With k = {cut}, `low` is the value k positions after the first one,
and `high` is the value k positions before the last one. Print {bounds}, separated by single blanks.

## `posterior`

This is a Metropolis chain over the whole numbers t from 0 to {top}. {centre}The energy of a t is
the sum of the losses of all readings y of {second}{prior}. The loss of a reading y is {loss}.

The chain starts at t = {begin}. {proposal} {wall}

Let d be the energy of the proposal minus the energy of t. If d is 0 or less, the proposal is
accepted. Otherwise it is accepted only if a number drawn by `below(65536)` is less than {mark}.
{when} An accepted proposal becomes the new t.

Rounds are counted from 1. The t after each of the rounds {kept} is kept. Sort the kept values, and
let k = {tail}, where `kept` is the number of kept values. Print four numbers, separated by single
blanks: the number of accepted proposals in all rounds; 100 times the mean of the kept values,
rounded down; the kept value k positions after the first one; and the kept value k positions before
the last one.
"""


def sheet(plan: Plan, marks: str) -> str:
    """Return the method sheet of a plan; `marks` is the file of thresholds, if any."""
    return flowed(_SHEET.format(**facts(plan, marks)))
