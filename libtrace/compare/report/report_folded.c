/*
 * Differential folded stacks, for tools that draw flame graphs of two profiles: a line for each path of
 * calls, `class;outermost;...;innermost BASELINE CANDIDATE`, own time in whole microseconds a frame. Paths
 * that take less than a thousandth of a frame are left out. See report.h.
 */
#include "compare/report/report.h"

#include <math.h>
#include <stdlib.h>

/* A name without what separates names and figures. */
static void print_frame(struct tk_print *p, const struct tk_str *name)
{
    struct tk_print text = {0};
    tk_print_name(&text, name);
    for (size_t i = 0; i < text.n; i++)
        text.v[i] = text.v[i] == ';' ? ',' : text.v[i];
    tk_print_bytes(p, text.v, text.n);
    p->failed |= text.failed;
    free(text.v);
}

void tk_report_folded(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup)
{
    (void)setup;
    for (size_t i = 0; i < c->paths.n; i++) {
        const struct tk_comparison_path *path = &c->paths.v[i];
        if (llround(path->us[0]) <= 0 && llround(path->us[1]) <= 0)
            continue;
        print_frame(p, path->group);
        tk_print(p, ";");
        tk_print_name(p, path->text);
        tk_print(p, " %lld %lld\n", llround(fmax(path->us[0], 0)), llround(fmax(path->us[1], 0)));
    }
}
