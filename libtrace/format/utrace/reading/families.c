/*
 * The table of event families.
 */
#include "format/utrace/reading/families.h"

#include "format/utrace/feed/family_list.h"

#include <string.h>

#define FAMILY(name) &tk_ut_fam_##name,
#define TABLE(name)  &tk_ut_table_##name,

const struct tk_ut_family *const tk_ut_families[] = {TK_UT_FAMILIES(FAMILY) NULL};

const struct tk_table *const tk_ut_row_tables[] = {TK_UT_ROW_TABLES(TABLE) NULL};

size_t tk_ut_family_count(void)
{
    return sizeof tk_ut_families / sizeof *tk_ut_families - 1;
}

/* Scoped events are timers whatever they are called; the stamps of threads are read with the lanes. */
static const char *decoded_elsewhere(const struct tk_ut_type *type)
{
    if (strncmp(type->name->p, "Cpu.", 4) == 0)
        return tk_ut_fam_cpu.name;
    return strcmp(type->name->p, "$Trace.ThreadTiming") == 0 ? tk_ut_fam_trace.name : NULL;
}

/* A family that names the event goes before one that takes all of a kind. */
const char *tk_ut_family_of(const struct tk_ut_type *type)
{
    const char *name = decoded_elsewhere(type);
    for (size_t f = 0; tk_ut_families[f] && !name; f++)
        for (size_t b = 0; tk_ut_families[f]->binds[b].event && !name; b++)
            if (strcmp(tk_ut_families[f]->binds[b].event, type->name->p) == 0)
                name = tk_ut_families[f]->name;
    for (size_t f = 0; tk_ut_families[f] && !name; f++)
        for (size_t b = 0; tk_ut_families[f]->binds[b].event && !name; b++)
            if (tk_ut_bind_concerns(&tk_ut_families[f]->binds[b], type))
                name = tk_ut_families[f]->name;
    return name;
}
