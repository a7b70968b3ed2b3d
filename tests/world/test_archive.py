"""Archives are opened by tar, zipfile and openssl; ciphers meet the published vectors."""

import io
import shutil
import subprocess
import tarfile
import zipfile

import pytest

from tmax_gym.nodes import Node, directory, link, text
from tmax_gym.world.aes import encrypt_block, encrypt_cbc
from tmax_gym.world.archives import encrypted, tar, zip_archive

TREE = [
    text("/app/b.txt", "zwei\n", mode=0o600, mtime=1700000001),
    directory("/app"),
    link("/app/l", "b.txt"),
    Node("/app/ü" + "x" * 90 + "/" + "y" * 60, data=bytes(range(256)) * 5),
]


def test_aes_meets_fips_197_appendix_c_3():
    key = bytes(range(32))
    plain = bytes.fromhex("00112233445566778899aabbccddeeff")
    assert encrypt_block(plain, key).hex() == "8ea2b7ca516745bfeafc49904b496089"


def test_cbc_meets_sp_800_38a_f_2_5():
    key = bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    plain = bytes.fromhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
    cipher = encrypt_cbc(plain, key, bytes(range(16)))
    assert cipher[:32].hex() == "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 5000])
def test_openssl_opens_the_container_and_would_write_the_same(size):
    data = bytes(i * 7 % 256 for i in range(size))
    container = encrypted(data, "pass word", salt=bytes(range(8)), iterations=1234)
    base = ["openssl", "enc", "-aes-256-cbc", "-pbkdf2", "-iter", "1234"]
    base += ["-pass", "pass:pass word"]
    opened = subprocess.run([*base, "-d"], input=container, capture_output=True, check=True)
    assert opened.stdout == data
    written = subprocess.run(
        [*base, "-S", bytes(range(8)).hex()], input=data, capture_output=True, check=True
    ).stdout
    # OpenSSL 3 leaves the header away when the salt is given.
    assert container.removeprefix(b"Salted__" + bytes(range(8))) == written


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_a_wrong_password_does_not_open_the_container():
    container = encrypted(b"x" * 1000, "right", salt=b"saltsalt", iterations=10)
    base = ["openssl", "enc", "-d", "-aes-256-cbc", "-pbkdf2", "-iter", "10"]
    out = subprocess.run([*base, "-pass", "pass:wrong"], input=container, capture_output=True)
    assert out.stdout[:900] != b"x" * 900


def test_tar_members_keep_content_mode_time_and_links():
    with tarfile.open(fileobj=io.BytesIO(tar(TREE))) as opened:
        assert opened.getnames() == ["app", "app/b.txt", "app/l", TREE[3].path[1:]]
        info = opened.getmember("app/b.txt")
        assert (info.mode, info.mtime, info.uname) == (0o600, 1700000001, "root")
        assert opened.extractfile(info).read() == b"zwei\n"
        assert opened.getmember("app/l").linkname == "b.txt"
        assert opened.getmember("app").isdir()
        assert opened.extractfile(TREE[3].path[1:]).read() == TREE[3].data


def test_gnu_tar_extracts_the_archive_without_a_word(tmp_path):
    run = subprocess.run(
        ["tar", "-x", "-C", tmp_path], input=tar(TREE), capture_output=True, check=True
    )
    assert run.stderr == b""
    assert (tmp_path / "app/l").read_text() == "zwei\n"


def test_the_order_of_nodes_does_not_change_an_archive():
    assert tar(TREE) == tar(TREE[::-1])
    assert zip_archive(TREE) == zip_archive(TREE[::-1])


def test_zip_members_come_back_and_pass_the_crc_check():
    with zipfile.ZipFile(io.BytesIO(zip_archive(TREE, comment="hi"))) as opened:
        assert opened.testzip() is None
        assert opened.namelist() == ["app/", "app/b.txt", "app/l", TREE[3].path[1:]]
        assert opened.read("app/b.txt") == b"zwei\n"
        assert opened.comment == b"hi"
        assert opened.getinfo("app/b.txt").date_time == (2023, 11, 14, 22, 13, 20)
        assert opened.getinfo("app/b.txt").external_attr >> 16 == 0o100600


@pytest.mark.parametrize("node", [Node("/" + "x" * 101), Node("/p", kind="other", data=None)])
def test_what_a_header_cannot_hold_is_refused(node):
    with pytest.raises(ValueError):
        tar([node])
