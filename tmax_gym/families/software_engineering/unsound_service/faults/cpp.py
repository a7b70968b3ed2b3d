"""The faults of the unsound-service family in C++: iterators, references and owners that are gone.

Covers edits of `cpp`.  Does not cover logic that is wrong in any language.
"""

from __future__ import annotations

from tmax_gym.families.software_engineering.unsound_service.kit import Edits

FIRST: tuple[Edits, ...] = (
    (("std::string_view name = std::string_view(line).substr(0, cut);",
      "std::string_view name = line.substr(0, cut) + std::string(32, '\\0');"),),
    (("i < rows.size(); ++i) {\n        const Row& row = rows[i];",
      "i <= rows.size(); ++i) {\n        const Row& row = rows[i];"),),
    (("        to.push_back(Row{std::string(name), std::stoll(line.substr(cut + 1))});\n",
      "        const Row* made = new Row{std::string(name), std::stoll(line.substr(cut + 1))};\n"
      "        to.push_back(*made);\n"),),
    (("        std::string_view name = std::string_view(line).substr(0, cut);\n",
      "        char* name = new char[cut + 1];\n        line.copy(name, cut);\n"
      "        name[cut] = '\\0';\n"),),
    (("        std::string_view name = std::string_view(line).substr(0, cut);\n",
      "        char* name = new char[cut];\n        line.copy(name, cut);\n"
      "        name[cut] = '\\0';\n"),
     ("std::stoll(line.substr(cut + 1))});\n",
      "std::stoll(line.substr(cut + 1))});\n        delete[] name;\n")),
    (("        std::string_view name = std::string_view(line).substr(0, cut);\n",
      "        char* name = new char[cut + 1];\n        line.copy(name, cut);\n"
      "        name[cut] = '\\0';\n"),
     ("std::stoll(line.substr(cut + 1))});\n",
      "std::stoll(line.substr(cut + 1))});\n        delete name;\n")),
)  # fmt: skip
FAULTS: dict[str, tuple[Edits, ...]] = {
    "tally": (
        (("std::unordered_map<std::string, std::size_t> places;",
          "std::unordered_map<std::string, Row*> places;"),
         ("places[row.name] = kept.size() - 1;", "places[row.name] = &kept.back();"),
         ("kept[found->second].value +=", "found->second->value +=")),
        (("std::unordered_map<std::string, std::size_t> places;",
          "std::unordered_map<std::string, Rows::iterator> places;"),
         ("places[row.name] = kept.size() - 1;", "places[row.name] = kept.end() - 1;"),
         ("kept[found->second].value +=", "found->second->value +=")),
        (("kept.push_back(row);\n                places[row.name] = kept.size() - 1;",
          "kept.push_back(row);\n                places[row.name] = kept.size();"),),
    ),
    "window": (
        (("new std::int64_t[length]()", "new std::int64_t[length]"),),
        (("if (++at == length)", "if (++at > length)"),),
        (("std::unique_ptr<std::int64_t[]> ring", "std::unique_ptr<std::int64_t> ring"),),
        (("(new std::int64_t[length]())", "(new std::int64_t(length))"),),
    ),
    "expand": (
        (("        Rows grown;\n        for (const Row& row : rows) {",
          "        Rows& grown = rows;\n        for (std::size_t at = 0, end = rows.size(); "
          "at < end; ++at) {\n            const Row& row = rows[at];"),
         ("i <= more", "i < more")),
        (("for (const Row& row : rows) {", "for (Row& row : rows) {"),
         ("                grown.push_back(row);",
          "                grown.push_back(std::move(row));")),
        (("        Rows grown;\n        for", "        Rows grown(rows.size());\n        auto "
          "next = grown.begin();\n        for"),
         ("grown.push_back(row);", "*next++ = row;")),
    ),
    "drop": (
        (("it != rows.end();) {", "it != rows.end(); ++it) {"),
         ("                it = rows.erase(it);\n            else\n                ++it;\n",
          "                rows.erase(it);\n")),
        (("        for (auto it = rows.begin(); it != rows.end();) {\n"
          "            if (it->value < least)\n                it = rows.erase(it);\n"
          "            else\n                ++it;\n        }\n        return rows;",
          "        Rows kept(rows.size());\n        std::copy_if(rows.begin(), rows.end(), "
          "kept.begin(),\n                     [this](const Row& row) { return row.value >= "
          "least; });\n        return kept;"),),
    ),
    "join": (
        (("const std::string both = rows[i].name + \"-\" + rows[i + 1].name;",
          "const char* both = (rows[i].name + \"-\" + rows[i + 1].name).c_str();"),),
        (("i < rows.size(); i += 2) {\n            if (i + 1 == rows.size()) {\n"
          "                made.push_back(rows[i]);\n                break;\n            }\n",
          "i <= rows.size() - 1; i += 2) {\n"),),
        (("const std::string both = rows[i].name + \"-\" + rows[i + 1].name;",
          "const std::string_view both = rows[i].name + \"-\" + rows[i + 1].name;"),
         ("Row{both, ", "Row{std::string(both), ")),
    ),
    "recent": (
        (("                places.erase(kept.back().name);\n", ""),),
        (("                places.erase(kept.back().name);\n                kept.pop_back();\n",
          "                const Row& gone = kept.back();\n                kept.pop_back();\n"
          "                places.erase(gone.name);\n"),),
        (("                kept.erase(old->second);\n                places.erase(old);\n",
          "                places.erase(old);\n                kept.erase(old->second);\n"),),
    ),
    "spread": (
        (("            if (at < 0)\n                at += size;\n", ""),),
        (("delete[] counts;", "delete counts;"),),
        (("        delete[] counts;\n", ""),),
        (("(size)]();", "(size)];"),),
        (("        auto* counts = new std::int64_t[static_cast<std::size_t>(size)]();\n",
          "        std::vector<std::int64_t> counts;\n"
          "        counts.reserve(static_cast<std::size_t>(size));\n"),
         ("        delete[] counts;\n", "")),
    ),
    "digest": (
        (("std::uint32_t h = 7;", "std::int32_t h = 7;"),
         ("static_cast<std::uint32_t>(row", "static_cast<std::int32_t>(row")),
        (("for (const char letter : row.name)",
          "for (auto letter = row.name.begin(); letter <= row.name.end(); ++letter)"),
         ("(letter);", "(*letter);")),
    ),
    "rank": (
        (("i < most && i < rows.size()", "i < most"),),
        (("        Rows kept;\n        for (std::size_t i = 0; i < most && i < rows.size(); ++i)\n"
          "            kept.push_back(std::move(rows[i]));\n        return kept;",
          "        return Rows(rows.begin(), rows.begin() + static_cast<long>(most));"),),
        (("        Rows kept;\n        for (std::size_t i = 0; i < most && i < rows.size(); ++i)\n"
          "            kept.push_back(std::move(rows[i]));\n        return kept;",
          "        rows.resize(most);\n        return rows;"),),
    ),
}  # fmt: skip
