/*
 * Words of groupings. See by.h.
 */
#include "args/by.h"

#include "terminal/message.h"

#include <string.h>

#define WORDS(X)                                                                                             \
    X("thread", TK_BY_THREAD)                                                                                \
    X("class", TK_BY_CLASS)                                                                                  \
    X("file", TK_BY_FILE)                                                                                    \
    X("label", TK_BY_LABEL)                                                                                  \
    X("region", TK_BY_REGION)                                                                                \
    X("frame-type", TK_BY_FRAME_TYPE)                                                                        \
    X("tag", TK_BY_TAG)                                                                                      \
    X("heap", TK_BY_HEAP)                                                                                    \
    X("size", TK_BY_SIZE)                                                                                    \
    X("asset", TK_BY_ASSET)                                                                                  \
    X("callstack", TK_BY_CALLSTACK)                                                                          \
    X("function", TK_BY_FUNCTION)                                                                            \
    X("module", TK_BY_MODULE)

#define WORD(word, bit) word,
#define BIT(word, bit)  bit,

static const char *const words_of_by[] = {WORDS(WORD) NULL};
static const unsigned bits[] = {WORDS(BIT)};

enum { KNOWN = sizeof words_of_by / sizeof *words_of_by - 1 };

const char *const *tk_by_words(void)
{
    return words_of_by;
}

/* The bit of a word; 0 and a sentence. */
static unsigned bit_of(const char *word, const char *option, char message[TK_OPT_MESSAGE])
{
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        if (strcmp(word, words_of_by[i]) == 0)
            return bits[i];
    if (strcmp(word, "capture") == 0) {
        snprintf(
            message, TK_OPT_MESSAGE,
            "option '%s' does not take 'capture'; trace-trend follows values from capture to capture, and "
            "trace-diff compares two",
            option);
        return 0;
    }
    char sentence[64];
    snprintf(sentence, sizeof sentence, "option '%s' does not take", option);
    tk_message_unknown(message, sentence, word, words_of_by, KNOWN);
    return 0;
}

/* The only table that can be grouped so; NULL: several can. */
static const char *table_of(unsigned bit)
{
    const unsigned memory =
        TK_BY_TAG | TK_BY_HEAP | TK_BY_SIZE | TK_BY_ASSET | TK_BY_CALLSTACK | TK_BY_FUNCTION | TK_BY_MODULE;
    return bit & TK_BY_GROUPINGS ? "groups" : bit & memory ? "memory" : NULL;
}

static bool has_table(const struct tk_query *query, const char *table)
{
    for (size_t i = 0; i < query->n_tables; i++)
        if (strcmp(query->tables[i], table) == 0)
            return true;
    return false;
}

bool tk_by_check(const struct tk_query *query, char message[TK_OPT_MESSAGE])
{
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        const char *table = query->by & bits[i] ? table_of(bits[i]) : NULL;
        const bool memory = table && (strcmp(table, "memory") == 0 || bits[i] == TK_BY_FILE);
        if (!table || has_table(query, table) ||
            (memory && (has_table(query, "memory") || has_table(query, "memory_growth"))))
            continue;
        snprintf(
            message, TK_OPT_MESSAGE,
            "'--by %s' makes rows of the table '%s'; ask for it with '--table %s', or leave '--table' out",
            words_of_by[i], table, table);
        return false;
    }
    return true;
}

bool tk_by_fill(unsigned *by, const struct tk_opt_list *words, const char *option,
                char message[TK_OPT_MESSAGE])
{
    *by = 0;
    for (size_t i = 0; i < words->n; i++) {
        const unsigned bit = bit_of(words->v[i], option, message);
        if (!bit)
            return false;
        *by |= bit;
    }
    return true;
}
