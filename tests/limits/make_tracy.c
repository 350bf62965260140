/*
 * Makers of captures of the Tracy profiler.
 */
#include "make.h"

#include <stdlib.h>
#include <string.h>

static const char *const tracy_strings[] = {"main", "zone", "f.cpp"};
static const struct tk_tw_location tracy_location = {1, 1, 2, 1, 0};

static void threads(const struct tk_tw_options *options, uint64_t n)
{
    struct tk_tw_thread *threads = calloc((size_t)n, sizeof *threads);
    struct tk_tw_trace trace = {
        .strings = tracy_strings, .n_strings = 3, .threads = threads, .n_threads = (size_t)n};
    for (uint64_t i = 0; threads && i < n; i++)
        threads[i] = (struct tk_tw_thread){.tid = 1 + i, .name = -1};
    if (threads)
        tk_tw_write(options, &trace);
    free(threads);
}

/* n zones, each inside of the one before. */
static void nesting(const struct tk_tw_options *options, uint64_t n)
{
    static const struct tk_tw_thread thread = {.tid = 1, .name = 0};
    struct tk_tw_trace trace = {.strings = tracy_strings,
                                .n_strings = 3,
                                .locations = &tracy_location,
                                .n_locations = 1,
                                .threads = &thread,
                                .n_threads = 1,
                                .last_time = (int64_t)(2 * n + 2)};
    struct tk_tw w;
    tk_tw_open(&w, options, &trace);
    tk_tw_front(&w, n);
    tk_tw_thread(&w, 0, n, 1);
    for (uint64_t i = 0; i < n; i++)
        tk_tw_zone_begin(&w, 1, (int64_t)i, 0, i + 1 < n);
    for (uint64_t i = 0; i < n; i++)
        tk_tw_zone_end(&w, (int64_t)(n + i));
    tk_tw_thread_lists(&w, 0);
    tk_tw_rest(&w);
    tk_tw_close(&w);
}

/* A string of n bytes; nothing else. */
static void text(const struct tk_tw_options *options, uint64_t n)
{
    char *text = malloc((size_t)n + 1);
    const char *strings[1] = {text};
    struct tk_tw_trace trace = {.strings = strings, .n_strings = 1};
    if (!text)
        return;
    memset(text, 'x', (size_t)n);
    text[n] = 0;
    tk_tw_write(options, &trace);
    free(text);
}

static void text_in_zstd(const struct tk_tw_options *options, uint64_t n)
{
    struct tk_tw_options zstd = *options;
    zstd.container = TK_TW_MANY;
    zstd.codec = TK_TW_ZSTD;
    text(&zstd, n);
}

static void locations(const struct tk_tw_options *options, uint64_t n)
{
    struct tk_tw_location *list = calloc((size_t)n, sizeof *list);
    struct tk_tw_trace trace = {
        .strings = tracy_strings, .n_strings = 3, .dynamics = list, .n_dynamics = (size_t)n};
    for (uint64_t i = 0; list && i < n; i++)
        list[i] = (struct tk_tw_location){1, 1, 2, (uint32_t)i, 0};
    if (list)
        tk_tw_write(options, &trace);
    free(list);
}

/* n values of a plot. */
static void values(const struct tk_tw_options *options, uint64_t n)
{
    struct tk_tw_point *list = calloc((size_t)n, sizeof *list);
    const struct tk_tw_plot plot = {.name = 1, .points = list, .n = (size_t)n};
    struct tk_tw_trace trace = {.strings = tracy_strings, .n_strings = 3, .plots = &plot, .n_plots = 1};
    for (uint64_t i = 0; list && i < n; i++)
        list[i] = (struct tk_tw_point){.time = (int64_t)i, .value = 1};
    if (list)
        tk_tw_write(options, &trace);
    free(list);
}

/* A source file of n bytes. */
static void source(const struct tk_tw_options *options, uint64_t n)
{
    char *content = malloc((size_t)n + 1);
    const struct tk_tw_source file = {.name = "f.cpp", .text = content};
    struct tk_tw_trace trace = {.strings = tracy_strings, .n_strings = 3, .sources = &file, .n_sources = 1};
    if (!content)
        return;
    memset(content, 'x', (size_t)n);
    content[n] = 0;
    tk_tw_write(options, &trace);
    free(content);
}

const struct make_kind make_tracy[] = {
    {"tracy-threads", NULL, threads},     {"tracy-nesting", NULL, nesting},
    {"tracy-string", NULL, text},         {"tracy-string-zstd", NULL, text_in_zstd},
    {"tracy-locations", NULL, locations}, {"tracy-values", NULL, values},
    {"tracy-source", NULL, source},       {NULL, NULL, NULL},
};
