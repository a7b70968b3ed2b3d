#include <stdint.h>
#include <string.h>

typedef unsigned char byte;
static byte body[65536];
//@ guard
static int unseal(const byte *sent, size_t n, size_t *size) {
    unsigned a = /*@start*/1/*@*/, b = /*@final*/8/*@*/;
    if (n < 2) return -1;
    for (size_t i = 0; i < n - 2; i++) {
        a = (a + sent[i]) % /*@modulus*/255/*@*/;
        b = (b + a) % /*@modulus*/255/*@*/;
    }
    const unsigned tail[2] = { /*@pair*/a, b/*@*/ };
    if (sent[n - 2] != tail[0] || sent[n - 1] != tail[1]) return -1;
    *size = n - 2;
    memcpy(body, sent, *size);
    return 0;
}
//@

int main(void) {
    size_t size;
    return unseal((const byte *)"", 0, &size) < 0 ? 0 : 1;
}
