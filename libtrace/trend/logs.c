/*
 * Takes logarithms. See logs.h.
 */
#include "trend/logs.h"

#include <math.h>

/* Half the median, or half of the least positive value if that is more; 0: nothing has to be added; -1:
 * there is no positive value. */
static double added(const struct tk_history_series *s, size_t runs, double *room)
{
    double least = INFINITY, positive = INFINITY;
    size_t n = 0;
    for (size_t i = 0; i < runs; i++) {
        double v = s->values.v[i];
        if (isnan(v))
            continue;
        room[n++] = v;
        least = fmin(least, v);
        positive = v > 0 ? fmin(positive, v) : positive;
    }
    if (isinf(positive))
        return -1;
    if (least > 0 && s->kind != TK_HISTORY_HITCHES)
        return 0;
    return fmax(0.5 * tk_robust_median(room, n), 0.5 * positive);
}

void tk_trend_logs(const struct tk_history_series *s, size_t runs, double *to, double *room)
{
    double more = added(s, runs, room);
    for (size_t i = 0; i < runs; i++) {
        double v = s->values.v[i] + more;
        to[i] = more >= 0 && v > 0 ? log(v) : NAN;
    }
}
