/*
 * Lines: a page of a few named sentences.
 */
#include "pages/pages_in.h"
#include "pages/summary_pages.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * Answer: one table of a result.
 */

struct tk_answer tk_answer_find(const struct tk_result *result, const char *name)
{
    struct tk_answer answer = {.result = result};
    for (; answer.index < tk_result_count(result); answer.index++) {
        answer.table = tk_result_table(result, answer.index, &answer.n_rows);
        if (strcmp(answer.table->name, name) == 0)
            return answer;
    }
    return (struct tk_answer){.result = result};
}

const struct tk_cell *tk_answer_cell_of(const struct tk_table *table, const struct tk_cell *row,
                                        const char *column)
{
    static const struct tk_cell none = {.kind = TK_NONE};
    const int at = tk_table_column(table, column);
    return at < 0 ? &none : &row[at];
}

const struct tk_cell *tk_answer_cell(const struct tk_answer *answer, size_t row, const char *column)
{
    return tk_answer_cell_of(answer->table, tk_result_row(answer->result, answer->index, row), column);
}

bool tk_answer_is_text(const struct tk_cell *cell, const char *text)
{
    return cell->kind == TK_TEXT && cell->n == strlen(text) && memcmp(cell->v.p, text, cell->n) == 0;
}

/*
 * UTC: a date and time of day.
 */

#define DAY          INT64_C(86400)
#define LAST         253402300799.0 /* the last second of 9999 */
#define DAYS_OF_ERA  146097         /* 400 years */
#define DAYS_TO_1970 719468         /* from 1 March of the year 0 */

/* Years begin in March, so that the day that not all have is the last one (days from civil, inverted). */
bool tk_utc(char text[TK_UTC_TEXT], double seconds)
{
    if (!(seconds >= 0 && seconds <= LAST))
        return false;
    const int64_t s = (int64_t)seconds, day = s / DAY + DAYS_TO_1970, of_day = s % DAY;
    const int64_t era = day / DAYS_OF_ERA, of_era = day % DAYS_OF_ERA;
    const int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int64_t of_year = of_era - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
    snprintf(text, TK_UTC_TEXT, "%04d-%02d-%02d %02d:%02d:%02d UTC", (int)(year + era * 400 + (month >= 10)),
             (int)(month < 10 ? month + 3 : month - 9), (int)(of_year - (153 * month + 2) / 5 + 1),
             (int)(of_day / 3600), (int)(of_day / 60 % 60), (int)(of_day % 60));
    return true;
}

/* Of the page at work: too much for a small stack. */
static char texts[TK_LINES_MOST][TK_LINES_TEXT];

static void take_back_empty(struct tk_lines *l)
{
    if (l->n && l->cells[l->n - 1].n == 0)
        l->n--;
}

void tk_lines_begin(struct tk_lines *l, const char *name)
{
    take_back_empty(l);
    if (l->n == TK_LINES_MOST)
        return;
    l->columns[l->n] = (struct tk_column){.name = name, .kind = TK_TEXT};
    l->cells[l->n] = (struct tk_cell){.kind = TK_TEXT, .enc = TK_ENC_UTF8};
    l->n++;
}

/* Bytes of the first characters of a text that fit into `most` bytes. */
static size_t whole_characters(const char *p, size_t n, size_t most)
{
    if (n <= most)
        return n;
    while (most && ((unsigned char)p[most] & 0xC0) == 0x80)
        most--;
    return most;
}

static void put_bytes(struct tk_lines *l, const char *p, size_t n)
{
    if (l->n == 0)
        return;
    struct tk_cell *cell = &l->cells[l->n - 1];
    char *text = texts[l->n - 1];
    const size_t fits = whole_characters(p, n, TK_LINES_TEXT - cell->n);
    memcpy(text + cell->n, p, fits);
    cell->n += (uint32_t)fits;
}

void tk_lines_put(struct tk_lines *l, const char *format, ...)
{
    char text[TK_LINES_TEXT];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n > 0)
        put_bytes(l, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

void tk_lines_comma(struct tk_lines *l)
{
    if (l->n && l->cells[l->n - 1].n)
        put_bytes(l, ", ", 2);
}

void tk_lines_cell(struct tk_lines *l, const struct tk_cell *cell, size_t most)
{
    if (cell->kind != TK_TEXT)
        return;
    const char *p = cell->v.p;
    const bool cut = cell->n > most;
    if (cell->enc == TK_ENC_UTF8)
        put_bytes(l, p, whole_characters(p, cell->n, most));
    for (size_t i = 0; cell->enc != TK_ENC_UTF8 && i < cell->n && i < most; i++)
        put_bytes(l, (unsigned char)p[i] < 0x80 ? &p[i] : "?", 1);
    if (cut)
        put_bytes(l, "...", 3);
}

/* Decimals that leave a number from 1 to 1000 with so many digits. */
static int decimals_of(double v, int digits)
{
    return fabs(v) < 10 ? digits - 1 : fabs(v) < 100 ? digits - 2 : digits - 3;
}

/* Halves go up, as in tables: printf rounds what a binary number is just short of. */
static double rounded(double v, double unit, int decimals)
{
    const double parts = pow(10, decimals);
    return round(v / (unit / parts)) / parts;
}

void tk_lines_span(struct tk_lines *l, double ns, int digits)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double v = ns;
    unsigned unit = 0;
    for (; unit < 3 && fabs(v) >= 999.95; unit++)
        v /= 1000;
    const int decimals = unit || v != floor(v) ? decimals_of(v, digits) : 0;
    tk_lines_put(l, "%.*f %s", decimals, rounded(ns, pow(1000, unit), decimals), units[unit]);
}

void tk_lines_size(struct tk_lines *l, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double v = (double)bytes;
    unsigned unit = 0;
    for (; unit < 4 && v >= 999.5; unit++)
        v /= 1024;
    tk_lines_put(l, "%.*f %s", unit ? decimals_of(v, 3) : 0, v, units[unit]);
}

int tk_lines_send(struct tk_lines *l, const char *name, const struct tk_sink *sink, struct tk_err *err)
{
    take_back_empty(l);
    for (uint32_t i = 0; i < l->n; i++)
        l->cells[i].v.p = texts[i];
    const struct tk_table table = {
        .name = name, .columns = l->columns, .n_columns = l->n, .flags = TK_TABLE_SINGLE};
    const struct tk_rows rows = {.n = 1, .cells = l->cells};
    int rc = sink->begin ? sink->begin(sink->self, &table, err) : TK_OK;
    if (rc >= 0 && sink->rows)
        rc = sink->rows(sink->self, &table, &rows, err);
    if (rc >= 0 && sink->end)
        rc = sink->end(sink->self, &table, err);
    return rc;
}
