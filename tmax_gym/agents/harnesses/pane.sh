#!/bin/bash
# Types into a terminal of its own, a tmux session, and shows what is new on it.
#   pane start     begin afresh
#   pane text      type standard input as it is
#   pane keys TEXT type TEXT, or press the key of that name
#   pane look      show what is new since the last look, or the screen where that cannot be told
# tmux's own parser sees no text: it takes a `;` at the end of a word for its separator.
place=${BASH_SOURCE[0]%/*}
program=tmux
[ -x "$place/bin/tmux" ] && program=$place/bin/tmux
# Not below /tmp, which agents empty.
tmux() { command "$program" -u -S "$place/socket" -f /dev/null "$@"; }
alive() { tmux has-session -t =main 2>/dev/null; }
start() {
  rm -f "$place/seen"
  [ -x /bin/bash ] && export SHELL=/bin/bash
  unset TMUX TMUX_PANE
  # The limit first: a pane keeps the one that it began with.
  TERM=xterm-256color tmux start-server \; set-option -g history-limit 50000 \; \
    new-session -d -s main -x 160 -y 40 'bash --login' && sleep 0.3 && alive
}
ensure() {
  alive && return
  start || { echo 'The terminal cannot be started.'; exit 1; }
  echo '[The terminal session had ended: its shell was left or its server was killed. This is a' \
    'new one. Programs, variables and the working directory of the old one are gone.]' \
    > "$place/note"
}
look() {
  local screen now before rest
  screen=$(tmux capture-pane -p -t =main:)
  now=$(tmux capture-pane -p -S - -t =main:) || { echo 'The terminal cannot be read.'; exit 1; }
  local LC_ALL=C
  now=${now#"${now%%[![:space:]]*}"} now=${now%"${now##*[![:space:]]}"}
  if [ -e "$place/seen" ]; then before=$(< "$place/seen"); else before=$'\n'; fi
  printf %s "$now" > "$place/seen"
  if [ -e "$place/note" ]; then cat "$place/note"; rm -f "$place/note"; fi
  if [[ $before != $'\n' && $now == *"$before"* ]]; then
    rest=${now#*"$before"}
    echo 'New Terminal Output:'
    [[ $before == *$'\n'* ]] && echo  # as Terminus 2 shows it
    printf '%s%s\n' "${before##*$'\n'}" "$rest"
  else
    printf 'Current Terminal Screen:\n%s\n' "$screen"
  fi
}
case $1 in
  start) tmux kill-server 2>/dev/null; rm -f "$place/note"; start ;;
  text) ensure; tmux load-buffer -b typed - && tmux paste-buffer -d -r -b typed -t =main: ;;
  keys)
    ensure
    keys=$2
    [[ $keys == *';' ]] && keys="${keys%;}\\;"
    tmux send-keys -t =main: ${3:+"$3"} -- "$keys"
    ;;
  look) ensure; look ;;
esac
