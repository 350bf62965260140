/*
 * Capture: opening, progress, state and exit code.
 */
#include "run/capture.h"

#include "io/decompress.h"
#include "io/file.h"
#include "io/user_cache.h"
#include "terminal/host.h"
#include "terminal/message.h"
#include "terminal/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct tk_common_args, member)

const struct tk_opt tk_common_options[TK_COMMON_COUNT] = {
    {'j', "jobs", TK_OPT_NUMBER, AT(jobs), "N", "work with N threads (default: the number of processors)"},
    {0, "strict", TK_OPT_FLAG, AT(strict), NULL, "fail at the first damage of the capture"},
    {0, "strict-loss", TK_OPT_FLAG, AT(strict_loss), NULL, "exit with 4 if events were lost"},
    {0, "limit", TK_OPT_LIST, AT(limits), "NAME=VALUE", "change a limit; --limit help lists them"},
    {0, "frames-from", TK_OPT_TEXT, AT(frames_from), "GLOB",
     "use the scopes, regions or marks of this name as game frames"},
    {0, "symbols", TK_OPT_LIST, AT(symbols), "PATH", "look for symbols in this folder, symbol store or file"},
    {0, "no-symbols", TK_OPT_FLAG, AT(no_symbols), NULL, "use only the symbols in the capture"},
    {0, "no-inlines", TK_OPT_FLAG, AT(no_inlines), NULL, "attribute inlined calls to the enclosing function"},
    {0, "index", TK_OPT_TEXT, AT(index), "FILE|off",
     "keep the index of a large capture in FILE; off: keep none (default: in the cache)"},
    {0, "no-cache", TK_OPT_FLAG, AT(no_cache), NULL, "do not use the cache"},
    {'q', "quiet", TK_OPT_FLAG, AT(quiet), NULL, "no progress, no warnings"},
    {0, "no-pager", TK_OPT_FLAG, AT(no_pager), NULL, "on a terminal, do not show the output with $PAGER"},
    {'h', "help", TK_OPT_FLAG, AT(help), NULL, "print this"},
    {'V', "version", TK_OPT_FLAG, AT(version), NULL, "print the version"},
    {0, "list-options", TK_OPT_FLAG, AT(names), NULL, NULL},
};

const struct tk_opt tk_live_common_options[TK_LIVE_COMMON_COUNT] = {
    {'q', "quiet", TK_OPT_FLAG, AT(quiet), NULL, "no progress and no status lines"},
    {'h', "help", TK_OPT_FLAG, AT(help), NULL, "print this"},
    {'V', "version", TK_OPT_FLAG, AT(version), NULL, "print the version"},
    {0, "list-options", TK_OPT_FLAG, AT(names), NULL, NULL},
};

static int show_progress(void *ctx, uint64_t done, uint64_t total)
{
    (void)ctx;
    tk_progress_update(done, total);
    return tk_host_stopped();
}

/* The limits of the environment, then those of the options, which hold where both set one. */
static bool gather_limits(struct tk_opt_list *out, const struct tk_opt_list *options)
{
    const char *text = getenv("TRACEKIT_LIMITS");
    bool good = true;
    for (size_t n; good && text && *text; text += n + (text[n] == ','))
        if ((n = strcspn(text, ",")) > 0)
            good = tk_opt_list_add(out, text, n);
    for (size_t i = 0; i < options->n && good; i++)
        good = tk_opt_list_add(out, options->v[i], strlen(options->v[i]));
    return good;
}

/* The library allocates what it needs; that there is no more than `memory` is up to the host. */
static void limit_memory(const struct tk_opt_list *limits)
{
    static const char name[] = "memory=";
    for (size_t i = limits->n; i-- > 0;)
        if (strncmp(limits->v[i], name, sizeof name - 1) == 0) {
            tk_host_limit_memory(strtoull(limits->v[i] + sizeof name - 1, NULL, 10));
            return;
        }
}

int tk_capture_limit(const struct tk_common_args *args, struct tk_err *err)
{
    struct tk_opt_list limits = {0};
    int rc = TK_ENOMEM;
    if (gather_limits(&limits, &args->limits))
        rc = tk_limit_check((const char *const *)limits.v, limits.n, err);
    if (rc == TK_OK)
        limit_memory(&limits);
    tk_opt_list_release(&limits);
    return rc;
}

static bool caches(const struct tk_common_args *args)
{
    const char *cache = getenv("TRACEKIT_CACHE");
    return !args->no_cache && !(cache && strcmp(cache, "off") == 0);
}

/* Is it a machine of builds? */
static bool is_of_builds(void)
{
    const char *ci = getenv("CI");
    return ci && *ci;
}

/* Where what is found out of captures is kept; NULL: nowhere. Machines of builds do not ask twice. The word
 * "cache" requests what is done without it. */
static const char *index_of(const struct tk_common_args *args)
{
    if (args->index && strcmp(args->index, "cache") != 0)
        return strcmp(args->index, "off") == 0 ? NULL : args->index;
    return !caches(args) || is_of_builds() ? NULL : "cache";
}

/* A file of the cache stands for each that was said. */
static bool is_said(char path[TK_CACHE_PATH], const char *name)
{
    const struct tk_user_cache *notices = &tk_user_caches[TK_CACHE_NOTICES];
    if (!tk_user_cache_folder(path, notices))
        return true;
    const size_t n = strlen(path);
    const int added = snprintf(path + n, TK_CACHE_PATH - n, "/%s", name);
    return added < 0 || (size_t)added >= TK_CACHE_PATH - n || tk_host_exists(path) ||
           !tk_user_cache_put(notices, path, (const uint8_t *)"", 0);
}

void tk_changed_say(const char *program, const struct tk_common_args *args, enum tk_changed what)
{
    static const struct {
        const char *name, *sentence;
    } changes[TK_CHANGES] = {
        [TK_CHANGED_HITCHES] =
            {"hitches", "hitches are frames that are late against those around them; in 0.1 they took "
                        "more than twice the median of all (--hitches=median)"},
        [TK_CHANGED_TIMERS] = {"timers",
                               "a timer is one row, wherever it stands in the sources; in 0.1 each place was "
                               "one (--by source)"},
        [TK_CHANGED_SELECTION] =
            {"selection", "where both sides have a selection each keeps its own; in 0.1 one behind --vs "
                          "was of both (give it once)"},
    };
    char path[TK_CACHE_PATH];
    if (args->quiet || !caches(args) || is_of_builds() || !tk_host_terminal(stderr) ||
        is_said(path, changes[what].name))
        return;
    tk_message_say(program, TK_MESSAGE_NOTE, "%s; this is said once", changes[what].sentence);
}

int tk_capture_options(struct tk_options *opt, struct tk_opt_list *limits, const struct tk_common_args *args)
{
    *opt = TK_INIT(struct tk_options);
    opt->map = true;
    opt->strict = args->strict;
    opt->index = index_of(args);
    opt->jobs = tk_capture_jobs(args);
    opt->metrics = args->metrics;
    opt->progress = show_progress;
    if (!gather_limits(limits, &args->limits))
        return TK_ENOMEM;
    limit_memory(limits);
    opt->limits = (const char *const *)limits->v;
    opt->n_limits = limits->n;
    return TK_OK;
}

static int open_limited(struct tk_capture_run *run, struct tk_options *opt)
{
    struct tk_opt_list limits = {0};
    int rc = TK_ENOMEM;
    if (gather_limits(&limits, &run->args->limits)) {
        limit_memory(&limits);
        opt->limits = (const char *const *)limits.v;
        opt->n_limits = limits.n;
        rc = tk_open(&run->trace, run->path, opt, &run->err);
    }
    tk_opt_list_release(&limits);
    return rc;
}

unsigned tk_capture_jobs(const struct tk_common_args *args)
{
    return args->jobs ? (unsigned)(args->jobs < 1024 ? args->jobs : 1024) : tk_host_processors();
}

int tk_capture_try(struct tk_capture_run *run, unsigned jobs,
                   int (*progress)(void *ctx, uint64_t done, uint64_t total), void *ctx)
{
    struct tk_options opt = TK_INIT(struct tk_options);
    opt.map = true;
    opt.strict = run->args->strict;
    opt.jobs = jobs;
    opt.symbols = (const char *const *)run->args->symbols.v;
    opt.n_symbols = run->args->symbols.n;
    opt.sources = (const char *const *)run->args->sources.v;
    opt.n_sources = run->args->sources.n;
    opt.no_symbols = run->args->no_symbols;
    opt.no_inlines = run->args->no_inlines;
    opt.in_part = run->args->in_part;
    opt.cache_symbols = caches(run->args);
    opt.index = index_of(run->args);
    opt.frames_from = run->args->frames_from;
    opt.per = run->args->per;
    opt.metrics = run->args->metrics;
    opt.progress = progress;
    opt.progress_ctx = ctx;
    return open_limited(run, &opt);
}

enum tk_exit tk_capture_open(struct tk_capture_run *run, const char *program, const char *path,
                             const struct tk_common_args *args)
{
    *run = (struct tk_capture_run){.program = program, .path = path, .args = args};
    tk_progress_begin(path, !args->quiet);
    int rc = tk_capture_try(run, tk_capture_jobs(args), show_progress, NULL);
    return rc < 0 ? tk_capture_close(run, rc) : TK_EXIT_DONE;
}

/* Of several captures the same is said once. */
static bool was_said(const char *text)
{
    static struct tk_opt_list said;
    for (size_t i = 0; i < said.n; i++)
        if (strcmp(said.v[i], text) == 0)
            return true;
    tk_opt_list_add(&said, text, strlen(text));
    return false;
}

/* Where symbols were named, and where a file could not be used. */
static void tell_symbols(const struct tk_capture_run *run)
{
    char text[2048];
    int said = tk_symbols_tell(run->trace, text, sizeof text);
    if (said == 0 || (said == 1 && !run->args->symbols.n) || was_said(text))
        return;
    tk_message_begin(run->program, said == 2 ? TK_MESSAGE_WARNING : TK_MESSAGE_NOTE);
    tk_message_put("symbols: ", sizeof "symbols: " - 1);
    tk_message_put(text, strlen(text));
    tk_message_end();
}

enum tk_exit tk_capture_close(struct tk_capture_run *run, int status)
{
    enum tk_exit code = tk_exit_of(status);
    tk_progress_end();
    if (status == TK_ECANCELED && tk_host_stopped()) {
        tk_close(run->trace);
        tk_pager_end();
        tk_host_stop(tk_host_stopped());
    }
    if (status < 0 && status != TK_EPIPE)
        tk_message_error(run->program, status == TK_EOUTPUT ? NULL : run->path, status, &run->err);
    else if (run->trace && !run->args->quiet) {
        tk_message_health(run->program, run->path, run->trace);
        tell_symbols(run);
    }
    if (code == TK_EXIT_DONE && run->trace &&
        (tk_damaged(run->trace) || tk_partial(run->trace) ||
         (run->args->strict_loss && tk_lossy(run->trace))))
        code = TK_EXIT_DAMAGED;
    tk_close(run->trace);
    run->trace = NULL;
    return code;
}

bool tk_capture_is_packed(const char *path)
{
    uint8_t head[TK_FILE_HEAD];
    FILE *file = fopen(path, "rb");
    const size_t n = file ? fread(head, 1, sizeof head, file) : 0;
    if (file)
        fclose(file);
    return tk_decompressor_of(head, n) != NULL;
}
