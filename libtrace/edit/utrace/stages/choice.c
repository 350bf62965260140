/*
 * Words of --keep and --drop compiled to types.
 */
#include "base/text/glob.h"
#include "edit/utrace/stages/stage.h"
#include "edit/utrace/stages/stages_in.h"
#include "format/utrace/wire/index.h"

#include <stdlib.h>
#include <string.h>

/*
 * The stage that leaves out types of events.
 */

static struct tk_edit_scopes *scopes_of(struct tk_edit_chooser *s, uint32_t tid)
{
    if (!s->scopes[tid])
        s->scopes[tid] = calloc(1, sizeof **s->scopes);
    return s->scopes[tid];
}

/* Important events are of no thread. */
static bool drops(const struct tk_edit_choice *c, uint32_t tid, uint32_t type)
{
    if (type >= c->n)
        return false;
    return c->drops[type] || (c->threads && tid > TK_UT_TID_IMPORTANT && tid < TK_UT_TIDS &&
                              !c->threads[tid] && c->of_threads[type]);
}

static int take(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    struct tk_edit_chooser *s = (struct tk_edit_chooser *)stage;
    struct tk_edit_scopes *scopes = scopes_of(s, item->lane->tid);
    if (!scopes)
        return TK_ENOMEM;
    if (item->scope)
        return tk_edit_scopes_take(scopes, stage, item);
    const bool dropped = drops(s->choice, item->lane->tid, item->ev->type->id);
    const int rc = tk_edit_scopes_event(scopes, stage, item->lane, dropped);
    if (rc != TK_OK)
        return rc;
    return dropped ? tk_edit_drop(stage, item) : tk_edit_take(stage->next, item);
}

static int gap(struct tk_edit_stage *stage, struct tk_ut_lane *lane)
{
    struct tk_edit_scopes *scopes = ((struct tk_edit_chooser *)stage)->scopes[lane->tid];
    const int rc = scopes ? tk_edit_scopes_cut(scopes, stage, lane) : TK_OK;
    return rc == TK_OK ? tk_edit_gap(stage->next, lane) : rc;
}

static int end(struct tk_edit_stage *stage, struct tk_ut_lane *lane)
{
    struct tk_edit_scopes *scopes = ((struct tk_edit_chooser *)stage)->scopes[lane->tid];
    const int rc = scopes ? tk_edit_scopes_cut(scopes, stage, lane) : TK_OK;
    return rc == TK_OK ? tk_edit_end(stage->next, lane) : rc;
}

static enum tk_edit_verdict judge(const struct tk_edit_stage *stage, const struct tk_ut_type *type)
{
    const struct tk_edit_choice *c = ((const struct tk_edit_chooser *)stage)->choice;
    if (type->id >= c->n || (c->threads && c->of_threads[type->id]))
        return TK_EDIT_INSPECTS;
    return c->drops[type->id] ? TK_EDIT_GOES : TK_EDIT_STAYS_AS_IS;
}

static const struct tk_edit_stage_ops ops = {.take = take, .gap = gap, .end = end, .judge = judge};

int tk_edit_chooser_init(struct tk_edit_chooser *s, const struct tk_edit_choice *choice,
                         struct tk_edit_stage *next)
{
    tk_edit_stage_init(&s->stage, &ops, next);
    s->choice = choice;
    s->scopes = calloc(TK_UT_TIDS, sizeof *s->scopes);
    return s->scopes ? TK_OK : TK_ENOMEM;
}

void tk_edit_chooser_release(struct tk_edit_chooser *s)
{
    for (size_t i = 0; s->scopes && i < TK_UT_TIDS; i++) {
        if (s->scopes[i])
            tk_vec_release(&s->scopes[i]->dropped);
        free(s->scopes[i]);
    }
    free(s->scopes);
    *s = (struct tk_edit_chooser){0};
}

/*
 * The table of topics.
 */

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

static bool is_sample(const struct tk_ut_type *t)
{
    return strcmp(t->name->p, "PlatformEvent.StackSample") == 0;
}

const char *tk_edit_topic(const struct tk_ut_type *t)
{
    const struct topic *topic = find_topic(t);
    if (topic && strcmp(topic->family, "platform") == 0 && !is_sample(t))
        return topic->word;
    return topic ? topic->topic : "other";
}

static bool is_word_of(const char *word, const struct topic *t)
{
    return strcmp(word, t->topic) == 0 || strcmp(word, t->family) == 0 || strcmp(word, t->word) == 0;
}

/* Two topics have families in which single events are what a word means. */
static bool is_part(const char *word, const struct tk_ut_type *t)
{
    const bool sample = is_sample(t);
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

static bool names(const char *word, const struct tk_ut_type *t)
{
    return tk_edit_topic_has(word, t) || tk_glob_typed(word, strlen(word), t->name->p, t->name->n);
}

/* A word that names nothing: neither a topic that there is, nor a type of the capture. */
static int check_word(const struct tk_ut_capture *capture, const char *word, struct tk_err *err)
{
    const struct tk_ut_schema *schema = &capture->schema;
    struct tk_nearest_search near;
    const char *offered;
    if (tk_edit_topic_known(word))
        return TK_OK;
    tk_nearest_begin(&near, word);
    for (size_t i = 0; i < schema->types.n; i++) {
        if (names(word, schema->types.v[i]))
            return TK_OK;
        tk_nearest_offer(&near, schema->types.v[i]->name->p, schema->types.v[i]->name->n);
    }
    for (size_t i = 0; (offered = tk_edit_topic_word(i)) != NULL; i++)
        tk_nearest_offer(&near, offered, strlen(offered));
    return tk_nearest_fail(&near, "topic or type of event", schema->types.n, err);
}

static bool any_names(const char *const *words, size_t n, const struct tk_ut_type *t)
{
    for (size_t i = 0; i < n; i++)
        if (names(words[i], t))
            return true;
    return false;
}

static bool refers_to(const struct tk_ut_type *t, const struct tk_ut_type *definition)
{
    for (uint32_t i = 0; i < t->n_fields; i++)
        if (t->fields[i].family == TK_UT_REFERENCE && t->fields[i].ref == definition->uid)
            return true;
    return false;
}

/* Of events that go, and of none that stays? */
static bool is_left_alone(const struct tk_edit_choice *c, const struct tk_ut_schema *schema,
                          const struct tk_ut_type *definition)
{
    bool any = false;
    for (size_t i = 0; i < c->n; i++) {
        if (!refers_to(schema->types.v[i], definition))
            continue;
        if (!c->drops[i])
            return false;
        any = true;
    }
    return any;
}

/* Definitions go with the types of events that refer to them. */
static void drop_definitions(struct tk_edit_choice *c, const struct tk_ut_schema *schema)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(tk_edit_topic(schema->types.v[i]), "definitions") == 0)
            c->drops[i] |= is_left_alone(c, schema, schema->types.v[i]);
}

int tk_edit_choice_make(struct tk_edit_choice *c, const struct tk_ut_capture *capture,
                        const struct tk_edit_words *words, struct tk_err *err)
{
    const struct tk_ut_schema *schema = &capture->schema;
    int rc = TK_OK;
    *c = (struct tk_edit_choice){.drops = calloc(schema->types.n + 1, sizeof *c->drops),
                                 .of_threads = calloc(schema->types.n + 1, sizeof *c->of_threads),
                                 .n = schema->types.n,
                                 .threads = words->threads,
                                 .any = words->threads != NULL};
    if (!c->drops || !c->of_threads)
        return tk_err_nomem(err, "an edit");
    for (size_t i = 0; i < words->n_keep && rc == TK_OK; i++)
        rc = check_word(capture, words->keep[i], err);
    for (size_t i = 0; i < words->n_drop && rc == TK_OK; i++)
        rc = check_word(capture, words->drop[i], err);
    for (size_t i = 0; i < c->n && rc == TK_OK; i++) {
        const struct tk_ut_type *t = schema->types.v[i];
        const bool always =
            tk_edit_type_vital(t) || (words->n_keep && strcmp(tk_edit_topic(t), "capture") == 0);
        const bool kept = always || !words->n_keep || any_names(words->keep, words->n_keep, t);
        c->drops[i] = !kept || (!tk_edit_type_vital(t) && any_names(words->drop, words->n_drop, t));
        c->of_threads[i] =
            !tk_edit_type_vital(t) && (tk_edit_topic_has("cpu", t) || tk_edit_topic_has("logs", t));
        c->any |= c->drops[i];
    }
    if (rc == TK_OK && c->any)
        drop_definitions(c, schema);
    return rc;
}

void tk_edit_choice_release(struct tk_edit_choice *c)
{
    free(c->drops);
    free(c->of_threads);
    *c = (struct tk_edit_choice){0};
}
