/*
 * A file of another tool while it is written: cells with a separator between them, lines that end with LF.
 * The presets insights and summarize write through it.
 */
#ifndef TK_EXPORT_PRESET_PAGE_H
#define TK_EXPORT_PRESET_PAGE_H

#include "io/output.h"
#include "sink/write/buffer.h"

struct tk_page {
    struct tk_output *output; /* owned */
    struct tk_buffer out, clean;
    char separator;
    bool begun; /* there is a cell in the line */
};

/* Opens the output, in a set (NULL: in none). TK_OK, TK_EOUTPUT, TK_ENOMEM. After a failure nothing is to be
 * released. */
int tk_page_open(struct tk_page *page, struct tk_output_set *set, const char *path, bool force,
                 char separator, struct tk_err *err);

/* Cells; failures stick and come out with tk_page_status and tk_page_commit. */
void tk_page_u64(struct tk_page *page, uint64_t v);
void tk_page_i64(struct tk_page *page, int64_t v);
void tk_page_fixed(struct tk_page *page, double v, unsigned decimals); /* %.*f */
void tk_page_general(struct tk_page *page, double v, unsigned digits); /* %.*g */
void tk_page_c(struct tk_page *page, const char *s);                   /* as it is */

/* A text as it is, or in double quotes where the separator is in it; quotes inside are doubled then. Texts
 * that are no Unicode get U+FFFD. */
void tk_page_text(struct tk_page *page, struct tk_str s);

/* n cells with texts, and the end of the line. */
void tk_page_head(struct tk_page *page, const char *const *names, size_t n);

void tk_page_end(struct tk_page *page);

/* TK_OK, or what failed first. */
int tk_page_status(const struct tk_page *page);

/* Puts the file under its name and releases. TK_OK, TK_EOUTPUT, TK_EPIPE, TK_ENOMEM. */
int tk_page_commit(struct tk_page *page, struct tk_err *err);

/* Throws away what was written. For one of all zeros too. */
void tk_page_discard(struct tk_page *page);

#endif
