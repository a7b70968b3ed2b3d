import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_action_space, check_observation_space
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

from tmax_gym.envs.spaces import HARMLESS, Unicode


def test_any_text_up_to_the_length_belongs_to_it() -> None:
    space = Unicode(20)
    assert "naïve ✓\n\t\x00" in space
    assert "" in space
    assert "x" * 20 in space
    assert "x" * 21 not in space
    assert b"ls" not in space
    assert 3 not in space


def test_samples_are_harmless_commands_decided_by_the_seed() -> None:
    one, two = Unicode(100, seed=5), Unicode(100, seed=5)
    drawn = [one.sample() for _ in range(50)]
    assert drawn == [two.sample() for _ in range(50)]
    assert set(drawn) == set(HARMLESS)
    assert all(command in one for command in drawn)


def test_a_mask_has_no_meaning() -> None:
    with pytest.raises(ValueError, match="neither mask"):
        Unicode(100).sample(mask=np.ones(3))


def test_equal_lengths_make_equal_spaces() -> None:
    assert Unicode(30) == Unicode(30, seed=1)
    assert Unicode(30) != Unicode(31)
    assert Unicode(30) != gym.spaces.Text(30)


def test_it_can_be_batched_as_vector_environments_do() -> None:
    space = Unicode(64)
    batch = batch_space(space, 3)
    texts = ("ls", "pwd", "echo 'a b'")
    assert texts in batch
    assert tuple(iterate(batch, texts)) == texts
    assert concatenate(space, texts, create_empty_array(space, n=3)) == texts
    assert batch.sample() in batch


def test_gymnasium_accepts_it_as_a_space() -> None:
    check_action_space(Unicode(64))
    check_observation_space(Unicode(64))
