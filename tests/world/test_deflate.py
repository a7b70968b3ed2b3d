"""Streams are read back by zlib and gzip, which share no code with the writer."""

import gzip as stdgzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmax_gym.world.deflate import gzip, runs, stored, zlib_stream


@given(st.binary(max_size=300))
def test_any_bytes_come_back_from_both_codings(data):
    assert zlib.decompress(stored(data), -15) == data
    assert zlib.decompress(runs(data), -15) == data


@pytest.mark.parametrize("byte", [0, 143, 144, 255])
def test_runs_of_every_length_come_back(byte):
    for length in (*range(1, 300), 515, 516, 517, 518, 519, 520, 700):
        data = bytes([7]) + bytes([byte]) * length + bytes([9])
        assert zlib.decompress(runs(data), -15) == data, length


@pytest.mark.parametrize("size", [0, 1, 65534, 65535, 65536, 131070, 131071])
def test_stored_blocks_split_at_the_16_bit_length(size):
    data = bytes(i % 251 for i in range(size))
    assert zlib.decompress(zlib_stream(data)) == data
    assert len(stored(data)) == size + 5 * max(1, -(-size // 65535))


def test_runs_shorten_a_blank_picture():
    assert len(runs(bytes(100_000))) < 1000


@pytest.mark.parametrize("compress", [False, True])
def test_gzip_members_open_and_keep_no_clock(compress):
    data = b"line\n" * 50
    member = gzip(data, name="log.txt", compress=compress)
    assert stdgzip.decompress(member) == data
    assert member == gzip(data, name="log.txt", compress=compress)
    assert member[4:8] == bytes(4)
