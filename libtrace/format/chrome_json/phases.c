/*
 * The list of phases; see phases.h.
 */
#include "format/chrome_json/phases.h"

#include "format/events/feed.h"

#define STR(text)                                                                                            \
    {                                                                                                        \
        text, sizeof text - 1, TK_ENC_UTF8                                                                   \
    }

static const struct tk_str fields[TK_CJ_CELLS] = {
    [TK_CJ_AT_NAME] = STR("Name"),         [TK_CJ_AT_CATEGORY] = STR("Category"),
    [TK_CJ_AT_PROCESS] = STR("Process"),   [TK_CJ_AT_THREAD] = STR("Thread"),
    [TK_CJ_AT_DURATION] = STR("Duration"), [TK_CJ_AT_ID] = STR("Id"),
    [TK_CJ_AT_ARGS] = STR("Args"),
};

#define TYPE(symbol, letter, text_of_name, who)                                                              \
    {.name = "Chrome." text_of_name,                                                                         \
     .family = who,                                                                                          \
     .n_fields = TK_CJ_CELLS,                                                                                \
     .fields = fields,                                                                                       \
     .value = tk_ev_record_value,                                                                            \
     .named = true},
const struct tk_record_type tk_cj_types[TK_CJ_PHASE_COUNT] = {TK_CJ_PHASES(TYPE)};

static const uint8_t letters[TK_CJ_PHASE_COUNT] = {
#define LETTER(symbol, letter, name, family) letter,
    TK_CJ_PHASES(LETTER)
#undef LETTER
};

enum tk_cj_phase tk_cj_phase_of(uint8_t letter)
{
    for (unsigned i = 0; i < TK_CJ_PHASE_COUNT; i++)
        if (letters[i] == letter && letter)
            return (enum tk_cj_phase)i;
    return TK_CJ_OTHER;
}
