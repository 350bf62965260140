/*
 * Host: queries of the operating system, and settings derived from them.
 */
#include "terminal/host.h"

#include "base/text/path.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/path.h"
#include "os/process.h"
#include "os/stream.h"
#include "os/temporary.h"

#include <stdlib.h>
#include <string.h>

/*
 * Exit codes: from the statuses of the library, and which of two wins.
 */

enum tk_exit tk_exit_of(int status)
{
    if (status >= 0 || status == TK_EPIPE)
        return TK_EXIT_DONE;
    if (status == TK_EUNKNOWN)
        return TK_EXIT_UNKNOWN;
    return status == TK_EUSAGE || status == TK_EMATCH ? TK_EXIT_USAGE : TK_EXIT_FAILED;
}

int tk_exit_status(int code)
{
    return code == TK_EXIT_UNKNOWN ? TK_EXIT_DAMAGED : code;
}

enum tk_exit tk_exit_worse(enum tk_exit a, enum tk_exit b)
{
    static const int rank[] = {[TK_EXIT_DONE] = 0, [TK_EXIT_DAMAGED] = 1, [TK_EXIT_UNKNOWN] = 2,
                               [TK_EXIT_NO] = 3,   [TK_EXIT_FAILED] = 4,  [TK_EXIT_USAGE] = 5};
    return rank[a] >= rank[b] ? a : b;
}

/*
 * The browser of the user.
 */

bool tk_browser_open(const char *address)
{
    return tk_os_show(address);
}

/*
 * Pager.
 */

static enum { NOT_YET, FORBIDDEN, RUNS, OVER } state;

void tk_pager_forbid(void)
{
    state = FORBIDDEN;
}

bool tk_pager_runs(void)
{
    return state == RUNS;
}

void tk_pager_begin(void)
{
    const char *command = getenv("PAGER");
    if (state != NOT_YET)
        return;
    state = OVER;
    if (!command)
        command = tk_host_pager_usual();
    if (tk_host_terminal(stdout) && *command && strcmp(command, "cat") != 0 && tk_host_pager_start(command))
        state = RUNS;
}

void tk_pager_end(void)
{
    if (state == RUNS)
        tk_host_pager_wait();
    state = OVER;
}

#define MOST_COLUMNS 10000

/* The program that shows what is written, and what the streams were before it. */
static struct {
    bool runs;
    bool errors;      /* it has standard error, too */
    unsigned columns; /* of the terminal */
} pager;

static bool is_paged(FILE *stream)
{
    return pager.runs && (stream == stdout || (stream == stderr && pager.errors));
}

bool tk_host_terminal(FILE *stream)
{
    const char *term = getenv("TERM");
    return (is_paged(stream) || tk_os_stream_is_terminal(stream)) && !(term && strcmp(term, "dumb") == 0);
}

bool tk_host_input_terminal(void)
{
    return tk_os_stream_is_terminal(stdin);
}

unsigned tk_host_width(FILE *stream)
{
    const char *columns = getenv("COLUMNS");
    long said = columns ? strtol(columns, NULL, 10) : 0;
    if (is_paged(stream))
        return pager.columns;
    if (!tk_os_stream_is_terminal(stream))
        return 0;
    return said > 0 && said < MOST_COLUMNS ? (unsigned)said : tk_os_stream_columns(stream);
}

bool tk_host_colour(const char *when, bool terminal)
{
    const char *no_colour = getenv("NO_COLOR");
    if (when && strcmp(when, "auto") != 0)
        return strcmp(when, "always") == 0;
    return terminal && !(no_colour && *no_colour);
}

bool tk_host_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"}, *const ways[] = {"UTF-8", "utf8",
                                                                                        "UTF8", "utf-8"};
    const char *locale = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !(locale && *locale); i++)
        locale = getenv(names[i]);
    for (size_t i = 0; i < sizeof ways / sizeof *ways && locale; i++)
        if (strstr(locale, ways[i]))
            return true;
    return (!locale || !*locale) && tk_os_shows_utf8();
}

bool tk_host_pager_start(const char *command)
{
    const unsigned columns = tk_host_width(stdout);
    const bool errors = tk_os_stream_is_terminal(stderr);
    tk_os_environment_default("LESS", "FRX");
    tk_os_environment_default("LV", "-c");
    if (!tk_os_child_start(command, errors))
        return false;
    pager.runs = true;
    pager.errors = errors;
    pager.columns = columns;
    tk_host_note_stop(); /* whoever is requested to stop still waits for it */
    return true;
}

const char *tk_host_pager_usual(void)
{
    return tk_os_child_pager();
}

void tk_host_pager_wait(void)
{
    tk_os_child_wait();
    pager.runs = false;
}

bool tk_host_flush(void)
{
    const enum tk_os_error error = tk_os_stream_flush(stdout).error;
    return error == TK_OS_OK || error == TK_OS_CLOSED_PIPE;
}

unsigned tk_host_processors(void)
{
    return tk_os_processors();
}

static bool memory_is_limited;

void tk_host_limit_memory(uint64_t bytes)
{
    memory_is_limited = tk_os_limit_memory(bytes);
}

bool tk_host_memory_is_limited(void)
{
    return memory_is_limited;
}

void tk_host_return_memory(void)
{
    tk_os_heap_return();
}

void tk_host_share_memory(void)
{
    tk_os_heap_share();
}

void tk_host_note_stop(void)
{
    tk_os_note_stop();
}

void tk_host_note_stops(void)
{
    tk_os_note_stops();
}

unsigned tk_host_stops(void)
{
    return tk_os_stops();
}

int tk_host_stopped(void)
{
    return tk_os_stopped();
}

void tk_host_stop(int stopped)
{
    tk_os_stop(stopped);
}

double tk_host_seconds(void)
{
    return tk_os_seconds();
}

char *tk_host_temporary_file(const char *name)
{
    char *path;
    (void)tk_os_temporary_file(&path, name);
    return path;
}

bool tk_host_remove(const char *path)
{
    return tk_os_path_remove(path).error == TK_OS_OK;
}

size_t tk_host_stem(const char *path)
{
    return tk_path_stem(path);
}

const char *tk_host_base_name(const char *path)
{
    return path + tk_path_base(path);
}

void tk_host_begin(int *argc, char ***argv, char name[TK_HOST_NAME])
{
    unsigned n;
    tk_os_command_line(argc, argv);
    const char *program = tk_os_program_name(*argc > 0 && (*argv)[0] ? (*argv)[0] : "tracekit", &n);
    snprintf(name, TK_HOST_NAME, "%.*s", (int)(n < TK_HOST_NAME ? n : TK_HOST_NAME - 1), program);
    tk_os_keep_pipes();
}

bool tk_host_shell_expands(void)
{
    return tk_os_shell_expands();
}

bool tk_host_same_file(const char *one, const char *other)
{
    struct tk_os_info a, b;
    return !tk_os_path_info(one, &a).error && !tk_os_path_info(other, &b).error && a.kind == TK_OS_FILE &&
           tk_os_is_same(&a, &b);
}

bool tk_host_exists(const char *path)
{
    struct tk_os_info info;
    return tk_os_path_info(path, &info).error != TK_OS_NOT_FOUND;
}

int64_t tk_host_now(void)
{
    return tk_os_now();
}

int64_t tk_host_modified(const char *path)
{
    struct tk_os_info info;
    const bool known = tk_os_path_info(path, &info).error == TK_OS_OK && info.kind == TK_OS_FILE;
    return known ? info.modified : tk_os_now();
}

uint64_t tk_host_size(const char *path)
{
    struct tk_os_info info;
    return !tk_os_path_info(path, &info).error && info.kind == TK_OS_FILE ? info.size : 0;
}

bool tk_host_is_folder(const char *path)
{
    struct tk_os_info info;
    return !tk_os_path_info(path, &info).error && info.kind == TK_OS_FOLDER;
}

bool tk_host_make_folder(const char *path)
{
    return tk_host_is_folder(path) || !tk_os_folder_make(path).error;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A pipe would be waited for. What cannot be queried is a file that somebody else reports. */
static bool is_file(const char *path)
{
    struct tk_os_info info;
    return tk_os_path_info(path, &info).error || info.kind == TK_OS_FILE;
}

static bool add_file(const char *folder, const char *name, struct tk_opt_list *out,
                     struct tk_opt_list *others)
{
    const size_t end = strlen(folder), n = end + strlen(name) + 2;
    char *path = malloc(n);
    if (!path)
        return false;
    snprintf(path, n, "%s%s%s", folder, end && folder[end - 1] == '/' ? "" : "/", name);
    const bool good = tk_opt_list_add(is_file(path) ? out : others, path, strlen(path));
    free(path);
    return good;
}

static enum tk_host_listing listed(struct tk_os_result result)
{
    if (result.error == TK_OS_NO_MEMORY)
        return TK_HOST_NO_MEMORY;
    return result.error ? TK_HOST_UNREADABLE : TK_HOST_LISTED;
}

enum tk_host_listing tk_host_list_folder(const char *path, struct tk_opt_list *out,
                                         struct tk_opt_list *others)
{
    struct tk_os_folder *folder;
    const char *name;
    const size_t first = out->n;
    enum tk_host_listing how = listed(tk_os_folder_open(&folder, path));
    if (how != TK_HOST_LISTED)
        return how;
    how = listed(tk_os_folder_next(folder, &name));
    while (how == TK_HOST_LISTED && name) {
        const bool good = name[0] == '.' || add_file(path, name, out, others);
        how = good ? listed(tk_os_folder_next(folder, &name)) : TK_HOST_NO_MEMORY;
    }
    tk_os_folder_close(folder);
    if (out->n > first)
        qsort(out->v + first, out->n - first, sizeof *out->v, by_bytes);
    if (others->n > 1)
        qsort(others->v, others->n, sizeof *others->v, by_bytes);
    return how;
}
