#@ xorshift
s[0] = s[0] ^ ((s[0] << 13) & 4294967295)
s[0] = s[0] ^ (s[0] >> 17)
s[0] = s[0] ^ ((s[0] << 5) & 4294967295)
#@ statistic_mean
for i in range(0, m):
    found -= v[i] * n
for i in range(m, m + n):
    found += v[i] * m
return HOLE("@found")
#@ statistic_median
a = array(m)
b = array(n)
sorted_copy(v, 0, m, a)
sorted_copy(v, m, n, b)
found = b[(n - 1) // 2] - a[(m - 1) // 2]
return HOLE("@found")
#@ statistic_pairs
for i in range(0, m):
    for j in range(m, m + n):
        if v[j] > v[i]:
            found += 1
        elif v[j] < v[i]:
            found -= 1
return HOLE("@found")
#@ statistic_ecdf
best = -1000000
for k in range(0, m + n):
    found = 0
    for i in range(0, m):
        if v[i] <= v[k]:
            found += n
    for i in range(m, m + n):
        if v[i] <= v[k]:
            found -= m
    best = max(best, HOLE("@found"))
return best
#@ upward
for i in range(0, m + n - 1):
    j = i + below(s, m + n - i)
    kept = w[i]
    w[i] = w[j]
    w[j] = kept
#@ downward
for i in range(m + n - 1, 0, -1):
    j = below(s, i + 1)
    kept = w[i]
    w[i] = w[j]
    w[j] = kept
#@ sums
x = 0
y = 0
for i in range(HOLE("@m"), m - HOLE("@m")):
    x += a[i]
for i in range(HOLE("@n"), n - HOLE("@n")):
    y += b[i]
return y * (m - 2 * (HOLE("@m"))) - x * (n - 2 * (HOLE("@n")))
#@ walk
size = 1 + below(s, STRIDE)
if below(s, 2) == 0:
    size = -size
made = theta + size
HOLE("@wall")
#@ always
mark = below(s, 65536)
if rise > 0 and mark >= threshold(rise):
    taken = 0
#@ needed
if rise > 0:
    if below(s, 65536) >= threshold(rise):
        taken = 0
