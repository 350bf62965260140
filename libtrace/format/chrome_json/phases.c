/*
 * The list of phases; see phases.h.
 */
#include "format/chrome_json/phases.h"

#include "base/text/text.h"
#include "format/events/feed.h"

static const struct tk_str fields[TK_CJ_CELLS] = {
    [TK_CJ_AT_NAME] = TK_STR_OF("Name"),         [TK_CJ_AT_CATEGORY] = TK_STR_OF("Category"),
    [TK_CJ_AT_PROCESS] = TK_STR_OF("Process"),   [TK_CJ_AT_THREAD] = TK_STR_OF("Thread"),
    [TK_CJ_AT_DURATION] = TK_STR_OF("Duration"), [TK_CJ_AT_ID] = TK_STR_OF("Id"),
    [TK_CJ_AT_ARGS] = TK_STR_OF("Args"),
};

#define TYPE(symbol, letter, text_of_name, who)                                                              \
    {.name = "Chrome." text_of_name,                                                                         \
     .family = who,                                                                                          \
     .n_fields = TK_CJ_CELLS,                                                                                \
     .fields = fields,                                                                                       \
     .value = tk_ev_record_value,                                                                            \
     .named = true},
const struct tk_record_type tk_cj_types[TK_CJ_PHASE_COUNT] = {TK_CJ_PHASES(TYPE)};

/* By letter: the phase + 1; 0: it is none. */
static const uint8_t of_letter[256] = {
#define LETTER(symbol, letter, name, family) [letter] = TK_CJ_##symbol + 1,
    TK_CJ_LETTERS(LETTER)
#undef LETTER
};

enum tk_cj_phase tk_cj_phase_of(uint8_t letter)
{
    return of_letter[letter] ? (enum tk_cj_phase)(of_letter[letter] - 1) : TK_CJ_OTHER;
}
