#!/bin/bash
# Starts every service, the front last; the others end with it.  Complaints are in logs/.
export HOME_DIR=@home
run() {
  set -a
  NAME=$1
  . $HOME_DIR/conf/$1.env
  exec python3 -S -E $HOME_DIR/services/$1/run.py
}
for file in $HOME_DIR/conf/*.env; do
  name=$(basename $file .env)
  [ $name = @front ] || run $name > $HOME_DIR/logs/$name.log 2>&1 &
done
(run @front > $HOME_DIR/logs/@front.log 2>&1)
kill $(jobs -p) 2> /dev/null
