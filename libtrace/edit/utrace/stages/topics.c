/*
 * The table of topics. See topics.h.
 */
#include "edit/utrace/stages/topics.h"

#include <string.h>

/* The family of each topic, as tk_ut_family.name says it, and more words for it. */
static const struct topic {
    const char *family, *topic, *word;
} topics[] = {
    {"trace", "capture", "trace"},
    {"session", "capture", "session"},
    {"thread", "capture", "threads"},
    {"channel", "capture", "channels"},
    {"definition", "definitions", "definition"},
    {"cpu", "cpu", "scopes"},
    {"frame", "frames", "frame"},
    {"bookmark", "bookmarks", "bookmark"},
    {"region", "regions", "region"},
    {"log", "logs", "log"},
    {"screenshot", "screenshots", "screenshot"},
    {"spatial", "spatial", "points"},
    {"memory", "memory", "allocations"},
    {"context", "memory", "metadata"},
    {"callstack", "memory", "callstacks"},
    {"llm", "memory", "llm"},
    {"module", "modules", "module"},
    {"object", "objects", "object"},
    {"file", "files", "file"},
    {"load", "loading", "load"},
    {"io", "loading", "io"},
    {"http", "loading", "http"},
    {"chunk", "loading", "chunk"},
    {"cook", "loading", "cook"},
    {"net", "net", "network"},
    {"verse", "samples", "verse"},
    {"platform", "samples", "switches"},
    {"counter", "counters", "counter"},
    {"stat", "counters", "stats"},
    {"csv", "counters", "csv"},
    {"gpu", "gpu", "gpu"},
    {"task", "tasks", "task"},
    {"lock", "tasks", "locks"},
};

#define N_TOPICS (sizeof topics / sizeof *topics)

/* Its family reads which packages there are for the assets of allocations, but others refer to them, too. */
static const char *family_of(const struct tk_ut_type *t)
{
    return strcmp(t->name->p, "Package.PackageMapping") == 0 ? "load" : t->record.family;
}

static const struct topic *find_topic(const struct tk_ut_type *t)
{
    for (size_t i = 0; t->record.family && i < N_TOPICS; i++)
        if (strcmp(topics[i].family, family_of(t)) == 0)
            return &topics[i];
    return NULL;
}

const char *tk_edit_topic(const struct tk_ut_type *t)
{
    const struct topic *topic = find_topic(t);
    return topic ? topic->topic : "other";
}

static bool is_word_of(const char *word, const struct topic *t)
{
    return strcmp(word, t->topic) == 0 || strcmp(word, t->family) == 0 || strcmp(word, t->word) == 0;
}

/* Two topics have families in which single events are what a word means. */
static bool is_part(const char *word, const struct tk_ut_type *t)
{
    const bool sample = strcmp(t->name->p, "PlatformEvent.StackSample") == 0;
    const bool platform = t->record.family && strcmp(t->record.family, "platform") == 0;
    if (!platform)
        return true;
    return strcmp(word, "samples") == 0 ? sample : strcmp(word, "switches") == 0 ? !sample : true;
}

bool tk_edit_topic_has(const char *word, const struct tk_ut_type *t)
{
    const struct topic *topic = find_topic(t);
    if (!topic)
        return strcmp(word, "other") == 0;
    return is_word_of(word, topic) && is_part(word, t);
}

bool tk_edit_topic_known(const char *word)
{
    for (size_t i = 0; i < N_TOPICS; i++)
        if (is_word_of(word, &topics[i]))
            return true;
    return strcmp(word, "other") == 0;
}

const char *tk_edit_topic_word(size_t i)
{
    if (i >= N_TOPICS * 2)
        return i == N_TOPICS * 2 ? "other" : NULL;
    return i % 2 ? topics[i / 2].word : topics[i / 2].topic;
}

bool tk_edit_type_vital(const struct tk_ut_type *t)
{
    return strncmp(t->name->p, "$Trace.", 7) == 0 || strncmp(t->name->p, "Trace.", 6) == 0 ||
           strncmp(t->name->p, "Tracekit.", 9) == 0;
}
