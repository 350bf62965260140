/*
 * Values and intervals of a change as people read them: report.h.
 */
#include "compare/report/report.h"

#include <math.h>
#include <string.h>

#define DIGITS 4
#define MANY   10 /* times as much: no percents */

struct scale {
    double least; /* of what is shown in this unit, and what one of it is */
    const char *name;
};

static const struct scale times[] = {{1e3, "s"}, {1, "ms"}, {1e-3, "us"}, {1e-6, "ns"}};
static const struct scale sizes[] = {{1073741824, "GiB"}, {1048576, "MiB"}, {1024, "KiB"}, {1, "B"}};

static const struct scaled {
    const char *unit;
    const struct scale *v; /* greatest first */
    size_t n;
    const char *words; /* behind what has it; NULL: nothing */
} scaled[] = {
    {"ms", times, sizeof times / sizeof *times, NULL},
    {"ms/frame", times, sizeof times / sizeof *times, "time a frame"},
    {"ms/run", times, sizeof times / sizeof *times, "time a run"},
    {"ms/occurrence", times, sizeof times / sizeof *times, "time an occurrence"},
    {"bytes", sizes, sizeof sizes / sizeof *sizes, NULL},
};

static const struct scaled *scaled_of(const char *unit)
{
    for (size_t i = 0; i < sizeof scaled / sizeof *scaled; i++)
        if (strcmp(scaled[i].unit, unit) == 0)
            return &scaled[i];
    return NULL;
}

static const struct scale *scale_of(const char *unit, double v)
{
    const struct scaled *s = scaled_of(unit);
    size_t k = 0;
    while (s && k + 1 < s->n && fabs(v) < s->v[k].least)
        k++;
    return s ? &s->v[v == 0 ? 1 : k] : NULL;
}

void tk_report_value(struct tk_print *p, double v, const char *unit)
{
    const struct scale *scale = scale_of(unit, v);
    const char *per = strchr(unit, '/');
    if (isnan(v)) {
        tk_print(p, "-");
        return;
    }
    tk_print_real(p, scale ? v / scale->least : v, DIGITS);
    if (scale)
        tk_print(p, " %s", scale->name);
    else if (*unit == '1' && per)
        tk_print(p, " %s", per);
    else if (*unit && !per)
        tk_print(p, " %s", unit);
}

void tk_report_side_value(struct tk_print *p, const struct tk_change *c, int side)
{
    tk_print(p, "%s", c->bounded >> side & 1 ? "<= " : "");
    tk_report_value(p, side ? c->candidate : c->baseline, c->unit);
}

static void print_signed(struct tk_print *p, double ratio)
{
    if (ratio >= 1)
        tk_print(p, "+");
    tk_print_fixed(p, (ratio - 1) * 100, 1);
}

static void print_times(struct tk_print *p, double ratio)
{
    tk_print_real(p, ratio, 3);
}

void tk_report_percent(struct tk_print *p, double ratio)
{
    if (!isfinite(ratio))
        return;
    if (ratio >= 1)
        tk_print(p, "+");
    tk_print_fixed(p, (ratio - 1) * 100, 1);
    tk_print(p, " %%");
}

void tk_report_ratio(struct tk_print *p, double ratio)
{
    if (!(ratio >= MANY) || !isfinite(ratio)) {
        tk_report_percent(p, ratio);
        return;
    }
    tk_print(p, "x ");
    tk_print_real(p, ratio, 3);
}

void tk_report_interval(struct tk_print *p, const struct tk_change *c)
{
    const bool many = c->high >= MANY;
    if (!isfinite(c->low) || !isfinite(c->high))
        return;
    tk_print(p, "%s", many ? "x " : "");
    (many ? print_times : print_signed)(p, c->low);
    tk_print(p, " to ");
    (many ? print_times : print_signed)(p, c->high);
    tk_print(p, "%s", many ? "" : " %");
}

/* Without frames there is one figure, of the whole run. */
static const char *kind_words(const struct tk_change *c)
{
    static const char whole[] = "duration";
    if (c->kind != TK_CHANGE_FRAME)
        return tk_change_kind_name((enum tk_change_kind)c->kind);
    return c->name->n == strlen(whole) && memcmp(c->name->p, whole, c->name->n) == 0 ? "of a run"
                                                                                     : "frame times";
}

void tk_report_what(struct tk_print *p, const struct tk_change *c,
                    void (*put)(struct tk_print *p, const struct tk_str *s))
{
    const struct scaled *s = scaled_of(c->unit);
    tk_print(p, "%s", kind_words(c));
    if (c->group->n) {
        tk_print(p, ", ");
        put(p, c->group);
    }
    if (c->kind == TK_CHANGE_FUNCTION)
        tk_print(p, ", part of the stack samples");
    if (s && s->words)
        tk_print(p, ", %s", s->words);
}
