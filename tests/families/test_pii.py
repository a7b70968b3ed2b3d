"""Personal identifiers of pii-redactor, against published examples and hand-made look-alikes."""

from __future__ import annotations

import pytest

from tmax_gym.families.security.pii_redactor.kinds import (
    Address,
    Card,
    Email,
    House,
    Iban,
    Kind,
    Phone,
)
from tmax_gym.families.security.pii_redactor.policy import Mask, Policy, redacted

HOUSE = House("KX", "-", (2, 3, 4, 5), 11)
# 1*2 + 2*3 + 3*4 + 4*5 = 40 = 7 modulo 11.


@pytest.mark.parametrize(
    ("kind", "word", "valid"),
    [
        (Card((4, 4, 4, 4)), "4111-1111-1111-1111", True),  # the customary test number
        (Card((4, 4, 4, 4)), "4111111111111111", True),
        (Card((4, 4, 4, 4)), "4111-1111-1111-1112", False),
        (Card((4, 4, 4, 4)), "4111-11111111-1111", False),
        (Card((4, 6, 5)), "3782-822463-10005", True),
        (Iban(("DE", "NL")), "DE89370400440532013000", True),  # the registry's examples
        (Iban(("DE", "NL")), "NL91ABNA0417164300", True),
        (Iban(("NO",)), "NO9386011117947", True),
        (Iban(("DE", "NL")), "NO9386011117947", False),
        (Iban(("DE",)), "DE89370400440532013001", False),
        (Iban(("DE",)), "de89370400440532013000", False),
        (Email(""), "ida.alvik+log@mail.example.org", True),
        (Email("example.org"), "ida@example.org", False),
        (Email("example.org"), "ida@mail.example.org", True),
        (Email(""), "ida@example", False),
        (Email(""), "ida..a@example.org", False),
        (Email(""), "ida@-x.org", False),
        (Email(""), "ida@x.o1", False),
        (Phone(8, 11), "+47-2222-1111", True),
        (Phone(8, 11), "+47--2222-1111", False),
        (Phone(8, 11), "4722221111", False),
        (Phone(8, 11), "+0722221111", False),
        (Address(private=True), "8.8.4.4", True),
        (Address(private=True), "192.168.4.4", False),
        (Address(private=False), "10.0.0.1", True),
        (Address(private=True), "8.8.4.256", False),
        (Address(private=True), "8.08.4.4", False),
        (Address(private=True), "8.8.4.4.1", False),
        (HOUSE, "KX-1234-7", True),
        (HOUSE, "KX-1234-8", False),
        (HOUSE, "KX-12345-7", False),
        (HOUSE, "kx-1234-7", False),
    ],
)
def test_a_word_is_judged_by_form_and_check(kind: Kind, word: str, valid: bool) -> None:
    assert kind.valid(word) == valid


def test_only_whole_words_are_masked_and_all_other_bytes_stay() -> None:
    policy = Policy(((Address(private=True), Mask("label", label="[ip]")),))
    assert redacted(policy, b"<8.8.4.4>, v8.8.4.4\r\n..8.8.4.4.\xff") == (
        b"<[ip]>, v8.8.4.4\r\n..[ip].\xff"
    )


def test_masks_keep_what_they_are_told_to_keep() -> None:
    def said(kind: Kind, mask: Mask, text: str) -> str:
        return redacted(Policy(((kind, mask),)), text.encode()).decode()

    assert said(HOUSE, Mask("tail", 2, "x"), "KX-1234-7") == "xx-xxx4-7"
    assert said(HOUSE, Mask("head", 3, "#"), "KX-1234-7") == "KX-1###-#"
    assert said(Email(""), Mask("part", 2, "*"), "to ida@x.org") == "to ***@x.org"
    assert said(Address(private=True), Mask("part", 2, "*"), "8.8.4.4") == "8.8.*.*"
    numbered = Mask("number", label="<ip-{}>")
    assert said(Address(private=True), numbered, "8.8.4.4 1.1.1.1 8.8.4.4") == (
        "<ip-1> <ip-2> <ip-1>"
    )
