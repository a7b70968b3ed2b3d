// @about
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*@routines*/// Return the geometric mean of the numbers: up to 80 of them, from 1e-30 to 1e30.
static double geomean(const double *x, long count)
{
    double s = 0.0;
    for (long at = 0; at < count; at++) {
        double v = x[at];
        s += log(v);
    }
    return exp(s / (double)count);
}

// Return the mean of values by positive weights, from v1 w1 v2 w2 and so on.
static double weighted(const double *x, long count)
{
    long n = count / 2;
    double s = 0.0;
    double weights = 0.0;
    for (long i = 0; i < n; i++) {
        s += x[2 * i] * x[2 * i + 1];
        weights += x[2 * i + 1];
    }
    return s / weights;
}

// Return the height of an arc over its chord, from the radius and the whole chord.
// The radius may be millions of times the chord, as that of the earth.
static double sag(const double *x, long count)
{
    double r = x[0];
    double h = x[1] / 2.0;
    return h * h / (r + sqrt(r * r - h * h));
}

// Return the sum of the squares of whole numbers, exactly; they go up to a million.
static double squares(const double *x, long count)
{
    long s = 0;
    for (long at = 0; at < count; at++) {
        double v = x[at];
        long k = (long)v;
        s += k * k;
    }
    return (double)s;
}

// Return the equal payment at each period's end that repays a loan with interest.
// From the loan, the rate per period (down to 1e-13, never 0) and the number of periods.
static double instalment(const double *x, long count)
{
    double rate = x[1];
    double left = -expm1(-x[2] * log1p(rate));
    return x[0] * rate / left;
}

// Return the rate at which all payments together are worth nothing today.
// The first number is negative and paid now, each further one is received a period later; the
// rate lies between 0 and 1.
static double payback(const double *x, long count)
{
    double low = 0.0;
    double high = 1.0;
    for (long turn = 0; turn < 100; turn++) {
        double rate = (low + high) / 2.0;
        double worth = 0.0;
        for (long i = 0; i < count; i++) {
            worth = worth / (1.0 + rate) + x[count - 1 - i];
        }
        if (worth < 0.0) {
            low = rate;
        } else {
            high = rate;
        }
    }
    return (low + high) / 2.0;
}/*@*/

static double answer(const char *name, const double *x, long count)
{
/*@chosen*/    if (strcmp(name, "geomean") == 0)
        return geomean(x, count);
    if (strcmp(name, "weighted") == 0)
        return weighted(x, count);
    if (strcmp(name, "sag") == 0)
        return sag(x, count);
    if (strcmp(name, "squares") == 0)
        return squares(x, count);
    if (strcmp(name, "instalment") == 0)
        return instalment(x, count);
    if (strcmp(name, "payback") == 0)
        return payback(x, count);/*@*/
    return NAN;
}

int main(void)
{
    static char line[16384];
    while (fgets(line, sizeof line, stdin)) {
        double x[256];
        long count = 0;
        char *name = strtok(line, " \n"), *word;
        while (name && count < 256 && (word = strtok(NULL, " \n")))
            x[count++] = strtod(word, NULL);
        double found = name ? answer(name, x, count) : NAN;
        if (isfinite(found))
            printf("%.12e\n", found);
        else
            puts("none");
    }
    return 0;
}
