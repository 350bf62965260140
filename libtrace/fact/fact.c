/*
 * Names of facts: see fact.h.
 */
#include "fact/fact.h"

const char *tk_fact_name(enum tk_fact_kind kind)
{
    static const char *const names[] = {
#define FACT_NAME(symbol, name) name,
        TK_FACT_KINDS(FACT_NAME)
#undef FACT_NAME
    };
    return names[kind];
}
