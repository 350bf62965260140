/*
 * Writes answers to SQL.
 */
#include "cmd_in.h"
#include "pages/out.h"
#include "terminal/host.h"
#include "terminal/message.h"

#include <stdlib.h>
#include <string.h>

/*
 * Reads lines, gathers them to statements up to the semicolon, and answers.
 */

enum { LINE = 4096, MOST = 1 << 20 };

struct prompt {
    struct tk_query_answer *answer;
    char *statement; /* owned, MOST bytes: what was typed so far */
    size_t n;
    bool timer, quit;
};

static void answer_text(struct prompt *p, const char *statements)
{
    struct tk_err err = {0};
    const double begin = tk_host_seconds();
    const int rc = tk_query_answer(p->answer, statements, &err);
    if (rc < 0 && rc != TK_EPIPE)
        tk_message_error(p->answer->program, NULL, rc, &err);
    if (p->timer)
        fprintf(stderr, "%.3f s\n", tk_host_seconds() - begin);
    p->quit |= tk_host_stopped() != 0;
}

/* ---- commands ---- */

static void put_tables(struct prompt *p, const char *word)
{
    (void)word;
    answer_text(p, "SELECT name AS \"table\", type FROM sqlite_schema WHERE name NOT LIKE '\\_%' ESCAPE '\\' "
                   "ORDER BY name");
}

/* The name is doubled where it has quotes. */
static void put_schema(struct prompt *p, const char *word)
{
    char sql[LINE];
    size_t n =
        (size_t)snprintf(sql, sizeof sql,
                         "SELECT name, lower(type) AS type, CASE WHEN hidden THEN 'hidden' END AS shown "
                         "FROM pragma_table_xinfo('");
    for (; *word && n < sizeof sql - 8; word++) {
        if (*word == '\'')
            sql[n++] = '\'';
        sql[n++] = *word;
    }
    snprintf(sql + n, sizeof sql - n, "')");
    answer_text(p, sql);
}

static void set_mode(struct prompt *p, const char *word)
{
    char message[TK_OPT_MESSAGE];
    static char format[32];
    if (!tk_report_check_format(word, message)) {
        tk_message_say(p->answer->program, TK_MESSAGE_ERROR, "%s", message);
        return;
    }
    snprintf(format, sizeof format, "%s", word);
    p->answer->format = format;
}

static void set_timer(struct prompt *p, const char *word)
{
    p->timer = strcmp(word, "off") != 0;
}

static void set_plan(struct prompt *p, const char *word)
{
    p->answer->plan = strcmp(word, "off") != 0;
}

static void ask_question(struct prompt *p, const char *word)
{
    const struct tk_sql_question_text *question;
    for (size_t i = 0; (question = tk_sql_question(i)); i++)
        if (strcmp(question->name, word) == 0) {
            answer_text(p, question->sql);
            return;
        }
    for (size_t i = 0; (question = tk_sql_question(i)); i++)
        printf("%-20s %s\n", question->name, question->help);
}

static void quit(struct prompt *p, const char *word)
{
    (void)word;
    p->quit = true;
}

static void put_help(struct prompt *p, const char *word);

static const struct {
    const char *name, *value, *help;
    void (*run)(struct prompt *p, const char *word);
} commands[] = {
    {".tables", "", "tables and views", put_tables},
    {".schema", "TABLE", "columns of a table", put_schema},
    {".ask", "NAME", "a predefined question; without a name all of them", ask_question},
    {".mode", "FORMAT", "table, plot, text, csv, tsv, json, ndjson, markdown", set_mode},
    {".plan", "on|off", "what would be read, instead of answers", set_plan},
    {".timer", "on|off", "how long each answer took", set_timer},
    {".help", "", "this", put_help},
    {".quit", "", "the end; so is Ctrl-D", quit},
};

static void put_help(struct prompt *p, const char *word)
{
    (void)p;
    (void)word;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        printf("%-8s %-7s %s\n", commands[i].name, commands[i].value, commands[i].help);
    puts("A statement ends with ; and may have several lines.");
}

static void run_dot(struct prompt *p, char *line)
{
    char *word = line + strcspn(line, " \t\r\n");
    if (*word)
        *word++ = '\0';
    word += strspn(word, " \t");
    word[strcspn(word, "\r\n;")] = '\0';
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, line) == 0) {
            commands[i].run(p, word);
            return;
        }
    tk_message_say(p->answer->program, TK_MESSAGE_ERROR, "there is no '%s'; .help lists all commands", line);
}

/* ---- lines ---- */

static int add_line(struct prompt *p, const char *line)
{
    const size_t n = strlen(line);
    if (p->n + n >= MOST)
        return TK_ELIMIT;
    memcpy(p->statement + p->n, line, n + 1);
    p->n += n;
    bool ended;
    (void)tk_sql_statements(p->statement, &ended);
    if (ended) {
        answer_text(p, p->statement);
        p->n = 0;
    }
    return TK_OK;
}

static void put_prompt(const struct prompt *p)
{
    fputs(p->n ? "   ...> " : "trace> ", stdout);
    fflush(stdout);
}

int tk_prompt_run(struct tk_query_answer *answer)
{
    struct prompt p = {.answer = answer, .statement = malloc(MOST)};
    char line[LINE];
    int rc = TK_OK;
    if (!p.statement)
        return TK_ENOMEM;
    tk_pager_forbid();
    puts("SQL over captures; a statement ends with ;, .help lists commands.");
    for (put_prompt(&p); rc == TK_OK && !p.quit && fgets(line, sizeof line, stdin);) {
        if (p.n == 0 && *line == '.')
            run_dot(&p, line);
        else if (p.n || line[strspn(line, " \t\r\n")])
            rc = add_line(&p, line);
        if (!p.quit)
            put_prompt(&p);
    }
    free(p.statement);
    return rc;
}

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
