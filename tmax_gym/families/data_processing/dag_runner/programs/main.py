import sys
from functools import lru_cache

ORDER, DELAY, PAUSE, HALT, BY_START, RESUME = HOLE("@order"), HOLE("@delay"), HOLE("@pause"), HOLE("@halt"), HOLE("@starts"), HOLE("@resume")
workers, steps, kept = 1, {}, set()
for line in sys.stdin:
    word, name, *items = line.split()
    if word == "workers":
        workers = int(name)
    elif word == "kept":
        kept.add(name)
    else:
        step = dict(item.split("=") for item in items)
        lists = {k: set(step.get(k, "-").split(",")) - {"-"} for k in ("needs", "wants")}
        steps[name] = {k: int(v) for k, v in step.items() if k not in lists} | lists

left = set(steps)
while free := {n for n in left if not left & (steps[n]["needs"] | steps[n]["wants"])}:
    left -= free
if left:
    print("cycle", *sorted(left))
    sys.exit()


def behind(name):
    return [n for n, s in steps.items() if name in s["needs"] | s["wants"]]


HOLE("@lru_cache")(None)
def path(name):
    return steps[name]["cost"] + max(map(path, behind(name)), default=0)


def urgency(name):
    step = steps[name]
    return (step["rank"], -step["rank"], -path(name), -len(behind(name)), step["cost"])[ORDER]


while RESUME == 2 and (gone := {n for n in kept if steps[n]["needs"] - kept}):
    kept -= gone
settled, running, free_at, attempts = {}, {}, {}, {}
now, starts, halted = 0, 0, False
for name in sorted(kept) if RESUME else ():
    settled[name] = "kept"
    print(0, "kept", name)
while True:
    over = [n for n in running if running[n][0] == now]
    for name in sorted(over, key=lambda n: (running[n][1] if BY_START else 0, n)):
        del running[name]
        count = attempts[name]
        if count > steps[name]["fails"]:
            settled[name] = "done"
            print(now, "done", name)
        elif count < steps[name]["tries"] and not halted:
            free_at[name] = now + PAUSE * (1, count, 2 ** (count - 1))[DELAY]
            print(now, "retry", name)
        else:
            settled[name] = "failed"
            print(now, "failed", name)
            if HALT:
                halted = True
                continue
            lost, more = set(), {name}
            while more:
                more = {n for n, s in steps.items() if s["needs"] & more} - lost - set(settled)
                lost |= more
            for other in sorted(lost):
                settled[other] = "skipped"
                print(now, "skipped", other)
    idle = [n for n in steps if n not in settled and n not in running and not halted]
    ready = [
        n for n in idle
        if free_at.get(n, 0) <= now
        and all(settled.get(m) in ("done", "kept") for m in steps[n]["needs"])
        and steps[n]["wants"] <= set(settled)
    ]
    ready.sort(key=lambda n: (urgency(n), n))
    for name in ready[: workers - len(running)]:
        print(now, "start", name)
        starts += 1
        attempts[name] = attempts.get(name, 0) + 1
        running[name] = now + steps[name]["cost"], starts
    later = [end for end, _ in running.values()]
    later += [free_at[n] for n in idle if n not in running and free_at.get(n, 0) > now]
    if not later:
        break
    now = min(later)
for name in sorted(set(steps) - set(settled)):
    settled[name] = "skipped"
    print(now, "skipped", name)
counts = [f"{k}={list(settled.values()).count(k)}" for k in ("done", "kept", "failed", "skipped")]
print(now, "end", *counts)
