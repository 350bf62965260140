/*
 * JSON, written from the front to the back. All braces, commas and names of members come from here; values
 * that a caller writes by itself follow tk_json_member. The writer keeps nothing but where it is, so that an
 * output may be as long as it likes.
 */
#ifndef TK_BASE_TEXT_JSON_H
#define TK_BASE_TEXT_JSON_H

#include "base/text/copy.h"

/* Zero-initialise with `put` and `to` to begin; what is outside of all objects and lists has no commas. */
struct tk_json {
    tk_text_put *put;
    void *to;
    enum tk_json_controls controls;
    bool spaced;     /* a blank behind each comma and colon */
    bool line;       /* the next item, or end, begins a line */
    unsigned depth;  /* at most 63 */
    uint64_t filled; /* bit: an item of this depth was written */
    uint64_t lists;  /* bit: it is a list */
};

/* In all of these: the name of the member, or NULL for an item of a list. */

/* Begins an object '{' or a list '['; ends the innermost. */
void tk_json_open(struct tk_json *j, const char *name, char bracket);
void tk_json_close(struct tk_json *j);

/* What comes next, item or end, begins a line. */
static inline void tk_json_line(struct tk_json *j)
{
    j->line = true;
}

/* What precedes a value; the caller writes the value itself. */
void tk_json_member(struct tk_json *j, const char *name);

/* A value that is JSON already: null, true, a list of another writer. */
void tk_json_plain(struct tk_json *j, const char *name, const char *value);

void tk_json_bool(struct tk_json *j, const char *name, bool is);
void tk_json_u64(struct tk_json *j, const char *name, uint64_t v);
void tk_json_i64(struct tk_json *j, const char *name, int64_t v);

/* To so many significant digits; null where it is no number. */
void tk_json_real(struct tk_json *j, const char *name, double v, unsigned digits);

/* A text that is valid UTF-8. */
void tk_json_text_of(struct tk_json *j, const char *name, const char *p, size_t n);
void tk_json_c(struct tk_json *j, const char *name, const char *text);

#endif
