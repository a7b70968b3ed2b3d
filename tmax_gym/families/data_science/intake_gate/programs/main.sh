#!/bin/bash
jq -e -s --slurpfile book @dictionary --slurpfile rows @history '
def result($name; $a; $b):
  if $name == "sum" then $a + $b elif $name == "difference" then $a - $b
  elif $name == "product" then $a * $b else [$a, $b] | max end;
def of_type($t):
  if $t == "text" then type == "string"
  elif $t == "whole" then type == "number" and floor == .
  else type == "number" end;
[$rows[] | select(.verdict == "accepted") | .record] as $good
| $book[0].fields as $fields | $book[0].relations as $relations
| length == 1 and (.[0] as $r
| ($r | type) == "object" and ($r | keys) == ($fields | map(.name) | sort)
and all($fields[]; . as $f | $r[$f.name] as $v
  | if $v == null then $f.nullable == true
    else ($v | of_type($f.type)) and
      (if $f.check == "picture" then
        $v | test("^" + ($f.picture | gsub("A"; "[A-Z]") | gsub("9"; "[0-9]")) + "\\z")
      elif $f.check == "listed" then any($f.values[]; . == $v)
      elif $f.check == "range" then $v >= $f.low and $v <= $f.high
      elif $f.check == "observed" then any($good[]; .[$f.name] == $v)
      elif $f.check == "extremes" then
        ($good | map(.[$f.name])) as $all | $v >= ($all | min) and $v <= ($all | max)
      else true end)
    end)
and all($relations[]; .check as $check | .fields as $n
  | if $check == "pair" then any($good[]; .[$n[0]] == $r[$n[0]] and .[$n[1]] == $r[$n[1]])
    elif $check == "derived" then
      all(("sum", "difference", "product", "larger") | . as $op
        | select(all($good[]; result($op; .[$n[1]]; .[$n[2]]) == .[$n[0]]));
        result(.; $r[$n[1]]; $r[$n[2]]) == $r[$n[0]])
    elif $check == "order" then $r[$n[0]] < $r[$n[1]]
      or ($r[$n[0]] == $r[$n[1]] and any($good[]; .[$n[0]] == .[$n[1]]))
    else any($good[]; .[$n[1]] == $r[$n[1]] and (.[$n[0]] == null) == ($r[$n[0]] == null))
    end))
' > /dev/null 2>&1 || exit 1
