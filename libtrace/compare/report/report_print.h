/*
 * A growing text, and how reports write numbers and names into it, independent of the locale. All reports on
 * comparisons and budgets write through it.
 */
#ifndef TK_COMPARE_REPORT_REPORT_PRINT_H
#define TK_COMPARE_REPORT_REPORT_PRINT_H

#include "base/err.h"
#include "base/text/json.h"
#include "page/markup.h"

/* Zero-initialise to begin; free v. When out of memory `failed` stays true. */
struct tk_print {
    char *v; /* owned; n bytes, not NUL-terminated */
    size_t n, cap;
    bool failed;
    bool guard; /* CSV: texts that look like formulas get an apostrophe */
};

void tk_print_bytes(struct tk_print *p, const char *s, size_t n);

/* Texts, "%s" and whole numbers only. */
void tk_print(struct tk_print *p, const char *fmt, ...) TK_PRINTF(2, 3);

/* A number with so many digits behind the point. */
void tk_print_fixed(struct tk_print *p, double v, unsigned digits);

/* A number to so many significant digits, as JSON and CSV have it; null where there is none. */
void tk_print_real(struct tk_print *p, double v, unsigned digits);

/* A name: invalid bytes become U+FFFD, control characters a space, other characters that are not safe to show
 * as \u202e; what a runner of continuous integration would obey is broken by a backslash. */
void tk_print_name(struct tk_print *p, const struct tk_str *s);

/* The same with what a format escapes: JSON without and with its quotes, XML, Markdown tables, CSV with its
 * quotes, properties and messages of GitHub's workflow commands. */
void tk_print_json(struct tk_print *p, const struct tk_str *s);
/* The path of a file as a URI (RFC 3986) in JSON quotes: relative, or with file:// for C:\\x and /x. */
void tk_print_uri(struct tk_print *p, const struct tk_str *path);
/* To put what page/markup.h has. */
struct tk_html tk_print_html(struct tk_print *p);

/* A writer of JSON into it, and what it has for texts: null where there is none. */
struct tk_json tk_print_json_writer(struct tk_print *p);
void tk_print_json_text(struct tk_json *j, const char *name, const struct tk_str *s);
void tk_print_xml(struct tk_print *p, const struct tk_str *s);
void tk_print_markdown(struct tk_print *p, const struct tk_str *s);
void tk_print_csv(struct tk_print *p, const struct tk_str *s);
void tk_print_github(struct tk_print *p, const struct tk_str *s);
void tk_print_github_message(struct tk_print *p, const struct tk_str *s);

/* A text that was made for a line, as one of these writes it; frees it. */
typedef void tk_print_put(struct tk_print *p, const struct tk_str *s);
void tk_print_through(struct tk_print *p, struct tk_print *text, tk_print_put *put);

/* A line of pieces that is broken between them. */
struct tk_print_line {
    struct tk_print *p;
    size_t width;       /* of the terminal; 0: no end */
    size_t from, piece; /* where the line and its last piece begin */
};

/* A line that begins here. */
struct tk_print_line tk_print_line(struct tk_print *p, size_t width);

/* A piece of the line has been printed: where it reaches beyond the end, it goes to the next line, and where
 * it is too wide for that one it is broken at blanks. */
void tk_print_piece(struct tk_print_line *l);

/* Breaks what was printed from `from` (an n of the print) on at blanks, where lines are wider than `width`
 * (0: no end); further ones begin behind `indent` (at least 1) blanks. */
void tk_print_wrap(struct tk_print *p, size_t from, size_t width, size_t indent);

/* Breaks a line that was printed from `from` on between its words, so that no line is wider than `width` (0:
 * no end). */
void tk_print_break(struct tk_print *p, size_t from, size_t width);

/* Spaces until a line has `width` columns from `from` (an n of the print) on. */
void tk_print_pad(struct tk_print *p, size_t from, size_t width);

#endif
