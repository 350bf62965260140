/*
 * Events of the logger Tracekit. See record.h.
 */
#include "edit/utrace/record.h"

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
