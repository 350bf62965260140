/*
 * All functions of tracekit.h with null in each place of a pointer: an error where a pointer is needed, and
 * never a crash. Each call is made in a process of its own, in the folder that the test runs in.
 *
 * usage: nulls CAPTURE FOLDER
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tracekit.h>
#include <unistd.h>

enum {
    SECONDS = 60,
    MADE = 7,
    SUCCEEDED = 8
}; /* exit statuses: an object was not made; a call was not refused */

static const char *capture;
static const char *const texts[] = {"name=x"};

/* ---- what is given ---- */

static void made(int rc, const char *what)
{
    if (rc >= 0)
        return;
    fprintf(stderr, "nulls: %s cannot be made: %d\n", what, rc);
    _exit(MADE);
}

static void *scratch(void)
{
    return calloc(1, 4096);
}

/* The name of each object begins with given_, behind which is the name of its struct. */
#define GIVEN(name, make)                                                                                    \
    static struct tk_##name *given_##name(void)                                                              \
    {                                                                                                        \
        struct tk_##name *p = NULL;                                                                          \
        made(make, #name);                                                                                   \
        return p;                                                                                            \
    }
#define ZEROED(name)                                                                                         \
    static struct tk_##name *given_##name(void)                                                              \
    {                                                                                                        \
        return calloc(1, sizeof(struct tk_##name));                                                          \
    }

static int fill_query(struct tk_query *query)
{
    return query ? tk_query_add(query, "tables", "threads", NULL) : TK_ENOMEM;
}

GIVEN(err, (p = tk_err_new()) ? 0 : -1)
GIVEN(options, tk_options_new(&p, NULL))
GIVEN(trace, tk_open(&p, capture, NULL, NULL))
GIVEN(query, tk_query_new(&p, NULL) < 0 ? -1 : fill_query(p))
GIVEN(cursor, tk_cursor_open(&p, given_trace(), given_query(), NULL))
GIVEN(result, tk_result_query(&p, given_trace(), given_query(), NULL))
GIVEN(output, tk_output_open(&p, "out-file", true, NULL))
GIVEN(output_set, tk_output_set_new(&p, NULL, NULL))
GIVEN(writer, tk_writer_new(&p, "csv", given_output(), NULL, NULL))
ZEROED(sink)
ZEROED(rows)
ZEROED(cell)
ZEROED(selection)
ZEROED(restriction)

static const struct tk_table *given_table(void)
{
    return tk_table_find("threads");
}

static struct tk_trace **given_traces(void)
{
    struct tk_trace **p = scratch();
    p[0] = given_trace();
    return p;
}

static int add_run(struct tk_baseline *baseline)
{
    return tk_baseline_add(baseline, given_trace(), NULL, NULL);
}

GIVEN(baseline, tk_baseline_new(&p, NULL) < 0 ? -1 : add_run(p))
GIVEN(baseline_edit, tk_baseline_edit_begin(&p, "store.tkb", NULL))
GIVEN(run_info, tk_run_info_new(&p, texts, 1, NULL))
GIVEN(comparison, tk_compare(&p, given_baseline(), given_baseline(), NULL, NULL))
GIVEN(history, tk_history_new(&p, NULL) < 0 ? -1 : tk_history_add(p, given_baseline(), "x", NULL))
GIVEN(trend, tk_trend_find(&p, given_history(), NULL, NULL))
GIVEN(budgets,
      tk_budgets_load(&p, "budgets.json", NULL) < 0 ? -1 : tk_budgets_apply(p, given_baseline(), NULL, NULL))
GIVEN(export_join, tk_export_join_open(&p, given_query(),
                                       &(struct tk_export_options){.size = sizeof(struct tk_export_options),
                                                                   .format = "csv",
                                                                   .path = "joined.csv",
                                                                   .force = true},
                                       NULL))
GIVEN(owners, tk_owners_load(&p, "owners.txt", NULL, NULL))
GIVEN(night, tk_night_new(&p, NULL, NULL) < 0 ? -1 : tk_night_add(p, given_baseline(), NULL, NULL))
GIVEN(page, tk_page_new(&p, NULL, NULL))
GIVEN(sql, tk_sql_new(&p, NULL, NULL) < 0 ? -1 : tk_sql_add(p, capture, NULL, NULL))
GIVEN(rules, tk_rules_new(&p, NULL))
GIVEN(agent, tk_agent_new(&p, NULL, NULL))
ZEROED(agent_streams)
GIVEN(view, tk_view_new(&p, NULL, NULL))

static int given_read(void *ctx, uint64_t offset, void *p, size_t n, size_t *got)
{
    (void)ctx, (void)offset, (void)p, (void)n;
    *got = 0;
    return TK_OK;
}

static int given_stop(void *ctx)
{
    (void)ctx;
    return 0;
}

static void given_lacks(void *ctx, size_t run, const char *word, const char *instead)
{
    (void)ctx, (void)run, (void)word, (void)instead;
}

/* ---- the calls ---- */

struct null_case {
    int (*call)(void);
    const char *function, *nulls; /* names of the arguments */
    bool refused;                 /* it has to be an error */
};

#include "null_cases.inc"

static int run_case(const struct null_case *c)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS);
        const int rc = c->call();
        _exit(c->refused && rc >= 0 ? SUCCEEDED : 0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    return status;
}

static bool say(const struct null_case *c, int status)
{
    if (status == 0)
        return true;
    printf("%s with NULL for %s: ", c->function, c->nulls);
    if (WIFSIGNALED(status))
        printf("signal %d\n", WTERMSIG(status));
    else if (WEXITSTATUS(status) == SUCCEEDED)
        printf("no error\n");
    else
        printf("exit status %d\n", WEXITSTATUS(status));
    return false;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        exit(2);
}

int main(int argc, char **argv)
{
    const size_t n = sizeof cases / sizeof *cases;
    size_t wrong = 0;
    if (argc != 3 || chdir(argv[2]) != 0) {
        fprintf(stderr, "usage: nulls CAPTURE FOLDER\n");
        return 2;
    }
    capture = argv[1];
    write_file("budgets.json", "{\"budgets\": [{\"kind\": \"frame\", \"name\": \"p99\", \"error\": 100}]}");
    write_file("owners.txt", "* @all\n");
    write_file("accepted.json", "{\"accepted\": []}");
    for (size_t i = 0; i < n; i++)
        wrong += !say(&cases[i], run_case(&cases[i]));
    printf("%zu calls, %zu wrong\n", n, wrong);
    return wrong > 0;
}
