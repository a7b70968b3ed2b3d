#include <stdint.h>
#include <string.h>

typedef unsigned char byte;
static byte body[65536];
//@ guard
static const byte WORDS[16] = { /*@words*/0x0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff/*@*/ };

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
        body[i / 2] |= (byte)(i % 2 == /*@high*/0/*@*/ ? found << 4 : found);
    }
    *size = n / 2;
    return state;
}
//@

int main(void) {
    size_t size;
    return unseal((const byte *)"", 0, &size) < 0 ? 0 : 1;
}
