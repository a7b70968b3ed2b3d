"""The faults of the unsound-service family in C: overflows, dangling and lost memory."""

from __future__ import annotations

from tmax_gym.families.software_engineering.unsound_service.kit import Edits

FIRST: tuple[Edits, ...] = (
    (("malloc(strlen(name) + 1)", "malloc(strlen(name))"),),
    (("    free(gone->name);\n", ""),),
    (("malloc(sizeof *made)", "malloc(sizeof made)"),),
    (("    made->next = NULL;\n", ""),),
    (("        release(&batch);\n", "        batch = (struct batch){0};\n"),),
    (("        free_row(row);\n}\n\n/* Reads", "        free(row->name);\n}\n\n/* Reads"),),
)  # fmt: skip
FAULTS: dict[str, tuple[Edits, ...]] = {
    "tally": (
        (("            same->value += row->value;\n            free_row(row);\n",
          "            same->value += row->value;\n"),),
        (("            same->value += row->value;\n            free_row(row);\n",
          "            free_row(row);\n            same->value += row->value;\n"),),
        (("while (same != NULL && strcmp(same->name, row->name) != 0)",
          "while (strcmp(same->name, row->name) != 0)"),),
    ),
    "window": (
        (("if (++at == length)", "if (++at > length)"),),
        (("calloc(length, sizeof *ring)", "malloc(length * sizeof *ring)"),),
        (("    free(ring);\n", ""),),
        (("calloc(length, sizeof *ring)", "calloc(length, sizeof(char))"),),
    ),
    "expand": (
        (("            struct row *twin = new_row(row->name, row->value);\n",
          "            struct row *twin = new_row(\"\", row->value);\n"
          "            free(twin->name);\n            twin->name = row->name;\n"),),
        (("            struct row *twin = new_row(row->name, row->value);\n",
          "            struct row *twin = new_row(\"\", row->value);\n"
          "            twin->name = strdup(row->name);\n"),),
        (("            struct row *twin = new_row(row->name, row->value);\n",
          "            struct row *twin = new_row(\"\", row->value);\n"
          "            strcpy(twin->name, row->name);\n"),),
    ),
    "drop": (
        (("        *link = row->next;\n        free_row(row);\n        b->count--;",
          "        free_row(row);\n        *link = row->next;\n        b->count--;"),),
        (("        *link = row->next;\n        free_row(row);\n        b->count--;",
          "        *link = row->next;\n        b->count--;"),),
        (("        *link = row->next;\n        free_row(row);\n        b->count--;",
          "        free_row(row);\n        link = &row->next;\n        b->count--;"),),
    ),
    "join": (
        (("strlen(right->name) + 2;", "strlen(right->name) + 1;"),),
        (("        free(both);\n", ""),),
        (("        free_row(left);\n        free_row(right);\n", "        free_row(left);\n"),),
        (("        size_t room = strlen(left->name) + strlen(right->name) + 2;\n"
          "        char *both = malloc(room);\n", "        char both[12];\n"),
         ("        free(both);\n", "")),
    ),
    "recent": (
        (("            *link = NULL;\n", ""),),
        (("            *link = old->next;\n            free_row(old);\n",
          "            free_row(old);\n            *link = old->next;\n"),),
        (("            *link = old->next;\n            free_row(old);\n",
          "            *link = old->next;\n"),),
        (("            free_row(*link);\n            *link = NULL;\n",
          "            *link = NULL;\n"),),
    ),
    "spread": (
        (("        if (at < 0)\n            at += size;\n", ""),),
        (("calloc((size_t)size, sizeof *counts)", "malloc((size_t)size * sizeof *counts)"),),
        (("int64_t i = 0; i < size; i++", "int64_t i = 0; i <= size; i++"),),
        (("    release(b);\n    for", "    *b = (struct batch){0};\n    for"),),
    ),
    "digest": (
        (("uint32_t h = 7;", "int32_t h = 7;"), ("(uint32_t)row->value", "(int32_t)row->value")),
        (("i < length", "i <= length"),),
    ),
    "rank": (
        (("(count + 1) * sizeof *all", "count + sizeof *all"),),
        (("        if (i < most)\n            append(b, all[i]);\n        else\n"
          "            free_row(all[i]);\n", "        if (i < most)\n"
          "            append(b, all[i]);\n"),),
        (("*(struct row *const *)left, *b = *(struct row *const *)right", "left, *b = right"),),
        (("    for (size_t i = 0; i < count; i++) {\n        if (i < most)",
          "    for (size_t i = 0; i <= count; i++) {\n        if (i < most)"),),
    ),
}  # fmt: skip
