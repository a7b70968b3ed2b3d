#include <ctype.h>
#include <stdio.h>
#include <string.h>
static unsigned char s[65536];
static int digit(int c) { return isdigit(c) ? c - '0' : tolower(c) - 'a' + 10; }
int main(void) {
  int n = (int)fread(s, 1, sizeof s - 1, stdin), depth = 0, changed = 1;
  if (n && s[n - 1] == '\n') n--;
  while (changed) {
    int to = 0;
    changed = 0;
    for (int i = 0; i < n; i++)
      if (s[i] == '%' && i + 2 < n && isxdigit(s[i + 1]) && isxdigit(s[i + 2])) {
        s[to++] = (unsigned char)(digit(s[i + 1]) * 16 + digit(s[i + 2]));
        i += 2;
        changed = 1;
      } else s[to++] = s[i];
    n = to;
  }
  for (int i = 0; i < n; i++) {
    if (s[i] < 32 || s[i] == 127) return 1;
    if (s[i] == '\\') s[i] = '/';
  }
  if (n && s[0] == '/') return 1;
  for (int i = 0; i <= n;) {
    int j = i;
    while (j < n && s[j] != '/') j++;
    if (j - i == 2 && s[i] == '.' && s[i + 1] == '.') { if (--depth < 0) return 1; }
    else if (j - i > 1 || (j - i == 1 && s[i] != '.')) depth++;
    i = j + 1;
  }
  return depth > 0 ? 0 : 1;
}
