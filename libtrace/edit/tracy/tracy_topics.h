/*
 * Topics of a .tracy: words and the letters of Tracy's own tool, and what of the file belongs to them.
 * Below the edit of a .tracy, which leaves topics out.
 */
#ifndef TK_EDIT_TRACY_TRACY_TOPICS_H
#define TK_EDIT_TRACY_TRACY_TOPICS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tk_edit_tracy_topic {
    TK_TRACY_LOCKS,
    TK_TRACY_MESSAGES,
    TK_TRACY_PLOTS,
    TK_TRACY_MEMORY,
    TK_TRACY_IMAGES,
    TK_TRACY_SWITCHES,
    TK_TRACY_SAMPLES,
    TK_TRACY_CODE,
    TK_TRACY_SOURCES,
    TK_TRACY_TOPICS,
    TK_TRACY_OTHERS = TK_TRACY_TOPICS /* always stays */
};

/* The first word for it. Static. */
const char *tk_edit_tracy_topic_name(enum tk_edit_tracy_topic topic);

/* The topic that a section belongs to, by its name. */
enum tk_edit_tracy_topic tk_edit_tracy_topic_of(const char *section);

/* One bit for each topic that is left out: of `drop`, and all but `keep` where there are words in it. TK_OK,
 * TK_EMATCH with the word that names none. */
int tk_edit_tracy_topics_read(uint32_t *dropped, const char *const *keep, size_t n_keep,
                              const char *const *drop, size_t n_drop, struct tk_err *err);

static inline bool tk_edit_tracy_drops(uint32_t dropped, enum tk_edit_tracy_topic topic)
{
    return topic < TK_TRACY_TOPICS && (dropped >> topic & 1);
}

#endif
