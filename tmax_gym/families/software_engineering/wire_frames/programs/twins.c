#include <stdint.h>
#include <string.h>

typedef unsigned char byte;
static byte body[65536];
//@ guard
static unsigned twice(unsigned x) { return x << 1 ^ (x & 128 ? /*@poly*/0x11d/*@*/ : 0); }

static int unseal(const byte *sent, size_t n, size_t *size) {
    unsigned p = 0, q = 0;
    if (n < 2) return -1;
    n -= 2;
    memcpy(body, sent, n);
    *size = n;
    for (size_t i = 0; i < n; i++) {
        byte b = body[/*@far*/n - 1 - i/*@*/];
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
            body[/*@near*/i/*@*/] ^= (byte)p;
            return 1;
        }
        wanted = twice(wanted);
    }
    return -1;
}
//@

int main(void) {
    size_t size;
    return unseal((const byte *)"", 0, &size) < 0 ? 0 : 1;
}
