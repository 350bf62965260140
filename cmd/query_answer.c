/*
 * Writes answers to SQL. See query_answer.h.
 */
#include "query_answer.h"

#include "pages/lost_values.h"

#include <stdlib.h>
#include <string.h>

/* Statements of more bytes are no question. */
enum { MOST_BYTES = 1 << 20 };

/* ---- statements ---- */

static char *read_stream(FILE *file, size_t *n)
{
    char *text = malloc(MOST_BYTES + 2);
    *n = text ? fread(text, 1, MOST_BYTES + 1, file) : 0;
    if (text)
        text[*n] = '\0';
    return text;
}

bool tk_query_text_read(const char *path, char **text, char message[TK_OPT_MESSAGE])
{
    const bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : fopen(path, "rb");
    size_t n = 0;
    *text = file ? read_stream(file, &n) : NULL;
    const bool failed = !file || ferror(file);
    if (file && !standard)
        fclose(file);
    *message = '\0'; /* out of memory */
    if (failed)
        snprintf(message, TK_OPT_MESSAGE, "cannot read '%.200s'", path);
    else if (*text && n > MOST_BYTES)
        snprintf(message, TK_OPT_MESSAGE, "'%.200s' has more than 1 MB of SQL", path);
    else if (*text && strlen(*text) != n)
        snprintf(message, TK_OPT_MESSAGE, "'%.200s' is not text: it contains a NUL", path);
    else if (*text)
        return true;
    free(*text);
    *text = NULL;
    return false;
}

/* ---- answers ---- */

/* Passes tables on with times in the unit that is wanted. */
struct unit_sink {
    struct tk_query_answer *answer;
    const struct tk_sink *to;
    struct tk_table table;
};

static int begin_unit(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct unit_sink *u = self;
    u->table = *table;
    u->table.unit = u->answer->unit;
    return u->to->begin ? u->to->begin(u->to->self, &u->table, err) : TK_OK;
}

static int rows_unit(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    const struct unit_sink *u = self;
    (void)table;
    return u->to->rows ? u->to->rows(u->to->self, &u->table, rows, err) : TK_OK;
}

static int end_unit(void *self, const struct tk_table *table, struct tk_err *err)
{
    const struct unit_sink *u = self;
    (void)table;
    return u->to->end ? u->to->end(u->to->self, &u->table, err) : TK_OK;
}

int tk_query_answer(struct tk_query_answer *a, const char *statements, struct tk_err *err)
{
    struct tk_out out;
    bool ended;
    const bool several = tk_sql_statements(statements, &ended) > 1, all = strchr(statements, '*') != NULL;
    int rc = tk_out_open(&out, a->out, a->format, several, all, err);
    struct tk_lost_values values = {.to = &out.sink,
                                    .writer = out.writer,
                                    .program = a->program,
                                    .advice = "CAST(... AS TEXT) keeps all",
                                    .quiet = a->quiet};
    const struct tk_sink telling = tk_lost_values_sink(&values);
    struct unit_sink units = {.answer = a, .to = &telling};
    const struct tk_sink sink = {.self = &units, .begin = begin_unit, .rows = rows_unit, .end = end_unit};
    if (rc == TK_OK)
        rc = a->plan ? tk_sql_plan(a->sql, statements, &sink, err)
                     : tk_sql_run(a->sql, statements, &sink, err);
    a->lost |= values.lost;
    return tk_out_close(&out, rc, err);
}
