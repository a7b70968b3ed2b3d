"""The guards of the wire-frames family in C; they are C++ as well."""

from __future__ import annotations

from collections.abc import Mapping

GUARDS: Mapping[str, str] = {
    "crc": """\
static int unseal(const byte *sent, size_t n, size_t *size) {
    uint32_t reg = @start, width = @size;
    if (n < width) return -1;
    for (size_t i = 0; i < n - width; i++) {
        reg ^= (uint32_t)sent[i] << @shift;
        for (int k = 0; k < 8; k++) {
            uint32_t out = reg & @outbit;
            reg = (reg @move 1) & @full;
            if (out) reg ^= @poly;
        }
    }
    reg ^= @final;
    for (uint32_t i = 0; i < width; i++)
        if (sent[n - width + i] != (byte)(reg >> 8 * (@index))) return -1;
    *size = n - width;
    memcpy(body, sent, *size);
    return 0;
}
""",
    "sums": """\
static int unseal(const byte *sent, size_t n, size_t *size) {
    unsigned a = @start, b = @final;
    if (n < 2) return -1;
    for (size_t i = 0; i < n - 2; i++) {
        a = (a + sent[i]) % @modulus;
        b = (b + a) % @modulus;
    }
    const unsigned tail[2] = { @pair };
    if (sent[n - 2] != tail[0] || sent[n - 1] != tail[1]) return -1;
    *size = n - 2;
    memcpy(body, sent, *size);
    return 0;
}
""",
    "nibbles": """\
static const byte WORDS[16] = { @words };

static int unseal(const byte *sent, size_t n, size_t *size) {
    int state = 0;
    if (n % 2) return -1;
    for (size_t i = 0; i < n; i++) {
        int found = -1;
        for (int w = 0; w < 16; w++) {
            int wrong = __builtin_popcount(WORDS[w] ^ sent[i]);
            if (wrong > 1) continue;
            found = w;
            state |= wrong;
        }
        if (found < 0) return -1;
        if (i % 2 == 0) body[i / 2] = 0;
        body[i / 2] |= (byte)(i % 2 == @high ? found << 4 : found);
    }
    *size = n / 2;
    return state;
}
""",
    "twins": """\
static unsigned twice(unsigned x) { return x << 1 ^ (x & 128 ? @poly : 0); }

static int unseal(const byte *sent, size_t n, size_t *size) {
    unsigned p = 0, q = 0;
    if (n < 2) return -1;
    n -= 2;
    memcpy(body, sent, n);
    *size = n;
    for (size_t i = 0; i < n; i++) {
        byte b = body[@far];
        p ^= b;
        q = twice(q) ^ b;
    }
    p ^= sent[n];
    q ^= sent[n + 1];
    if (p == 0 && q == 0) return 0;
    if (p == 0 || q == 0) return 1;
    unsigned wanted = p;
    for (size_t i = 0; i < n; i++) {
        if (wanted == q) {
            body[@near] ^= (byte)p;
            return 1;
        }
        wanted = twice(wanted);
    }
    return -1;
}
""",
}
