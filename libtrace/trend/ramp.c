/*
 * Fits a robust line by least squares with weights that fall off, and adds up losses. See ramp.h.
 */
#include "trend/ramp.h"

#include <math.h>

/* ---- what is left ---- */

/* Of the line level + slope * night. */
static double line_loss(const struct tk_trend_curve *c, uint32_t a, uint32_t b, double level, double slope,
                        double bound)
{
    double sum = 0;
    for (uint32_t t = a; t < b; t++)
        if (!isnan(c->z[t])) {
            double e = (c->z[t] - level - slope * t) / c->sd;
            sum += e * e < bound ? e * e : bound;
        }
    return sum;
}

double tk_trend_level_loss(const struct tk_trend_curve *c, uint32_t a, uint32_t b, double level, double bound)
{
    return line_loss(c, a, b, level, 0, bound);
}

double tk_trend_ramp_loss(const struct tk_trend_curve *c, const struct tk_trend_span *span,
                          const struct tk_trend_drift *ramp, double bound)
{
    double slope = (ramp->after - ramp->before) / (ramp->to - ramp->from);
    return line_loss(c, span->from, ramp->from, ramp->before, 0, bound) +
           line_loss(c, ramp->from, ramp->to, ramp->before - slope * ramp->from, slope, bound) +
           line_loss(c, ramp->to, span->to, ramp->after, 0, bound);
}

/* ---- the line ---- */

struct line {
    double level, slope;
};

struct point_list {
    double *t, *v;
    size_t n;
};

static double middle_of(const double *v, size_t n, double *room)
{
    for (size_t i = 0; i < n; i++)
        room[i] = v[i];
    return tk_robust_median(room, n);
}

/* From the middles of the first and the last third. */
static struct line first_guess(const struct point_list *p, double *room)
{
    struct line l = {0};
    size_t third = p->n / 3 > 2 ? p->n / 3 : 2, last = p->n - third;
    double ta = middle_of(p->t, third, room), tb = middle_of(p->t + last, third, room);
    double va = middle_of(p->v, third, room), vb = middle_of(p->v + last, third, room);
    l.slope = tb > ta ? (vb - va) / (tb - ta) : 0;
    for (size_t i = 0; i < p->n; i++)
        room[i] = p->v[i] - l.slope * p->t[i];
    l.level = tk_robust_median(room, p->n);
    return l;
}

/* One round of least squares; false: the points lie at one night. */
static bool refine(struct line *l, const struct point_list *p, double sd)
{
    double sw = 0, st = 0, sv = 0, stt = 0, stv = 0;
    for (size_t i = 0; i < p->n; i++) {
        double t = p->t[i], v = p->v[i], u = fabs(v - l->level - l->slope * t) / (3 * sd);
        double w = u <= 1 ? 1 : 1 / (u * u);
        sw += w;
        st += w * t;
        sv += w * v;
        stt += w * t * t;
        stv += w * t * v;
    }
    double det = sw * stt - st * st;
    if (det <= 0)
        return false;
    l->slope = (sw * stv - st * sv) / det;
    l->level = (sv - l->slope * st) / sw;
    return true;
}

/* ---- the ramp ---- */

static double level_beside(const struct tk_trend_curve *c, uint32_t a, uint32_t b, double otherwise,
                           struct tk_trend_room *room)
{
    struct tk_trend_side side = tk_trend_side_of(c->z, a, b, room->left);
    return side.n ? tk_robust_centre(side.v, side.n, c->sd, room->sorted) : otherwise;
}

bool tk_trend_ramp_fit(const struct tk_trend_curve *c, const struct tk_trend_span *span,
                       struct tk_trend_drift *ramp, struct tk_trend_room *room)
{
    struct point_list p = {room->left, room->right, 0};
    for (uint32_t t = ramp->from; t < ramp->to; t++)
        if (!isnan(c->z[t])) {
            p.t[p.n] = t;
            p.v[p.n++] = c->z[t];
        }
    if (p.n < TK_TREND_RAMP / 2)
        return false;
    struct line l = first_guess(&p, room->sorted);
    for (int turn = 0; turn < 3 && refine(&l, &p, c->sd); turn++)
        continue;
    ramp->before = level_beside(c, span->from, ramp->from, l.level + l.slope * ramp->from, room);
    ramp->after = level_beside(c, ramp->to, span->to, l.level + l.slope * ramp->to, room);
    return true;
}
