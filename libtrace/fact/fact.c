/*
 * Names of facts: see fact.h.
 */
#include "fact/fact.h"

const char *tk_timer_kind_name(enum tk_timer_kind kind)
{
    static const char *const names[] = {"spec", "metadata", "scoped_event", "coroutine",
                                        "gpu",  "zone",     "gpu_work",     "gpu_wait"};
    return (size_t)kind < sizeof names / sizeof names[0] ? names[kind] : "";
}
