import sys
from pathlib import Path

OPEN, CLOSE, CONTROL, OVER = "@open@", "@close@", "@control@", "@over@"
WIDE = [HOLE("@wide@")]
folder = Path(sys.argv[1])


def table(name):
    return [r.split("\t") for r in (folder / name).read_text(encoding="utf-8").splitlines()]


pairs = {(base, mark): one for base, mark, one in table("compose.tsv")}
folds = dict(table("fold.tsv"))


def composed(text):
    made = []
    for c in text:
        if made and (made[-1], c) in pairs:
            made[-1] = pairs[made[-1], c]
        else:
            made.append(c)
    return "".join(made)


def tokens(text):
    text = "".join(folds.get(c, c) for c in composed(text)).lower()
    for c in "@splits@":
        text = text.replace(c, " ")
    return text.split()


def occurs(phrase, words):
    for at in range(len(words) - len(phrase) + 1):
        part = words[at:at + len(phrase)]
        if all(w.startswith(p[:-1]) if p.endswith("*") else w == p for p, w in zip(phrase, part)):
            return True
    return False


def width(text):
    total = 0
    for c in map(ord, text):
        if not HOLE("@first@") <= c <= HOLE("@last@"):
            total += 2 if any(low <= c <= high for low, high in WIDE) else 1
    return total


def aligned(text, columns):
    right, size = columns.startswith(">"), int(columns.lstrip(">"))
    if width(text) > size and OVER != "keep":
        kept = ""
        for c in text:
            if width(kept + c) > size - (OVER == "dots"):
                break
            kept += c
        text = kept + "…" * (OVER == "dots")
    pad = " " * (size - width(text))
    return pad + text if right else text + pad


def form(lang, number, forms):
    for name, which, modulus, low, high, out in plurals:
        rest = number % int(modulus) if modulus != "0" else number
        if name != lang or not int(low) <= rest <= int(high):
            continue
        if out == "-" or not int(out.split("-")[0]) <= number % 100 <= int(out.split("-")[1]):
            return int(which)
    return forms


def slot(text, row):
    if not text.startswith("="):
        name, _, columns = text.partition(":")
        return aligned(row[name], columns) if columns else row[name]
    key, _, field = text[1:].partition(" ")
    lang = row["lang"] if (key, row["lang"]) in phrases else "en"
    phrase = phrases[key, lang]
    if field:
        forms = phrase.split("|")
        phrase = forms[form(lang, int(row[field]), len(forms)) - 1]
    return filled(phrase, row)


def filled(line, row):
    head, found, rest = line.partition(OPEN)
    if not found:
        return line
    inside, _, tail = rest.partition(CLOSE)
    return head + slot(inside, row) + filled(tail, row)


def tree(lines):
    made = []
    while lines:
        line = lines.pop(0)
        if not line.startswith(CONTROL):
            made.append(("text", line, [], []))
            continue
        command, _, argument = line[len(CONTROL):].strip().partition(" ")
        if command in ("else", "end"):
            return made, command
        yes, closed = tree(lines)
        no = tree(lines)[0] if closed == "else" else []
        made.append((command, argument, yes, no))
    return made, ""


def show(parts, row, topics):
    for command, argument, yes, no in parts:
        if command == "text":
            print(filled(argument, row))
        elif command == "if":
            bare = argument.lstrip("!")
            holds = bare[1:] in topics if bare[0] == "#" else row[bare] != ""
            show(yes if holds != (argument[0] == "!") else no, row, topics)
        else:
            for number, item in enumerate(filter(None, row[argument].split(";")), start=1):
                label, _, count = item.partition("*")
                show(yes, {**row, "it": label, "qty": count, "no": str(number)}, topics)


sys.stdout.reconfigure(encoding="utf-8")
plurals = table("plurals.tsv")
phrases = {(key, lang): composed(text) for key, lang, text in table("phrases.tsv")}
topics = [(name, int(least), [tokens(p) for p in text.split(";")])
          for name, least, text in table("topics.tsv")]
parts, _ = tree(composed((folder / "letter.tpl").read_text(encoding="utf-8")).splitlines())
header, *cells = table("rows.tsv")
for number, cell in enumerate(cells):
    row = dict(zip(header, map(composed, cell)))
    words = tokens(row["note"])
    if number:
        print("@between@")
    show(parts, row, {n for n, least, ps in topics if sum(occurs(p, words) for p in ps) >= least})
