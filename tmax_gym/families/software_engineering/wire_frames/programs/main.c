#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef unsigned char byte;
enum { ROOM = 65536, U64, U32, I64, Z64, BOOL, F32, F64, STRING, BYTES, MANY };
struct field { int method; uint64_t number; const char *name; int kind; };
static const struct field FIELDS[] = {
/*@fields*/    { 14, 13, "creator", BOOL },
    { 14, 15, "box_no", U32 },
    { 5, 19, "shelf", Z64 },
    { 5, 22, "reference", I64 },
    { 5, 20, "box_no", I64 },/*@*/
};
struct method { int number; const char *name; };
static const struct method METHODS[] = {
/*@methods*/    { 14, "Count" },
    { 5, "Inspect" },/*@*/
};

static byte data[ROOM], whole[ROOM], body[ROOM];

/*@guard*/static int unseal(const byte *sent, size_t n, size_t *size) {
    unsigned a = 1, b = 8;
    if (n < 2) return -1;
    for (size_t i = 0; i < n - 2; i++) {
        a = (a + sent[i]) % 255;
        b = (b + a) % 255;
    }
    const unsigned tail[2] = { a, b };
    if (sent[n - 2] != tail[0] || sent[n - 1] != tail[1]) return -1;
    *size = n - 2;
    memcpy(body, sent, *size);
    return 0;
}
/*@*/

static int varint(const byte *d, size_t n, size_t *at, uint64_t *value) {
    *value = 0;
    for (int i = 0; i < 10; i++) {
        if (*at >= n) return 0;
        byte b = d[(*at)++];
        *value |= (uint64_t)(b & 127) << (7 * i);
        if (b < 128) return 1;
    }
    return 0;
}

static int next(const byte *d, size_t n, size_t *at, uint64_t *tag, uint64_t *value, size_t *raw) {
    if (!varint(d, n, at, tag) || *tag >> 3 == 0) return 0;
    int wire = *tag & 7;
    *raw = *at;
    if (wire == 0) return varint(d, n, at, value);
    if (wire != 1 && wire != 2 && wire != 5) return 0;
    *value = wire == 1 ? 8 : 4;
    if (wire == 2 && !varint(d, n, at, value)) return 0;
    *raw = *at;
    if (*value > n - *at) return 0;
    *at += (size_t)*value;
    if (wire == 2) return 1;
    size_t size = (size_t)*value;
    *value = 0;
    for (size_t i = 0; i < size; i++) *value |= (uint64_t)d[*raw + i] << (8 * i);
    return 1;
}

static int many(const byte *d, size_t n, uint64_t number, char *out) {
    size_t at = 0, raw;
    uint64_t tag, value;
    char *start = out;
    out += sprintf(out, "[");
    while (at < n) {
        next(d, n, &at, &tag, &value, &raw);
        if (tag >> 3 != number) continue;
        if ((tag & 7) == 0) out += sprintf(out, "%llu,", (unsigned long long)value);
        size_t end = at, p = raw;
        while ((tag & 7) == 2 && p < end) {
            if (!varint(d, end, &p, &value)) return 0;
            out += sprintf(out, "%llu,", (unsigned long long)value);
        }
    }
    if (out > start + 1) out--;
    strcpy(out, "]");
    return 1;
}

static int plain(const byte *d, size_t n, const struct field *f, char *out) {
    size_t at = 0, raw, from = 0, end = 0;
    uint64_t tag, value, last = 0;
    int wire = f->kind == F32 ? 5 : f->kind == F64 ? 1 : f->kind >= STRING ? 2 : 0;
    while (at < n) {
        next(d, n, &at, &tag, &value, &raw);
        if (tag >> 3 == f->number && (int)(tag & 7) == wire) { last = value; from = raw; end = at; }
    }
    switch (f->kind) {
    case STRING: sprintf(out, "\"%.*s\"", (int)(end - from), (const char *)d + from); break;
    case BYTES: for (*out = 0; from < end; from++) out += sprintf(out, "%02x", d[from]); break;
    case BOOL: strcpy(out, last ? "true" : "false"); break;
    case Z64:
        sprintf(out, "%lld", (long long)(last & 1 ? ~(last >> 1) : last >> 1));
        break;
    case I64: sprintf(out, "%lld", (long long)last); break;
    case U32: sprintf(out, "%u", (unsigned)last); break;
    default: sprintf(out, "%llu", (unsigned long long)last);
    }
    return 1;
}

static void request(const struct method *m, const byte *d, size_t n) {
    static char line[8 * ROOM];
    size_t at = 0, raw;
    uint64_t tag, value;
    char *out = line;
    while (at < n)
        if (!next(d, n, &at, &tag, &value, &raw)) { puts("malformed"); return; }
    out += sprintf(out, "%s", m->name);
    for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++) {
        const struct field *f = &FIELDS[i];
        if (f->method != m->number) continue;
        out += sprintf(out, " %s=", f->name);
        if (!(f->kind == MANY ? many(d, n, f->number, out) : plain(d, n, f, out))) {
            puts("malformed");
            return;
        }
        out += strlen(out);
    }
    puts(line);
}

static void message(const byte *sent, size_t n) {
    size_t size = 0;
    int state = unseal(sent, n, &size);
    if (state < 0) { puts("damaged"); return; }
    if (state > 0) puts("repaired");
    uint32_t told = 0;
    for (int i = 2; i < 6; i++) told = told << 8 | body[i];
    if (size < 6 || told != size - 6) { puts("malformed"); return; }
    const struct method *m = NULL;
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++)
        if (METHODS[i].number == body[0]) m = &METHODS[i];
    if (m == NULL) printf("unimplemented %d\n", body[0]);
    else if (body[1]) puts("compressed");
    else request(m, body + 6, size - 6);
}

static const char *refused(byte first, byte second, int begun) {
    int code = first & 15;
    if (first & 0x70) return "reserved";
    if (code != 0 && code != 2 && code != 8 && code != 9 && code != 10) return "opcode";
    if (!(second & 128)) return "unmasked";
    if (code & 8) return first & 128 && (second & 127) < 126 ? NULL : "control";
    if (code == 2 && begun) return "interleaved";
    return code == 0 && !begun ? "continuation" : NULL;
}

static void capture(size_t n) {
    size_t at = 0, held = 0;
    int begun = 0;
    while (at < n) {
        if (n - at < 2) { puts("partial"); return; }
        byte first = data[at], second = data[at + 1];
        const char *wrong = refused(first, second, begun);
        if (wrong != NULL) { printf("error %s\n", wrong); return; }
        at += 2;
        uint64_t size = second & 127;
        if (size > 125) {
            size_t wide = size == 126 ? 2 : 8;
            if (n - at < wide) { puts("partial"); return; }
            for (size = 0; wide > 0; wide--) size = size << 8 | data[at++];
        }
        if (n - at < 4 || n - at - 4 < size) { puts("partial"); return; }
        const byte *key = data + at;
        byte *payload = data + at + 4;
        at += 4 + (size_t)size;
        for (size_t i = 0; i < size; i++) payload[i] ^= key[i % 4];
        int code = first & 15;
        if (code == 8) {
            if (size > 1) printf("close %d\n", payload[0] << 8 | payload[1]);
            else puts("close none");
            return;
        }
        if (code == 9) {
            printf("pong 8a%02x", (unsigned)size);
            for (size_t i = 0; i < size; i++) printf("%02x", payload[i]);
            puts("");
        }
        if (code & 8) continue;
        memcpy(whole + held, payload, (size_t)size);
        held += (size_t)size;
        begun = 1;
        if (/*@done*/1/*@*/) {
            message(whole, held);
            begun = 0;
            held = 0;
        }
    }
}

int main(void) {
    static char line[2 * ROOM];
    while (scanf("%131071s", line) == 1) {
        size_t n = strlen(line) / 2;
        for (size_t i = 0; i < n; i++) {
            unsigned b;
            sscanf(line + 2 * i, "%2x", &b);
            data[i] = (byte)b;
        }
        capture(n);
        puts("--");
    }
    return 0;
}
