/*
 * The table of topics. See tracy_topics.h.
 */
#include "edit/tracy/tracy_topics.h"

#include <string.h>

static const struct {
    char letter;
    const char *words[3], *sections[4];
} topics[TK_TRACY_TOPICS] = {
    [TK_TRACY_LOCKS] = {'l', {"locks", "lock"}, {"locks"}},
    [TK_TRACY_MESSAGES] = {'m', {"messages", "logs", "log"}, {"messages"}},
    [TK_TRACY_PLOTS] = {'p', {"plots", "counters", "counter"}, {"plots"}},
    [TK_TRACY_MEMORY] = {'M', {"memory", "allocations"}, {"memory"}},
    [TK_TRACY_IMAGES] = {'i', {"images", "screenshots"}, {"frame_images"}},
    [TK_TRACY_SWITCHES] = {'c', {"switches"}, {"context_switches", "cpu_switches", "processes", "cpu_use"}},
    [TK_TRACY_SAMPLES] = {'s', {"samples", "sample"}, {"hardware_samples"}},
    [TK_TRACY_CODE] = {'C', {"code"}, {"symbol_code"}},
    [TK_TRACY_SOURCES] = {'S', {"sources", "source"}, {"source_files"}},
};

const char *tk_edit_tracy_topic_name(enum tk_edit_tracy_topic topic)
{
    return topic < TK_TRACY_TOPICS ? topics[topic].words[0] : "other";
}

enum tk_edit_tracy_topic tk_edit_tracy_topic_of(const char *section)
{
    for (unsigned i = 0; i < TK_TRACY_TOPICS; i++)
        for (unsigned k = 0; k < 4 && topics[i].sections[k]; k++)
            if (strcmp(topics[i].sections[k], section) == 0)
                return (enum tk_edit_tracy_topic)i;
    return TK_TRACY_OTHERS;
}

static uint32_t by_word(const char *word)
{
    for (unsigned i = 0; i < TK_TRACY_TOPICS; i++)
        for (unsigned k = 0; k < 3 && topics[i].words[k]; k++)
            if (strcmp(topics[i].words[k], word) == 0)
                return UINT32_C(1) << i;
    return 0;
}

/* "lmp" as Tracy's update -s takes it; 0: another letter is in it. */
static uint32_t by_letters(const char *word)
{
    uint32_t found = 0;
    for (; *word; word++) {
        unsigned i = 0;
        while (i < TK_TRACY_TOPICS && topics[i].letter != *word)
            i++;
        if (i == TK_TRACY_TOPICS)
            return 0;
        found |= UINT32_C(1) << i;
    }
    return found;
}

static int read_words(uint32_t *found, const char *const *words, size_t n, struct tk_err *err)
{
    *found = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t one = by_word(words[i]);
        if (!one)
            one = by_letters(words[i]);
        if (!one)
            return tk_err_set(err, TK_EMATCH,
                              "'%.100s' is not a topic of a .tracy: locks, messages, plots, memory, images, "
                              "switches, samples, code, sources, or letters of lmpMicsCS",
                              words[i]);
        *found |= one;
    }
    return TK_OK;
}

int tk_edit_tracy_topics_read(uint32_t *dropped, const char *const *keep, size_t n_keep,
                              const char *const *drop, size_t n_drop, struct tk_err *err)
{
    const uint32_t all = (UINT32_C(1) << TK_TRACY_TOPICS) - 1;
    uint32_t kept = all, gone = 0;
    int rc = n_keep ? read_words(&kept, keep, n_keep, err) : TK_OK;
    if (rc == TK_OK)
        rc = read_words(&gone, drop, n_drop, err);
    *dropped = (all & ~kept) | gone;
    return rc;
}
