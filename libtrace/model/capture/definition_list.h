/*
 * Definition list: texts by type and id. For tables that show what others refer to by id; as definitions may
 * come after their use, they are to be queried when all is read.
 */
#ifndef TK_MODEL_CAPTURE_DEFINITION_LIST_H
#define TK_MODEL_CAPTURE_DEFINITION_LIST_H

#include "base/hash.h"
#include "base/health/row_limit.h"
#include "base/vec.h"
#include "fact/fact.h"

struct tk_definition {
    struct tk_fact_definition info;
    uint32_t next; /* 1 + index of another one with the same hash; 0: none */
};

struct tk_definition_list {
    TK_VEC(struct tk_definition) items; /* in order of first appearance */
    struct tk_map index;                /* hash of type and id -> index in items */
    struct tk_row_limit capacity;
};

void tk_definition_list_init(struct tk_definition_list *list, struct tk_health *health, uint64_t rows,
                             const char *table);

/* Takes a TK_FACT_DEFINITION; ignores others. 0, or -1 if out of memory. */
int tk_definition_list_feed(struct tk_definition_list *list, const struct tk_fact *fact);

/* The text of a definition, or NULL. */
const struct tk_str *tk_definition_text(const struct tk_definition_list *list, uint32_t type, uint64_t id);

void tk_definition_list_release(struct tk_definition_list *list);

#endif
