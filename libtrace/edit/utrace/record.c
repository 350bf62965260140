/*
 * Events of the logger Tracekit. See record.h.
 */
#include "edit/utrace/record.h"

#include <string.h>

static const struct tk_uw_field edit_fields[] = {
    {.name = "From", .type = TK_UW_U64},
    {.name = "To", .type = TK_UW_U64},
    {.name = "FirstFrame", .type = TK_UW_U32},
    {.name = "Record", .type = TK_UW_ANSI},
};

static const struct tk_uw_field gap_fields[] = {{.name = "ThreadId", .type = TK_UW_U32}};

const struct tk_uw_type tk_edit_type_edit = {.logger = "Tracekit",
                                             .event = "Edit",
                                             TK_UW_FIELDS(edit_fields),
                                             .flags = TK_UW_IMPORTANT | TK_UW_AUX | TK_UW_NOSYNC};

const struct tk_uw_type tk_edit_type_gap = {
    .logger = "Tracekit", .event = "Gap", TK_UW_FIELDS(gap_fields), .flags = TK_UW_NOSYNC};

const struct tk_uw_type tk_edit_type_left = {.logger = "Tracekit", .event = "Left"};

enum { OWN = 3, LOWEST = 15, UIDS = 0x3fff };

static bool is_free(const uint64_t *taken, uint32_t uid)
{
    return !(taken[uid / 64] >> uid % 64 & 1);
}

/* The first of OWN numbers in a row that no type has: those behind all others, else the highest. 0: there are
 * none. */
static uint32_t first_own(const struct tk_ut_schema *schema)
{
    uint64_t taken[(UIDS + 64) / 64] = {0};
    uint32_t highest = LOWEST, free = 0;
    for (size_t i = 0; i < schema->types.n; i++) {
        const uint32_t uid = schema->types.v[i]->uid;
        if (uid < UIDS)
            taken[uid / 64] |= UINT64_C(1) << uid % 64;
        highest = uid > highest ? uid : highest;
    }
    if (highest + OWN < UIDS)
        return highest + 1;
    for (uint32_t uid = UIDS; uid-- > LOWEST + 1;) {
        free = is_free(taken, uid) ? free + 1 : 0;
        if (free == OWN)
            return uid;
    }
    return 0;
}

bool tk_edit_own_uids(const struct tk_ut_schema *schema)
{
    return first_own(schema) != 0;
}

/* A capture may have a type of this name that is none of ours. */
static bool same_shape(const struct tk_ut_type *t, const struct tk_uw_type *own)
{
    bool same = t->n_fields == own->field_count && t->flags == own->flags;
    for (size_t i = 0; same && i < own->field_count; i++)
        same = t->fields[i].info == own->fields[i].type;
    return same;
}

struct tk_uw_type tk_edit_own_type(struct tk_uw_lane *declarations, const struct tk_ut_schema *schema,
                                   const struct tk_uw_type *type, unsigned place)
{
    struct tk_uw_type own = *type;
    const uint32_t first = first_own(schema);
    for (size_t i = schema->types.n; i-- > 0;) {
        const struct tk_ut_type *t = schema->types.v[i];
        if (strncmp(t->name->p, "Tracekit.", 9) == 0 && strcmp(tk_ut_type_event(t), own.event) == 0 &&
            same_shape(t, &own)) {
            own.uid = t->uid;
            return own;
        }
    }
    if (!first)
        return own;
    own.uid = (uint16_t)(first + place);
    tk_uw_declare(declarations, &own);
    return own;
}

void tk_edit_record_put(struct tk_uw_lane *important, const struct tk_uw_type *type,
                        const struct tk_edit_span *span, const char *text, size_t n)
{
    tk_uw_begin(important, type);
    tk_uw_u64(&important->pending, span->from);
    tk_uw_u64(&important->pending, span->to);
    tk_uw_u32(&important->pending, span->first_frame);
    tk_uw_value(important, type, 3, text, n);
    tk_uw_end(important, type);
}
