/*
 * The game frames of a capture, for the column `frame` of its scopes.
 */
#ifndef TK_SQL_ROWS_FRAMES_H
#define TK_SQL_ROWS_FRAMES_H

#include "sql/tables/connection.h"

struct tk_sql_frame {
    int64_t begin, end; /* [begin, end) */
    int64_t index;
};

/* In order of their begins. */
struct tk_sql_frames {
    struct tk_sql_frame *v;
    size_t n, cap;
};

/* The frames of a source, read when they are asked for first. TK_OK or what failed. */
int tk_sql_frames_get(struct tk_sql_connection *c, struct tk_sql_source *s, const struct tk_sql_frames **out,
                      struct tk_err *err);

/* The frame that a time is in; NULL between frames. *hint is where to look first. */
const struct tk_sql_frame *tk_sql_frames_at(const struct tk_sql_frames *frames, int64_t time, size_t *hint);

/* NULL is allowed. */
static inline void tk_sql_frames_free(struct tk_sql_frames *frames)
{
    free(frames ? frames->v : NULL);
    free(frames);
}

#endif
