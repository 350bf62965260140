/*
 * Reads what SQLite says of a plan, and the text in it that plan.h describes. See plan_text.h.
 */
#include "sql/plan_text.h"

#include "base/err.h"

#include <stdio.h>
#include <string.h>

/* SQLite's line for a table of ours: "SCAN NAME VIRTUAL TABLE INDEX 0:TERMS", before 3.36 "SCAN TABLE NAME".
 */
static const char scan[] = "SCAN ", table_word[] = "TABLE ", index_words[] = " VIRTUAL TABLE INDEX ";

static const struct tk_column columns[] = {
    {.name = "step", .kind = TK_INT, .help = "steps in their order; inner loops follow outer ones"},
    {.name = "work", .kind = TK_TEXT, .help = "what is read and how it is selected, or a step of SQLite"},
};
static const struct tk_table plan_table = {
    .name = "plan", .help = "what a statement reads", .columns = columns, .n_columns = 2};

/* ---- words of a term ---- */

static const struct {
    const char *sign, *words;
} operators[] = {{"<=", " <= ..."}, {">=", " >= ..."}, {"<", " < ..."},
                 {">", " > ..."},   {"=", ""},         {"@", " in a list"}};

static void add_term(sqlite3_str *out, const char *word)
{
    const size_t name = strcspn(word, "<>=@");
    size_t i = 0;
    while (i + 1 < sizeof operators / sizeof *operators &&
           strncmp(word + name, operators[i].sign, strlen(operators[i].sign)) != 0)
        i++;
    sqlite3_str_appendf(out, "%s%.*s%s", sqlite3_str_length(out) ? ", " : "", (int)name, word,
                        operators[i].words);
}

/* ---- one table ---- */

struct said {
    const char *table; /* its name, in the text */
    int n_table;
    sqlite3_str *selected, *looked_up, *more;
};

static bool starts(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

static void add_word(struct said *said, const char *word, size_t n)
{
    static const struct {
        const char *key, *words, *behind;
    } others[] = {{"group:", "grouped by", ""}, {"down:", "grouped by", ", descending"}, {"by:", "by", ""}};
    if (starts(word, "columns:")) {
        const char *names = memchr(word, '=', n);
        const int length = names ? (int)(n - (size_t)(names + 1 - word)) : 0;
        if (length)
            sqlite3_str_appendf(said->more, "; columns %.*s", length, names + 1);
        return;
    }
    if (starts(word, "table:")) {
        said->table = word + strlen("table:");
        said->n_table = (int)(word + n - said->table);
        return;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (starts(word, others[i].key)) {
            const size_t key = strlen(others[i].key);
            sqlite3_str_appendf(said->more, "; %s %.*s%s", others[i].words, (int)(n - key), word + key,
                                others[i].behind);
            return;
        }
    add_term(word[n - 1] == '!' ? said->selected : said->looked_up, word);
}

static char *say_table(const char *name, int n_name, const char *terms)
{
    struct said said = {"", 0, sqlite3_str_new(NULL), sqlite3_str_new(NULL), sqlite3_str_new(NULL)};
    for (size_t n; *terms; terms += n + (terms[n] == ' '))
        if ((n = strcspn(terms, " ")) > 0)
            add_word(&said, terms, n);
    char *selected = sqlite3_str_finish(said.selected), *looked_up = sqlite3_str_finish(said.looked_up),
         *more = sqlite3_str_finish(said.more);
    const bool alias = said.n_table != n_name || memcmp(said.table, name, (size_t)n_name) != 0;
    char *text =
        sqlite3_mprintf("%s %.*s%s%.*s%s%s%s%s%s%s", looked_up ? "look up" : "read", said.n_table, said.table,
                        alias ? " as " : "", alias ? n_name : 0, name, looked_up ? " by " : " once",
                        looked_up ? looked_up : "", looked_up ? " for each earlier row" : "",
                        selected ? ", selected by " : "", selected ? selected : "", more ? more : "");
    sqlite3_free(selected);
    sqlite3_free(looked_up);
    sqlite3_free(more);
    return text;
}

static char *say_step(const char *detail)
{
    const char *index = strstr(detail, index_words), *terms = index ? strchr(index, ':') : NULL;
    if (!terms || !starts(detail, scan))
        return sqlite3_mprintf("SQLite: %s", detail);
    const char *name = detail + sizeof scan - 1;
    if (starts(name, table_word))
        name += sizeof table_word - 1;
    return say_table(name, (int)(index - name), terms + 1);
}

/* ---- all steps ---- */

static int put_step(const struct tk_sink *sink, const struct tk_table *table, int64_t step,
                    const char *detail, struct tk_err *err)
{
    char *text = say_step(detail);
    if (!text)
        return tk_err_nomem(err, "a plan");
    const struct tk_cell cells[] = {{.kind = TK_INT, .v.i = step},
                                    {.kind = TK_TEXT, .v.p = text, .n = (uint32_t)strlen(text)}};
    const struct tk_rows rows = {.n = 1, .cells = cells};
    int rc = sink->rows ? sink->rows(sink->self, table, &rows, err) : TK_OK;
    sqlite3_free(text);
    return rc;
}

int tk_sql_plan_text(sqlite3_stmt *stmt, unsigned number, const struct tk_sink *sink, int *code,
                     struct tk_err *err)
{
    char name[24];
    struct tk_table table = plan_table;
    snprintf(name, sizeof name, number > 1 ? "plan_%u" : "plan", number);
    table.name = name;
    int rc = sink->begin ? sink->begin(sink->self, &table, err) : TK_OK;
    for (int64_t step = 1; rc == TK_OK && (*code = sqlite3_step(stmt)) == SQLITE_ROW; step++) {
        const char *detail = (const char *)sqlite3_column_text(stmt, 3);
        rc = put_step(sink, &table, step, detail ? detail : "", err);
    }
    return rc == TK_OK && sink->end ? sink->end(sink->self, &table, err) : rc;
}
