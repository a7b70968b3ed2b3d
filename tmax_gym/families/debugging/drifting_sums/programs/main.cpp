// @about
#include <cmath>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

/*@routines*/// Return the area of a polygon, from x1 y1 x2 y2 and so on, in either sense of rotation.
// Coordinates may be in the millions for a plot of a few metres.
static double area(const std::vector<double> &x)
{
    long n = static_cast<long>(x.size()) / 2;
    double s = 0.0;
    for (long i = 0; i < n; i++) {
        long j = (i + 1) % n;
        s += (x[2 * i] - x[0]) * (x[2 * j + 1] - x[1]);
        s -= (x[2 * j] - x[0]) * (x[2 * i + 1] - x[1]);
    }
    return std::fabs(s) / 2.0;
}

// Return half the logarithm of (1 + z) / (1 - z), as z + z^3 / 3 + z^5 / 5 and so on.
// z is not 0 and lies between -0.99 and 0.99.
static double artanh(const std::vector<double> &x)
{
    double power = x[0];
    double s = 0.0;
    long k = 1;
    for (long turn = 0; turn < 50; turn++) {
        double term = power / static_cast<double>(k);
        s += term;
        if (std::fabs(term) <= 1e-16 * std::fabs(s)) {
            return s;
        }
        power *= x[0] * x[0];
        k += 2;
    }
    return NAN;
}

// Return the mean of values by positive weights, from v1 w1 v2 w2 and so on.
static double weighted(const std::vector<double> &x)
{
    long n = static_cast<long>(x.size()) / 2;
    double s = 0.0;
    double weights = 0.0;
    for (long i = 0; i < n; i++) {
        s += x[2 * i] * x[2 * i + 1];
        weights += x[2 * i + 1];
    }
    return s / weights;
}

// Return how many of lo, lo + step, lo + 2 step and so on do not exceed hi.
// From lo, hi and step; a point counts as hi if it misses it by a millionth of a step or less.
static double points(const std::vector<double> &x)
{
    double steps = (x[1] - x[0]) / x[2];
    return std::floor(steps) + 1.0;
}

// Return the sample variance of two or more numbers (their number less one divides).
// They may lie close together and far from 0, as readings near 1e10 that differ by 1.
static double spread(const std::vector<double> &x)
{
    long n = static_cast<long>(x.size());
    double mean = 0.0;
    for (double v : x) {
        mean += v;
    }
    mean = mean / static_cast<double>(n);
    double s = 0.0;
    for (double v : x) {
        s += (v - mean) * (v - mean);
    }
    return s / static_cast<double>(n);
}

// Return the geometric mean of the numbers: up to 80 of them, from 1e-30 to 1e30.
static double geomean(const std::vector<double> &x)
{
    double s = 1.0;
    for (double v : x) {
        s *= v;
    }
    return std::pow(s, 1.0 / static_cast<double>(static_cast<long>(x.size())));
}/*@*/

static double answer(const std::string &name, const std::vector<double> &x)
{
/*@chosen*/    if (name == "area")
        return area(x);
    if (name == "artanh")
        return artanh(x);
    if (name == "weighted")
        return weighted(x);
    if (name == "points")
        return points(x);
    if (name == "spread")
        return spread(x);
    if (name == "geomean")
        return geomean(x);/*@*/
    return NAN;
}

int main()
{
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        std::string name, word;
        std::vector<double> x;
        words >> name;
        while (words >> word)
            x.push_back(std::stod(word));
        double found = answer(name, x);
        if (std::isfinite(found))
            std::printf("%.12e\n", found);
        else
            std::puts("none");
    }
}
