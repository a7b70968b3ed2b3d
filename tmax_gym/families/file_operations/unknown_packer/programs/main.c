#include <stdio.h>
#include <string.h>
static char line[100000];
int main(void) {
  unsigned number = 0;
  while (fgets(line, sizeof line, stdin)) {
    unsigned last = /*@start*/183/*@*/, place = 0, code, c;
    for (size_t i = 0; i + 2 <= strcspn(line, "\n"); i += 2) {
      sscanf(line + i, "%2x", &code);
/*@undo*/      c = code;
      last = code;/*@*/
      putchar(c & 255);
      place++;
    }
    putchar('\n');
    number++;
  }
  return 0;
}
