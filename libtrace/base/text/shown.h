/*
 * Texts of captures as they are shown to people: the one place that says which characters are not safe to
 * show, and what stands for them. Tables, reports and messages ask here.
 */
#ifndef TK_BASE_TEXT_SHOWN_H
#define TK_BASE_TEXT_SHOWN_H

#include "base/text/text.h"

#define TK_SHOW_QUOTED 1u /* as inside double quotes: " and \ get a backslash */
#define TK_SHOW_ASCII  2u /* nothing outside ASCII */

enum { TK_SHOWN_BYTES = 16 };

/* Does a character steer a terminal, or hide or turn round what follows: controls, marks of direction, what
 * has no width? */
bool tk_is_unsafe(uint32_t c);

/* What stands for an unsafe character: \x1b, \u202e, \U000e0041. Returns its length. */
size_t tk_unsafe_escape(char out[TK_SHOWN_BYTES], uint32_t c);

/* What was shown of a text so far. Zero-initialise to begin. */
struct tk_shown {
    uint32_t before; /* the last character */
    bool begun;      /* it has something else than spaces */
};

/*
 * How a character of a text is shown; `next` is the one behind it, 0 at the end. A line feed is \n inside of
 * quotes, where \ gets a backslash, and else the sign for it, which cannot be taken for the two characters.
 * What continuous integration would obey (:: in front, ##[, ##vso[ and ##teamcity[ anywhere) is broken by a
 * backslash. Returns the bytes written.
 */
size_t tk_show(struct tk_shown *s, uint32_t c, uint32_t next, unsigned flags, char out[TK_SHOWN_BYTES]);

/* Does a backslash belong before a character, outside of quotes, because a runner of continuous integration
 * would obey what it begins? Notes that the character is shown. */
bool tk_shown_breaks(struct tk_shown *s, uint32_t c, uint32_t next);

/* All of a text, whose invalid bytes become U+FFFD. */
void tk_show_text(void *to, tk_text_put *put, const char *p, size_t n, unsigned flags);

#endif
