"""The table of objectives has every arm, and each shows what its runs showed."""

import json

from benchmarks import objective_tables
from benchmarks.script import RESULTS
from benchmarks.stability import AGES, ARMS, STEPS, Job, alone, twin
from tmax_gym.journal import read


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_every_arm_has_a_row_and_every_age_a_reward():
    head, _, *rows = objective_tables.stability()
    assert [cells(row)[0] for row in rows] == list(ARMS)
    assert cells(head)[1:4] == [f"reward, {age} versions old" for age in AGES]


def test_a_cell_is_the_mean_of_the_last_evaluations_over_seeds():
    runs = {(row["arm"], row["age"], row["seed"], row["steps"]): row["held_out"]
            for row in read(RESULTS / "stability.jsonl", dict)}  # fmt: skip
    tables = {cells(row)[0]: cells(row) for row in objective_tables.stability()[2:]}
    for arm in ARMS:
        for column, age in enumerate(AGES, 1):
            jobs = [Job(arm, age, seed, STEPS) for seed in range(3)]
            own = [job if alone(job) else twin(job) for job in jobs]
            lasts = [runs[job.arm, job.age, job.seed, job.steps][-4:] for job in own]
            mean = sum(sum(last) / 4 for last in lasts) / 3
            assert abs(float(tables[arm][column].split()[0]) - mean) < 0.006


def test_a_run_that_collapsed_is_counted_in_its_cell(monkeypatch, tmp_path):
    row = {"arm": "ppo", "versions": 4, "seeds": 3, "last": 0.1, "best": 0.5, "fall": 0.42,
           "collapsed": 2, "entropy": 0.25, "gap": 0.0128}  # fmt: skip
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "stability_long.json").write_text(json.dumps({"arms": [row]}))
    monkeypatch.setattr(objective_tables, "HERE", tmp_path)
    assert objective_tables.long_runs() == [
        "| arm | reward, 4 versions old | entropy | gap |",
        "|---|---|---|---|",
        "| ppo | 0.10 (0.50, −0.42), 2 of 3 collapsed | 0.25 | 0.013 |",
    ]
