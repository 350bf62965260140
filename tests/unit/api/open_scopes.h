/*
 * A capture with scopes that never end.
 */
#ifndef TK_TESTS_UNIT_API_OPEN_SCOPES_H
#define TK_TESTS_UNIT_API_OPEN_SCOPES_H

#include "api/captured.h"
#include "cpu.h"

enum { OUTER = 1, INNER, OTHER };

/* On thread 2 Outer begins at 2000 and never ends; inside it Inner from 2010 to 2040, and Outer from 2070 to
 * 2090. On thread 3 Other goes from 2000 to 2100, which is the last time. */
static inline struct captured *make_open(void)
{
    struct captured *c = captured_new(7);
    struct tk_uw_cpu cpu[2];
    tk_uw_cpu_spec(&c->uw, OUTER, "Outer", "A.cpp", 1);
    tk_uw_cpu_spec(&c->uw, INNER, "Inner", "A.cpp", 2);
    tk_uw_cpu_spec(&c->uw, OTHER, "Other", "A.cpp", 3);
    for (unsigned i = 0; i < 2; i++)
        tk_uw_cpu_init(&cpu[i], &c->uw, &c->lanes[i], 3);
    tk_uw_cpu_begin(&cpu[0], 2000, OUTER);
    tk_uw_cpu_begin(&cpu[0], 2010, INNER);
    tk_uw_cpu_end(&cpu[0], 2040);
    tk_uw_cpu_begin(&cpu[0], 2070, OUTER);
    tk_uw_cpu_end(&cpu[0], 2090);
    tk_uw_cpu_flush(&cpu[0]);
    tk_uw_cpu_begin(&cpu[1], 2000, OTHER);
    tk_uw_cpu_end(&cpu[1], 2100);
    tk_uw_cpu_flush(&cpu[1]);
    captured_close(c);
    return c;
}

#endif
