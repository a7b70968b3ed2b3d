"""Streams are fixed by their names; expected values come from elsewhere than the module."""

import math
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmax_gym.rng import SAFE_ALPHABET, Rng, seed_of, splitmix64, stable_log


def test_splitmix64_gives_the_published_sequence():
    """Rosetta Code, "Pseudo-random numbers/Splitmix64": first five for seed 1234567."""
    state, seen = 1234567, []
    for _ in range(5):
        state, value = splitmix64(state)
        seen.append(value)
    assert seen == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@pytest.mark.skipif(shutil.which("b2sum") is None, reason="needs coreutils' b2sum")
def test_the_seed_is_what_b2sum_makes_of_the_key_path():
    out = subprocess.run(["b2sum", "-l", "64"], input=b'["task",7,"a b"]', capture_output=True)
    assert seed_of(("task", 7, "a b")) == int(out.stdout.split()[0], 16)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_bits_equal_those_of_the_reference_in_c(tmp_path):
    source = tmp_path / "s.c"
    source.write_text(
        "#include <stdint.h>\n#include <stdio.h>\nint main(){uint64_t x=SEEDULL;"
        "for(int i=0;i<4;i++){uint64_t z=(x+=0x9e3779b97f4a7c15);"
        "z=(z^(z>>30))*0xbf58476d1ce4e5b9;z=(z^(z>>27))*0x94d049bb133111eb;"
        'printf("%016lx\\n",z^(z>>31));}}'.replace("SEED", str(seed_of(("gold", 1))))
    )
    subprocess.run(["gcc", "-o", tmp_path / "s", source], check=True)
    out = subprocess.run([tmp_path / "s"], capture_output=True, text=True).stdout.split()
    rng = Rng("gold", 1)
    assert [f"{rng.bits(64):016x}" for _ in range(4)] == out


def test_every_method_keeps_its_golden_values():
    """Frozen: a change here changes every task of the catalogue."""
    r = Rng("golden", 3)
    seen = [r.bits(5), r.integer(10, 20), r.choice("abcdef"), r.sample(range(9), 4)]
    seen += [r.shuffled("abcd"), r.hex(7), r.secret(6), r.uniform().hex(), r.gauss().hex()]
    seen += [r.gauss().hex(), r.weighted("xyz", [1, 2, 3]), r.weighted("xyz", [0.1, 0.2, 0.7])]
    assert seen == [
        *(19, 11, "c", [7, 8, 6, 0], ["d", "b", "c", "a"], "d11da92", "d8xfpx"),
        *("0x1.341e93916be03p-1", "-0x1.4f21f55397d82p+0", "-0x1.27c93f7938122p+0", "z", "z"),
    ]


def test_a_fork_does_not_depend_on_what_was_drawn():
    fresh, used = Rng("t"), Rng("t")
    used.bits(999)
    assert fresh.fork("a", 1).bits(64) == used.fork("a", 1).bits(64) == Rng("t", "a", 1).bits(64)


def test_keys_of_different_shape_are_different_streams():
    keys = [("1",), (1,), ("1", ""), ("", "1"), ("a,b",), ("a", "b"), ('a"', "b")]
    assert len({seed_of(k) for k in keys}) == len(keys)


def test_integers_are_unbiased():
    """Chi-square over 7 cells (6 degrees of freedom): 22.5 has probability 0.001."""
    rng, n = Rng("chi"), 14_000
    counts = [0] * 7
    for _ in range(n):
        counts[rng.integer(-3, 3) + 3] += 1
    assert sum((c - n / 7) ** 2 / (n / 7) for c in counts) < 22.5


@given(st.integers(-(2**40), 2**40), st.integers(0, 2**66), st.integers(0, 99))
def test_an_integer_is_the_first_fitting_one_of_so_many_bits(low, span, key):
    bits, drawn = Rng("x", key), Rng("x", key)
    words = iter(lambda: bits.bits(span.bit_length()), None)
    assert drawn.integer(low, low + span) == low + next(n for n in words if n <= span)
    assert drawn.bits(64) == bits.bits(64)


@given(
    st.integers(-50, 50),
    st.sampled_from((0, 1, 2, 7, 8, 25, 256, 10**6, 2**63, 2**64 - 1, 2**64)),
    st.integers(0, 200),
)
def test_many_integers_are_those_of_single_draws_and_leave_the_stream_at_the_same_place(
    low, span, count
):
    together, one_by_one = Rng("many", span), Rng("many", span)
    drawn = together.integers(low, low + span, count)
    assert drawn == [one_by_one.integer(low, low + span) for _ in range(count)]
    assert together.bits(64) == one_by_one.bits(64)


def test_many_choices_are_those_of_single_draws():
    together, one_by_one = Rng("choices"), Rng("choices")
    assert together.choices("abcdef", 90) == [one_by_one.choice("abcdef") for _ in range(90)]


def test_the_logarithm_agrees_with_the_c_library():
    rng = Rng("log")
    for _ in range(2000):
        x = rng.uniform() or 0.5
        assert math.isclose(stable_log(x), math.log(x), rel_tol=1e-14, abs_tol=1e-16)


def test_gauss_has_the_moments_of_a_normal_deviate():
    rng, n = Rng("normal"), 20_000
    values = [rng.gauss() for _ in range(n)]
    mean = sum(values) / n
    var = sum((v - mean) ** 2 for v in values) / n
    kurt = sum((v - mean) ** 4 for v in values) / n / var**2
    assert abs(mean) < 4 / math.sqrt(n)
    assert abs(var - 1) < 0.05
    assert abs(kurt - 3) < 0.2


def test_a_zero_weight_is_never_drawn():
    rng = Rng("w")
    seen = {rng.weighted("abc", [0, 0.3, 0.0]) for _ in range(200)}
    assert seen == {"b"}


def test_sample_takes_different_positions_and_leaves_the_sequence():
    pool = list(range(20))
    drawn = Rng("s").sample(pool, 20)
    assert sorted(drawn) == pool == list(range(20))
    assert drawn != pool


def test_secrets_use_only_the_safe_alphabet():
    assert not set("aeiou01loiIO") & set(SAFE_ALPHABET)
    assert set(Rng("k").secret(500)) == set(SAFE_ALPHABET)


@pytest.mark.parametrize(
    "call",
    [
        lambda r: r.integer(2, 1),
        lambda r: r.integers(2, 1, 30),
        lambda r: r.choice([]),
        lambda r: r.choices([], 1),
        lambda r: r.sample("ab", 3),
        lambda r: r.weighted("a", [0]),
        lambda r: r.weighted("ab", [1]),
        lambda r: r.fork(),
    ],
)
def test_impossible_draws_are_refused(call):
    with pytest.raises(ValueError):
        call(Rng("bad"))
