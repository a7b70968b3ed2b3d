"""The faults of the unsound-service family in Rust: what the borrow checker refuses, and clones.

A clone in the wrong place compiles, and loses what was changed.
"""

from __future__ import annotations

from tmax_gym.families.software_engineering.unsound_service.kit import Edits

_DROP = """\
    let mut at = 0;
    while at < rows.len() {
        if rows[at].value < least {
            rows.remove(at);
        } else {
            at += 1;
        }
    }
"""
FIRST: tuple[Edits, ...] = (
    # E0382: the name is moved away, and then compared
    (("        if line == \"end\" {", "        let kept = line;\n        if line == \"end\" {"),),
    # E0277, E0597: a row that borrows from a line which is gone
    (("    name: String,\n    value: i64,\n}", "    name: &'static str,\n    value: i64,\n}"),
     ("Row { name: name.to_string(), value }", "Row { name, value }")),
    # E0499, E0502: rows are lent for writing while they grow
    (("    let mut rows = Vec::new();\n    for line in lines {",
      "    let mut rows = Vec::new();\n    let grown = &mut rows;\n    for line in lines {"),
     ("    Ok(if rows.is_empty()", "    grown.shrink_to_fit();\n    Ok(if rows.is_empty()")),
    # E0507: a name is moved out of rows that are only lent
    (("        writeln!(out, \"{} {}\", row.name, row.value)?;\n",
      "        let name = row.name;\n        writeln!(out, \"{} {}\", name, row.value)?;\n"),),
    # E0716: the line ends before its halves do
    (("        let (name, value) = line.split_once(' ').expect(\"a name and a value\");\n",
      "        let (name, value) = line.trim().to_string().split_once(' ').expect(\"two words\");"
      "\n"),),
    # E0382: the rows of one batch are moved into a line of print
    (("    for row in rows {\n        writeln!", "    let shown = rows.to_vec();\n"
      "    for row in shown {\n        writeln!"),
     ("rows.len(), total)", "shown.len(), total)")),
)  # fmt: skip
FAULTS: dict[str, tuple[Edits, ...]] = {
    "tally": (
        # E0382
        (("                places.insert(row.name.clone(), kept.len());\n                "
          "kept.push(row);\n", "                places.insert(row.name, kept.len());\n"
          "                kept.push(row);\n"),),
        # E0594, E0499
        (("HashMap<String, usize>", "HashMap<String, &mut Row>"),
         ("Some(&place) => kept[place].value += row.value,",
          "Some(place) => place.value += row.value,"),
         ("                places.insert(row.name.clone(), kept.len());\n                "
          "kept.push(row);\n", "                let name = row.name.clone();\n"
          "                kept.push(row);\n"
          "                places.insert(name, kept.last_mut().unwrap());\n")),
        # a clone takes the sum
        (("Some(&place) => kept[place].value += row.value,",
          "Some(&place) => kept[place].clone().value += row.value,"),),
    ),
    "window": (
        # a clone takes the sums
        (("for row in rows.iter_mut() {", "for row in rows.clone().iter_mut() {"),
         ("mut rows: Vec<Row>, length: usize", "rows: Vec<Row>, length: usize")),
        # E0596
        (("for row in rows.iter_mut() {", "for row in rows.iter() {"),),
        # E0502
        (("for row in rows.iter_mut() {", "for (at, row) in rows.iter().enumerate() {"),
         ("        row.value = sum;", "        rows[at].value = sum;")),
        # E0382
        (("for row in rows.iter_mut() {", "for mut row in rows {"),),
    ),
    "expand": (
        # E0382
        (("grown.push(row.clone());", "grown.push(row);"),),
        # E0507
        (("for row in rows {", "for row in &rows {"),
         ("        grown.push(row);\n", "        grown.push(*row);\n")),
        # E0502
        (("    let mut grown = Vec::new();\n    for row in rows {",
          "    let mut grown = rows;\n    for row in &grown {"),
         ("        grown.push(row);\n", "")),
    ),
    "drop": (
        # E0502
        ((_DROP,
          "    for (at, row) in rows.iter().enumerate() {\n        if row.value < least {\n"
          "            rows.remove(at);\n        }\n    }\n"),),
        # a clone decides where to look
        ((_DROP,
          "    for (at, row) in rows.clone().iter().enumerate() {\n        "
          "if row.value < least && at < rows.len() {\n            rows.remove(at);\n        }\n"
          "    }\n"),),
        # a clone is thinned out
        ((_DROP,
          "    rows.clone().retain(|row| row.value >= least);\n"),
         ("fn drop(mut rows", "fn drop(rows")),
        # E0505
        (("        if rows[at].value < least {\n",
          "        let row = &rows[at];\n        let kept = rows;\n"
          "        if row.value < least {\n"),
         ("            rows.remove(at);\n        } else {\n            at += 1;\n        }\n",
          "            kept.remove(at);\n        } else {\n            at += 1;\n        }\n")),
    ),
    "join": (
        # E0382
        (("                let name = format!(\"{}-{}\", left.name, right.name);\n",
          "                let name = left.name + \"-\" + &right.name;\n                "
          "let left = vec![left];\n"),
         ("value: left.value + right.value", "value: left[0].value + right.value")),
        # E0597, E0515
        (("                let name = format!(\"{}-{}\", left.name, right.name);\n",
          "                let both = format!(\"{}-{}\", left.name, right.name);\n"
          "                let name: &'static str = &both;\n"),
         ("Row { name, value: left", "Row { name: name.to_string(), value: left")),
        # E0499
        (("    while let Some(left) = rest.next() {\n        match rest.next() {",
          "    for left in rest.by_ref() {\n        match rest.next() {"),),
        # a clone of the iterator stays behind
        (("        match rest.next() {", "        match rest.clone().next() {"),),
    ),
    "recent": (
        # E0502
        (("        let old = kept.iter().position(|other| other.name == row.name);\n"
          "        if let Some(place) = old {\n            kept.remove(place);\n        }\n",
          "        for (place, other) in kept.iter().enumerate() {\n"
          "            if other.name == row.name {\n                kept.remove(place);\n"
          "            }\n        }\n"),),
        # E0382
        (("        kept.push_front(row);\n        kept.truncate(room);",
          "        kept.push_front(row);\n        if kept.len() > room && row.value != 0 {\n"
          "            kept.truncate(room);\n        }"),),
        # a clone is cut
        (("        kept.truncate(room);", "        kept.clone().truncate(room);"),),
    ),
    "spread": (
        # a clone counts
        (("        let count = &mut counts[", "        let count = &mut counts.clone()["),
         ("let mut counts", "let counts")),
        # E0502, E0505
        (("    let label = |at: usize| format!(\"b{}\", at);\n",
          "    let sizes = &counts;\n    let label = |at: usize| "
          "format!(\"b{}\", at.min(sizes.len()));\n"),),
        # E0373 and E0505: the closure holds what is moved on
        (("        let count = &mut counts[row.value.rem_euclid(size) as usize];\n"
          "        *count += 1;\n    }\n",
          "        let count = &mut counts[row.value.rem_euclid(size) as usize];\n"
          "        *count += 1;\n    }\n    let least = counts.iter().min();\n"),
         ("        .collect()\n", "        .filter(|row| Some(&row.value) >= least)\n"
          "        .collect()\n")),
    ),
    "digest": (
        # the product does not fit
        (("h.wrapping_mul(31).wrapping_add(u32::from(byte))", "h * 31 + u32::from(byte)"),),
        # E0382
        (("    for row in &rows {", "    for row in rows {"),),
        # a clone takes the row
        (("    rows.push(Row { name: \"digest\".to_string(), value: i64::from(h) });\n",
          "    rows.clone().push(Row { name: \"digest\".to_string(), value: i64::from(h) });\n"),
         ("mut rows", "rows")),
    ),
    "rank": (
        # a clone is sorted
        (("    rows.sort_by(", "    rows.clone().sort_by("),),
        # E0507
        (("b.value.cmp(&a.value).then_with(|| a.name.cmp(&b.name)));\n",
          "{\n        let (first, second) = (a.name, b.name);\n        "
          "b.value.cmp(&a.value).then_with(|| first.cmp(&second))\n    });\n"),),
        # E0505
        (("    rows.truncate(most);\n    rows\n",
          "    let best = &rows[..most.min(rows.len())];\n    let mut all = rows;\n"
          "    all.truncate(best.len());\n    all\n"),),
    ),
}  # fmt: skip
