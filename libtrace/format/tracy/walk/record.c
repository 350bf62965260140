/*
 * Types of records; see record.h.
 */
#include "format/tracy/walk/record.h"

#include "base/text/text.h"

#include <stddef.h>

static void value(const struct tk_record *rec, uint32_t field, struct tk_cell *out)
{
    const struct tk_cell *cells = rec->impl;
    *out = cells[field];
}

/* A list of up to eleven texts as struct tk_str, which need their lengths. */
#define STRS_1(a)                                                     TK_STR_OF(a)
#define STRS_2(a, ...)                                                TK_STR_OF(a), STRS_1(__VA_ARGS__)
#define STRS_3(a, ...)                                                TK_STR_OF(a), STRS_2(__VA_ARGS__)
#define STRS_4(a, ...)                                                TK_STR_OF(a), STRS_3(__VA_ARGS__)
#define STRS_5(a, ...)                                                TK_STR_OF(a), STRS_4(__VA_ARGS__)
#define STRS_6(a, ...)                                                TK_STR_OF(a), STRS_5(__VA_ARGS__)
#define STRS_7(a, ...)                                                TK_STR_OF(a), STRS_6(__VA_ARGS__)
#define STRS_8(a, ...)                                                TK_STR_OF(a), STRS_7(__VA_ARGS__)
#define STRS_9(a, ...)                                                TK_STR_OF(a), STRS_8(__VA_ARGS__)
#define STRS_10(a, ...)                                               TK_STR_OF(a), STRS_9(__VA_ARGS__)
#define STRS_11(a, ...)                                               TK_STR_OF(a), STRS_10(__VA_ARGS__)
#define PICK(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, name, ...) name
#define STRS(...)                                                                                            \
    PICK(__VA_ARGS__, STRS_11, STRS_10, STRS_9, STRS_8, STRS_7, STRS_6, STRS_5, STRS_4, STRS_3, STRS_2,      \
         STRS_1, )                                                                                           \
    (__VA_ARGS__)

#define FIELDS(symbol, who, name, ...) static const struct tk_str fields_##symbol[] = {STRS(__VA_ARGS__)};
TK_TRACY_RECORDS(FIELDS)

#define TYPE(symbol, who, text_of_name, ...)                                                                 \
    {.name = "Tracy." text_of_name,                                                                          \
     .family = who,                                                                                          \
     .n_fields = sizeof fields_##symbol / sizeof fields_##symbol[0],                                         \
     .fields = fields_##symbol,                                                                              \
     .value = value},
const struct tk_record_type tk_tracy_record_types[TK_TRACY_RECORD_COUNT] = {TK_TRACY_RECORDS(TYPE)};
