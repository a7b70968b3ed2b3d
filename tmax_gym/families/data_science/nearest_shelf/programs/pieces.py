#@ words
h = START
for k in range(i, j):
    h = step(h, inside(text[k]))
made[count[0]] = h
count[0] += 1
#@ pairs
h = START
for k in range(i, j):
    h = step(h, inside(text[k]))
made[count[0]] = h
count[0] += 1
if before > 0:
    pair = step(before - 1, 43)
    for k in range(i, j):
        pair = step(pair, inside(text[k]))
    made[count[0]] = pair
    count[0] += 1
before = h + 1
#@ trigrams
for k in range(i, j):
    left = 35
    right = 35
    if k > i:
        left = inside(text[k - 1])
    if k < j - 1:
        right = inside(text[k + 1])
    h = step(START, left)
    h = step(h, inside(text[k]))
    made[count[0]] = step(h, right)
    count[0] += 1
#@ once
for t in range(from_, k):
    if made[t] == made[k]:
        return 0
return 1
#@ rarity
found = 0
for i in range(0, n):
    here = 0
    for t in range(starts[i], starts[i + 1]):
        if made[t] == made[k]:
            here = 1
    found += here
if found == 0:
    return 0
return n // found
#@ decorrelate
if c[best * AXES + best] == 0:
    fits = 0
for k in range(0, kept):
    b = axes[k]
    both = c[best * AXES + b]
    if BOTTOM * both * both > TOP * c[best * AXES + best] * c[b * AXES + b]:
        fits = 0
#@ remove
v = array(AXES)
direction(c, v)
for k in range(0, n):
    take_out(x, k * AXES, v)
covariance(x, n, c)
#@ liked
while i < j:
    while text[i] == 32:
        i += 1
    end = i
    while text[end] > 32:
        end += 1
    h = hash_of(text, i, end)
    for k in range(0, n):
        if hash_of(text, ids[2 * k], ids[2 * k + 1]) == h:
            used[k] = 1
            for a in range(0, AXES):
                y[a] += x[k * AXES + a]
    i = end
#@ text
count[0] = starts[n]
features(text, i, j, made, count)
embed(made, starts[n], count[0], starts, n, y, 0)
