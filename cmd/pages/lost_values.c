/*
 * Warns of values that a file of columns cannot hold. See lost_values.h.
 */
#include "pages/lost_values.h"

#include "terminal/message.h"

static int begin_lost(void *self, const struct tk_table *table, struct tk_err *err)
{
    const struct tk_lost_values *v = self;
    return v->to->begin ? v->to->begin(v->to->self, table, err) : TK_OK;
}

static int rows_lost(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    const struct tk_lost_values *v = self;
    return v->to->rows ? v->to->rows(v->to->self, table, rows, err) : TK_OK;
}

static void tell_lost(const struct tk_lost_values *v, const char *column, uint64_t n)
{
    tk_message_say(v->program, TK_MESSAGE_WARNING,
                   "column '%.100s': its type cannot hold %llu value%s, which %s null%s%s", column,
                   (unsigned long long)n, n == 1 ? "" : "s", n == 1 ? "is" : "are", v->advice ? "; " : "",
                   v->advice ? v->advice : "");
}

static void tell_rounded(const struct tk_lost_values *v, const char *column, uint64_t n)
{
    tk_message_say(v->program, TK_MESSAGE_WARNING,
                   "column '%.100s' is of doubles: %llu whole number%s beyond 2^53 %s rounded%s%s", column,
                   (unsigned long long)n, n == 1 ? "" : "s", n == 1 ? "is" : "are", v->advice ? "; " : "",
                   v->advice ? v->advice : "");
}

static int end_lost(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_lost_values *v = self;
    for (uint32_t i = 0; v->writer && i < table->n_columns; i++) {
        const uint64_t lost = tk_writer_lost(v->writer, i), rounded = tk_writer_rounded(v->writer, i);
        v->lost |= lost || rounded;
        if (lost && !v->quiet)
            tell_lost(v, table->columns[i].name, lost);
        if (rounded && !v->quiet)
            tell_rounded(v, table->columns[i].name, rounded);
    }
    return v->to->end ? v->to->end(v->to->self, table, err) : TK_OK;
}

struct tk_sink tk_lost_values_sink(struct tk_lost_values *values)
{
    return (struct tk_sink){.self = values, .begin = begin_lost, .rows = rows_lost, .end = end_lost};
}
