/*
 * Conditions on rows, as people type them: "dur>5ms", "text~stream", "logs.verbosity<=warning". This
 * file reads one and holds it against a cell; row_filter.h applies them to the rows of a table.
 */
#ifndef TK_QUERY_CONDITION_H
#define TK_QUERY_CONDITION_H

#include "base/err.h"

enum tk_condition_op {
    TK_CONDITION_EQUAL,    /* = == */
    TK_CONDITION_UNEQUAL,  /* != */
    TK_CONDITION_BELOW,    /* < */
    TK_CONDITION_AT_MOST,  /* <= */
    TK_CONDITION_ABOVE,    /* > */
    TK_CONDITION_AT_LEAST, /* >= */
    TK_CONDITION_HOLDS,    /* ~ : contains */
    TK_CONDITION_HOLDS_NOT /* !~ */
};

/* A number in one of the ways that a value can be read. */
struct tk_amount {
    bool valid;
    bool whole; /* `magnitude` and `minus` are exact; else `real` is all there is */
    bool minus;
    uint64_t magnitude;
    double real;
};

/* The ways: "5k", "3%" of counts; "5ms" of times, in nanoseconds; "4MiB" of sizes, in bytes. */
enum tk_amount_kind { TK_AMOUNT_COUNT, TK_AMOUNT_TIME, TK_AMOUNT_SIZE, TK_AMOUNT_KINDS };

struct tk_condition {
    const char *text;   /* borrowed, as all others */
    const char *table;  /* n_table bytes in front of the point; NULL: of any table */
    const char *column; /* n_column bytes */
    const char *value;  /* n_value bytes; none: no value */
    size_t n_table, n_column, n_value;
    enum tk_condition_op op;
    struct tk_amount amounts[TK_AMOUNT_KINDS];
    int severity; /* of a word as "warning": lower is worse; -1: no such word */
};

/* Reads one. TK_OK; TK_EUSAGE where there is no operator or no column. */
int tk_condition_parse(struct tk_condition *c, const char *text, struct tk_err *err);

/*
 * Can it be asked of cells of the kind (enum tk_kind)? cycles: times are clock cycles. TK_OK; TK_EUSAGE with
 * a sentence that says what the value has to look like.
 */
int tk_condition_check(const struct tk_condition *c, unsigned kind, bool cycles, struct tk_err *err);

/* Does it hold for the cell? A cell without a value equals no value, and differs from every other. */
bool tk_condition_holds(const struct tk_condition *c, const struct tk_cell *cell, bool cycles);

/* Shared by condition_read.c, which reads conditions, and condition.c: is it the word, which is in lower
 * case? And the severity of a word; -1: it is none. */
bool tk_condition_is_word(const char *word, const char *p, size_t n);
int tk_condition_severity(const char *p, size_t n);

static inline char tk_condition_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

#endif
