"""Reference scanners of a fleet, in Bash and in Python, and what goes wrong in such scanners."""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.axes import Language
from tmax_gym.families.security.trust_chain.fleet import Policy

BASH = r"""#!/bin/bash
# Usage: scan.sh FLEET; prints a verdict a host.
export LC_ALL=C
cd "$1" || exit 2
at=$(date -u -d "$(< as_of)" +%s)
for host in hosts/*; do
  name=${host##*/}
  bundle=$host/bundle.pem
  seen=$(openssl verify -attime "$at" -no-CApath -CAfile roots.pem -untrusted "$bundle" \
    -auth_level @level -purpose sslserver -verify_hostname "$name" "$bundle" 2>&1)
  code=0
  [[ $seen =~ error\ ([0-9]+)\ at ]] && code=${BASH_REMATCH[1]}
  if [[ $code =~ ^(0|7|9|10)$ ]]; then
    leaf=$(openssl x509 -in "$bundle" -noout -serial -issuer -dates -ext subjectAltName 2>&1)
    [[ $leaf == *DNS:* ]] || code=62
  fi
  case $code in
    18|19) say=untrusted ;;
    2|20|21) say=incomplete ;;
    24|79) say=not-ca ;;
    25) say=path ;;
    26) say=purpose ;;
    66|67|68) say=weak ;;
    62) say=name ;;
    7) say=forged ;;
    10) say=expired ;;
    9) say=early ;;
    0) say=ok ;;
    *) say="error $code" ;;
  esac
  if [[ $say == ok ]]; then
    [[ $leaf =~ serial=([0-9A-F]+) ]] && serial=${BASH_REMATCH[1]}
    [[ $leaf =~ issuer=[^$'\n']*CN\ =\ ([^$'\n']+) ]] && issuer=${BASH_REMATCH[1]}
    [[ $leaf =~ notBefore=([^$'\n']+) ]] && since=$(date -u -d "${BASH_REMATCH[1]}" +%s)
    [[ $leaf =~ notAfter=([^$'\n']+) ]] && until=$(date -u -d "${BASH_REMATCH[1]}" +%s)
    links=$(openssl storeutl -certs -noout -text "$bundle" | awk '
      sub(/^ *Issuer: /, "") { issuer = $0 }
      sub(/^ *Subject: /, "") { bad += (n++ && $0 != next_one) + ($0 == issuer); next_one = issuer }
      END { print bad }')
    if grep -qxF "$issuer,$serial" revoked.csv; then say=revoked
    elif (( until - since > @days * 86400 )); then say=lifetime
    elif (( links )); then say=bundle
    fi
  fi
  printf '%s\t%s\n' "$name" "$say"
done
"""
PYTHON = r"""import re, subprocess, sys
from datetime import datetime, timezone
from pathlib import Path

SAYS = {18: "untrusted", 19: "untrusted", 2: "incomplete", 20: "incomplete", 21: "incomplete",
        24: "not-ca", 79: "not-ca", 25: "path", 26: "purpose", 66: "weak", 67: "weak", 68: "weak",
        62: "name", 7: "forged", 10: "expired", 9: "early", 0: "ok"}
fleet = Path(sys.argv[1])
stamp = (fleet / "as_of").read_text().strip().replace("Z", "+00:00")
at = int(datetime.fromisoformat(stamp).timestamp())
revoked = set((fleet / "revoked.csv").read_text().split("\n"))


def openssl(*words):
    done = subprocess.run(("openssl", *map(str, words)), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.stdout.decode()


def instant(text):
    moment = datetime.strptime(text, "%b %d %H:%M:%S %Y GMT")
    return moment.replace(tzinfo=timezone.utc).timestamp()


def linked(bundle):
    text = openssl("storeutl", "-certs", "-noout", "-text", bundle)
    issuers = [line.strip() for line in re.findall(r"Issuer: (.*)", text)]
    subjects = [line.strip() for line in re.findall(r"Subject: (.*)", text)]
    return issuers[:-1] == subjects[1:] and issuers[-1] != subjects[-1]


def judged(name, bundle):
    seen = openssl("verify", "-attime", at, "-no-CApath", "-CAfile", fleet / "roots.pem",
                   "-untrusted", bundle, "-auth_level", @level, "-purpose", "sslserver",
                   "-verify_hostname", name, bundle)
    found = re.search(r"error (\d+) at", seen)
    code = int(found[1]) if found else 0
    if code in (0, 7, 9, 10):
        leaf = openssl("x509", "-in", bundle, "-noout", "-serial", "-issuer", "-dates",
                       "-ext", "subjectAltName")
        if "DNS:" not in leaf:
            code = 62
    if code:
        return SAYS.get(code, f"error {code}")
    told = dict(line.split("=", 1) for line in leaf.splitlines() if "=" in line)
    issuer = told["issuer"].rpartition("CN = ")[2]
    if f"{issuer},{told['serial']}" in revoked:
        return "revoked"
    life = instant(told["notAfter"]) - instant(told["notBefore"])
    if life > @days * 86400:
        return "lifetime"
    return "ok" if linked(bundle) else "bundle"


for host in sorted((fleet / "hosts").iterdir()):
    print(host.name, judged(host.name, host / "bundle.pem"), sep="\t")
"""
Edit = tuple[str, str]
MISTAKES: Mapping[str, tuple[frozenset[str], Mapping[Language, Edit]]] = {
    "common name accepted": (
        frozenset({"common name"}),
        {
            "bash": ("|| code=62", "|| true"),
            "python": ("code = 62", "pass"),
        },
    ),
    "key sizes ignored": (
        frozenset({"weak key"}),
        {"bash": ("-auth_level @level", ""), "python": ('"-auth_level", @level, ', "")},
    ),
    "issuers forgotten": (
        frozenset({"revoked"}),
        {
            "bash": ('grep -qxF "$issuer,$serial"', 'grep -qxF "$serial"'),
            "python": ("f\"{issuer},{told['serial']}\"", "told['serial']"),
        },
    ),
    "lifetime ignored": (
        frozenset({"too long"}),
        {
            "bash": ("until - since > @days", "until - since > 9 * @days"),
            "python": ("life > @days", "life > 9 * @days"),
        },
    ),
    "purpose ignored": (
        frozenset({"clients only"}),
        {"bash": ("-purpose sslserver", ""), "python": ('"-purpose", "sslserver",', "")},
    ),
    "order ignored": (
        frozenset({"shuffled", "with root"}),
        {
            "bash": ("elif (( links ))", "elif false"),
            "python": ('return "ok" if linked(bundle) else "bundle"', 'return "ok"'),
        },
    ),
    "another time": (
        frozenset({"expired", "early", "old authority"}),
        {
            "bash": ('-attime "$at"', '-attime "$((at + 86400 * 400))"'),
            "python": ('"-attime", at,', '"-attime", at + 86400 * 400,'),
        },
    ),
    "names ignored": (
        frozenset({"other name", "wildcard"}),
        {
            "bash": ('-verify_hostname "$name"', ""),
            "python": ('"-verify_hostname", name, ', ""),
        },
    ),
    "bundle unread": (
        frozenset({"alone"}),
        {"bash": ('-untrusted "$bundle"', ""), "python": ('"-untrusted", bundle, ', "")},
    ),
}
"""Name to (the troubles of which one must be there, the change to the program)."""
_LEVELS = {2048: 2, 3072: 3}
"""Security level of OpenSSL whose least RSA key has so many bits (SSL_CTX_set_security_level)."""


def source(language: Language, policy: Policy, edit: Edit = ("", "")) -> str:
    """Return a scanner, with one change if asked for."""
    made = {"bash": BASH, "python": PYTHON}[language]
    if edit[0] not in made:
        raise ValueError(f"the scanner has no {edit[0]!r} to be changed")
    made = made.replace(*edit) if edit[0] else made
    return made.replace("@level", str(_LEVELS[policy.bits])).replace("@days", str(policy.days))
