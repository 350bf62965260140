/*
 * Words of groupings. See by.h.
 */
#include "by.h"

#include "message.h"

#include <string.h>

/* The bit of a word; 0 and a sentence. */
static unsigned bit_of(const char *word, char message[TK_OPT_MESSAGE])
{
    static const struct {
        const char *name;
        unsigned bit;
    } known[] = {{"thread", TK_BY_THREAD}, {"class", TK_BY_CLASS},        {"file", TK_BY_FILE},
                 {"label", TK_BY_LABEL},   {"region", TK_BY_REGION},      {"frame-type", TK_BY_FRAME_TYPE},
                 {"tag", TK_BY_TAG},       {"heap", TK_BY_HEAP},          {"size", TK_BY_SIZE},
                 {"asset", TK_BY_ASSET},   {"callstack", TK_BY_CALLSTACK}};
    enum { KNOWN = sizeof known / sizeof *known };
    const char *names[KNOWN + 1] = {[KNOWN] = "capture"};
    for (size_t i = 0; i < KNOWN; i++) {
        if (strcmp(word, known[i].name) == 0)
            return known[i].bit;
        names[i] = known[i].name;
    }
    tk_message_unknown(message, "option '--by' does not take", word, names, KNOWN + 1);
    return 0;
}

bool tk_by_fill(unsigned *by, bool *capture, const struct tk_opt_list *words, char message[TK_OPT_MESSAGE])
{
    *by = 0;
    *capture = words->n == 1 && strcmp(words->v[0], "capture") == 0;
    for (size_t i = 0; i < words->n && !*capture; i++) {
        if (strcmp(words->v[i], "capture") == 0) {
            snprintf(message, TK_OPT_MESSAGE, "'--by capture' stands alone: it goes with no other grouping");
            return false;
        }
        const unsigned bit = bit_of(words->v[i], message);
        if (!bit)
            return false;
        *by |= bit;
    }
    return true;
}
