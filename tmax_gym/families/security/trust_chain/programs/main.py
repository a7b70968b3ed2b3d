import re, subprocess, sys
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
                   "-untrusted", bundle, "-auth_level", HOLE("@level"), "-purpose", "sslserver",
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
    if life > HOLE("@days") * 86400:
        return "lifetime"
    return "ok" if linked(bundle) else "bundle"


for host in sorted((fleet / "hosts").iterdir()):
    print(host.name, judged(host.name, host / "bundle.pem"), sep="\t")
