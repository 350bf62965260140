/*
 * Starts the command with a file to record to, waits for its end, and reads what it recorded.
 */
#include "run/play.h"

#include "os/program.h"
#include "os/socket.h"
#include "terminal/host.h"
#include "terminal/message.h"
#include "tracekit/sinks.h"
#include "tracekit/tables.h"

#include <stdlib.h>
#include <string.h>

static const char place[] = "{out}";

bool tk_play_has_out(const struct tk_opt_list *command)
{
    for (size_t i = 0; i < command->n; i++)
        if (strstr(command->v[i], place))
            return true;
    return false;
}

/* A word with the file in place of each {out}; to be freed. NULL without memory. */
static char *fill_word(const char *word, const char *path)
{
    const size_t n = strlen(path);
    size_t times = 0;
    for (const char *at = word; (at = strstr(at, place)); at += sizeof place - 1)
        times++;
    char *out = malloc(strlen(word) + times * n + 1), *to = out;
    for (const char *at; out && (at = strstr(word, place)); word = at + sizeof place - 1) {
        memcpy(to, word, (size_t)(at - word));
        to += at - word;
        memcpy(to, path, n);
        to += n;
    }
    if (out)
        memcpy(to, word, strlen(word) + 1);
    return out;
}

static enum tk_exit fail_play(const struct tk_runs *side, int rc, const struct tk_err *err)
{
    tk_message_error(side->program, NULL, rc, err);
    return tk_exit_of(rc);
}

/* Waits for its end; what is requested to stop here stops there. */
static int await_end(struct tk_os_program *program)
{
    int status = 0;
    bool requested = false;
    while (!tk_os_program_ended(program, &status)) {
        if (tk_host_stopped() && !requested) {
            tk_os_program_stop(program);
            requested = true;
        }
        tk_os_socket_wait(NULL, 0, NULL, 0.02);
    }
    tk_os_program_close(program);
    return status;
}

static enum tk_exit run_words(const struct tk_runs *side, const char *const *words)
{
    struct tk_os_program *program;
    const struct tk_os_result started = tk_os_program_start_quiet(&program, words);
    if (started.error) {
        tk_message_say(side->program, TK_MESSAGE_ERROR, "cannot start '%s': %s", words[0],
                       tk_os_text(started));
        return TK_EXIT_FAILED;
    }
    const int status = await_end(program);
    if (!status)
        return TK_EXIT_DONE;
    tk_message_say(side->program, TK_MESSAGE_ERROR, "'%s' ended with status %d, so that there is no run",
                   words[0], status);
    return TK_EXIT_FAILED;
}

static enum tk_exit run_command(const struct tk_opt_list *command, const struct tk_runs *side,
                                const char *path)
{
    char **words = calloc(command->n + 1, sizeof *words);
    bool good = words != NULL;
    for (size_t i = 0; good && i < command->n; i++)
        good = (words[i] = fill_word(command->v[i], path)) != NULL;
    const enum tk_exit code =
        good ? run_words(side, (const char *const *)words) : fail_play(side, TK_ENOMEM, NULL);
    for (size_t i = 0; words && i < command->n; i++)
        free(words[i]);
    free(words);
    return code;
}

/* Reads what was recorded. */
static enum tk_exit read_played(const struct tk_runs *side, const char *path)
{
    struct tk_runs fresh = *side;
    struct tk_err err = {0};
    struct tk_runs *const sides[1] = {&fresh};
    const struct tk_runs_path paths[1] = {{&fresh, path}};
    fresh.skip = false;
    int rc = tk_baseline_new(&fresh.baseline, &err);
    if (rc < 0)
        return fail_play(side, rc, &err);
    enum tk_exit code = tk_runs_read(paths, 1);
    const bool damaged = code == TK_EXIT_DAMAGED;
    if (damaged || code == TK_EXIT_DONE)
        code = tk_runs_cut(sides, 1);
    if (code == TK_EXIT_DONE && (rc = tk_baseline_join(side->baseline, fresh.baseline, &err)) < 0)
        code = fail_play(side, rc, &err);
    tk_baseline_free(fresh.baseline);
    return code == TK_EXIT_DONE && damaged ? TK_EXIT_DAMAGED : code;
}

enum tk_exit tk_play(const struct tk_opt_list *command, const struct tk_runs *side)
{
    char *path = tk_host_temporary_file("played.utrace");
    if (!path) {
        tk_message_say(side->program, TK_MESSAGE_ERROR, "cannot make a temporary file");
        return TK_EXIT_FAILED;
    }
    tk_host_remove(path); /* recorders may refuse to replace a file */
    enum tk_exit code = run_command(command, side, path);
    if (code == TK_EXIT_DONE && !tk_host_exists(path)) {
        tk_message_say(side->program, TK_MESSAGE_ERROR, "'%s' left no capture in {out}", command->v[0]);
        code = TK_EXIT_FAILED;
    }
    if (code == TK_EXIT_DONE)
        code = read_played(side, path);
    tk_host_remove(path);
    free(path);
    return code;
}

/* ---- what is decided ---- */

static const struct tk_cell *cell_of_play(const struct tk_result *rows, size_t row, const char *column)
{
    size_t n;
    const int at = tk_table_column(tk_result_table(rows, 0, &n), column);
    return at < 0 ? NULL : tk_result_cell(rows, 0, row, (size_t)at);
}

static bool is_word(const struct tk_cell *cell, const char *word, size_t n)
{
    return cell && cell->kind == TK_TEXT && cell->n == n && memcmp(cell->v.p, word, n) == 0;
}

/* Is a row of changes of the series: its name, or KIND:NAME? */
static bool is_of_series(const struct tk_result *rows, size_t row, const char *series)
{
    const struct tk_cell *name = cell_of_play(rows, row, "name"), *kind = cell_of_play(rows, row, "kind");
    const char *colon = strchr(series, ':');
    return is_word(name, series, strlen(series)) ||
           (colon && is_word(kind, series, (size_t)(colon - series)) &&
            is_word(name, colon + 1, strlen(colon + 1)));
}

static enum tk_exit look_at_series(const char *program, const struct tk_result *rows, const char *series,
                                   bool *undecided)
{
    size_t n, found = 0;
    tk_result_table(rows, 0, &n);
    for (size_t i = 0; i < n; i++) {
        if (!is_of_series(rows, i, series))
            continue;
        found++;
        *undecided |= is_word(cell_of_play(rows, i, "verdict"), "inconclusive", strlen("inconclusive"));
    }
    if (found)
        return TK_EXIT_DONE;
    tk_message_say(program, TK_MESSAGE_ERROR,
                   "the runs have no series '%s': 'trace-diff -f csv' lists kinds and names", series);
    return TK_EXIT_USAGE;
}

enum tk_exit tk_play_look(const char *program, const struct tk_result *rows, const struct tk_opt_list *series,
                          bool *undecided)
{
    static const char *const usual[] = {"frame:p50", "frame:p95"};
    const size_t n = series->n ? series->n : sizeof usual / sizeof *usual;
    enum tk_exit code = TK_EXIT_DONE;
    *undecided = false;
    for (size_t i = 0; i < n && code == TK_EXIT_DONE; i++)
        code = look_at_series(program, rows, series->n ? series->v[i] : usual[i], undecided);
    return code;
}
