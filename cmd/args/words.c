/*
 * Words that options take.
 */
#include "args/words.h"

#include <string.h>

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

const char *const tk_words_colours[] = {"auto", "always", "never", NULL};
const char *const tk_words_orders[] = {"file", "serial", "time", NULL};
const char *const tk_words_run_orders[] = {"time", "name", "given", NULL};
const char *const tk_words_eols[] = {"lf", "crlf", NULL};
const char *const tk_words_args[] = {"none", "all", NULL};
const char *const tk_words_live_formats[] = {"text", "json", NULL};

const struct tk_word_list tk_word_lists[] = {
    {"pair-presets", LIST("tracy")},
    {"classes", LIST("users", "addresses", "paths", "commands", "project", "logs", "assets", "objects",
                     "functions", "names", "pictures", "sources", "timers", "all")},
    {"pair-tables", LIST("zones", "frames")},
    {"orders-of-scopes", LIST("start")},
    {"colours", tk_words_colours},
    {"units", LIST("ns", "us", "ms", "s", "cycles")},
    {"units-of-sql", LIST("ns", "us", "ms", "s")},
    {"orders", tk_words_orders},
    {"run-orders", tk_words_run_orders},
    {"eols", tk_words_eols},
    {"live-formats", tk_words_live_formats},
    {"args", tk_words_args},
    {"weights", LIST("time", "count", "bytes", "samples")},
    {NULL, NULL},
};

size_t tk_words_count(const char *const *words)
{
    size_t n = 0;
    while (words[n])
        n++;
    return n;
}

size_t tk_words_find(const char *const *words, const char *word)
{
    size_t i = 0;
    while (words[i] && strcmp(words[i], word) != 0)
        i++;
    return i;
}
