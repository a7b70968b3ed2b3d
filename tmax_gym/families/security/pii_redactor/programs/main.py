import re
import sys

RULES = [HOLE("@RULES")]
COUNTRIES = dict([HOLE("@COUNTRIES")])
GROUPS = [HOLE("@GROUPS")]
WEIGHTS = [HOLE("@WEIGHTS")]
CHECKS = HOLE("@CHECKS")
seen = [{} for _ in range(6)]


def email(word):
    local, _, domain = word.partition("@")
    labels = domain.split(".")
    return (
        re.fullmatch(r"[A-Za-z0-9](?:[A-Za-z0-9._+-]*[A-Za-z0-9])?", local)
        and ".." not in local
        and len(labels) > 1
        and all(re.fullmatch(r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?", x) for x in labels)
        and re.fullmatch(r"[A-Za-z]{2,}", labels[-1])
        and domain != HOLE("@KEPT")
    )


def card(word):
    digits = word.replace("-", "")
    if not re.fullmatch(r"[0-9]+", digits) or len(digits) != HOLE("@SIZE"):
        return False
    if "-" in word and [len(group) for group in word.split("-")] != GROUPS:
        return False
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 * (value > 9)
    return total % 10 == 0 or not HOLE("@LUHN")


def iban(word):
    if not re.fullmatch(r"[A-Z]{2}[0-9]{2}[A-Z0-9]+", word):
        return False
    if COUNTRIES.get(word[:2]) != len(word):
        return False
    turned = "".join(str(int(c, 36)) for c in word[4:] + word[:4])
    return int(turned) % 97 == 1 or not HOLE("@MOD97")


def phone(word):
    form = re.fullmatch(r"\+[1-9][0-9]*(?:-[0-9]+)*", word)
    return form and HOLE("@LOW") <= sum(c.isdigit() for c in word) <= HOLE("@HIGH")


def ipv4(word):
    parts = word.split(".")
    if len(parts) != 4 or not all(re.fullmatch(r"0|[1-9][0-9]{0,2}", p) for p in parts):
        return False
    if HOLE("@PRIVATE") and (parts[0] == "10" or parts[:2] == ["192", "168"]):
        return False
    return max(map(int, parts)) < 256


def house(word):
    parts = word.split(HOLE("@JOINT"))
    if len(parts) != 3 or parts[0] != HOLE("@PREFIX") or not re.fullmatch(r"[0-9]+", parts[1]):
        return False
    if len(parts[1]) != len(WEIGHTS) or len(parts[2]) != 1:
        return False
    total = sum(w * int(d) for w, d in zip(WEIGHTS, parts[1]))
    return CHECKS[total % HOLE("@MODULUS")] == parts[2] or not HOLE("@WEIGHED") and parts[2] in CHECKS


def masked(word, rule):
    kind, style, count, sign, before, after = rule
    if style == 0:
        return before
    if style == 1:
        numbers = seen[kind]
        return before + str(numbers.setdefault(word, len(numbers) + 1)) + after
    if style == 4 and kind == 0:
        return sign * 3 + word[word.index("@") :]
    if style == 4:
        return ".".join(word.split(".")[:2] + [sign, sign])
    places = [n for n, c in enumerate(word) if c.isalnum()]
    stay = places[-count:] if style == 2 else places[:count]
    return "".join(c if n in stay or n not in places else sign for n, c in enumerate(word))


def turned(found):
    raw = found[0].decode()
    core = raw.lstrip("._-").rstrip("._-+")
    at = len(raw) - len(raw.lstrip("._-"))
    for rule in RULES:
        if (email, card, iban, phone, ipv4, house)[rule[0]](core):
            return (raw[:at] + masked(core, rule) + raw[at + len(core) :]).encode()
    return found[0]


sys.stdout.buffer.write(re.sub(rb"[A-Za-z0-9@._+-]+", turned, sys.stdin.buffer.read()))
