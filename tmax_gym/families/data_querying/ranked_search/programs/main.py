import glob, os, re, sys
TITLE, RARE, PHRASE, MINUS, LIMIT = HOLE("@title"), HOLE("@rare"), HOLE("@phrase"), HOLE("@minus"), HOLE("@limit")
def words(text):
    return re.findall(r"[a-z0-9]+", text.lower())
documents = []
for path in glob.glob("@folder/*.txt"):
    title, _, body = open(path).read().partition("\n")
    documents.append((int(os.path.basename(path)[:-4]), words(title), words(body)))
for query in sys.stdin:
    parts = query.split()
    terms = list(dict.fromkeys(words(" ".join(w for w in parts if w[0] != "-"))))
    banned = {t for w in parts if w[0] == "-" for t in words(w)}
    found = []
    for number, title, body in documents:
        if MINUS and banned & {*title, *body}:
            continue
        score = 0
        for term in terms:
            holders = sum(term in t or term in b for _, t, b in documents)
            weight = 1 + len(documents) // holders if RARE and holders else 1
            score += weight * (TITLE * title.count(term) + body.count(term))
        if score and PHRASE:
            pairs = {*zip(title, title[1:]), *zip(body, body[1:])}
            score += PHRASE * sum(pair in pairs for pair in zip(terms, terms[1:]))
        if score:
            found.append((-score, number))
    print(" ".join(f"{n}:{-s}" for s, n in sorted(found)[:LIMIT]) or "none")
