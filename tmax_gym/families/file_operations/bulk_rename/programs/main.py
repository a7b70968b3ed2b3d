import os, re
os.chdir(FOLDER)
used = {}
def slug(words):
    return re.sub("[^a-z0-9]+", "-", words.lower()).strip("-")
for old in sorted(os.listdir(".")):
    head = dict(re.findall("^(Date|Site|Title): (.+)$", open(old).read(), re.M))
    if len(head) < 3:
        continue
    day = re.sub("^(..)/(..)/(....)$", r"\3-\2-\1", head["Date"])
    name = f"{day}_{slug(head['Site'])}_{slug(head['Title'])}"
    used[name] = used.get(name, 0) + 1
    if used[name] > 1:
        name += f"-{used[name]}"
    os.rename(old, name + ".txt")
