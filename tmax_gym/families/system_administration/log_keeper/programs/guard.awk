#!/usr/bin/awk -f
# guard CONF: reads events, prints what a supervisor does about them
function act(t, what, s) { print t, what, s | "LC_ALL=C sort -s -k1,1n -k3,3" }
function start(s, t) { up[s] = 1; since[s] = heard[s] = t; act(t, "start", s) }
function ended(s, t, status,   wait, recent, i) {
    if (!up[s]) return
    up[s] = 0
    if (stopped[s] || restart[s] == "never" || (restart[s] == "failure" && status == 0)) return
#(@LIMIT

#)
    wait = delay[s]
#(@BACKOFF

#)
    due[s] = t + wait
}
function advance(s, t,   at) {
    while (1) {
        if (!up[s] && due[s] != "" && due[s] <= t) {
            at = due[s]; due[s] = ""; start(s, at); started[s, ++count[s]] = at
        }
#(@BEAT

#)
        else return
    }
}
BEGIN {
    conf = ARGV[1]; ARGV[1] = ""
    while ((getline line < conf) > 0) {
        n = split(line, word, " ")
        if (n == 0 || word[1] ~ /^#/) continue
        s = word[1]; up[s] = 1; since[s] = heard[s] = count[s] = quick[s] = stopped[s] = 0
        for (i = 2; i <= n; i++) {
            split(word[i], pair, "=")
            if (pair[1] == "restart") restart[s] = pair[2]
            if (pair[1] == "delay") delay[s] = pair[2]
            if (pair[1] == "max") max[s] = pair[2]
            if (pair[1] == "healthy") healthy[s] = pair[2]
            if (pair[1] == "beat") beat[s] = pair[2]
            if (pair[1] == "limit") split(pair[2], most, "/")
            if (pair[1] == "limit") { limit[s] = most[1]; window[s] = most[2] }
        }
    }
}
{ for (s in restart) advance(s, $1) }
$3 == "exit" { ended($2, $1, $4) }
$3 == "beat" { heard[$2] = $1 }
#(@OPERATOR

#)
