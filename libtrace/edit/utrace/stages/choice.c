/*
 * Words of --keep and --drop compiled to types. See choice.h.
 */
#include "edit/utrace/stages/choice.h"

#include "base/text/glob.h"
#include "base/text/nearest.h"
#include "edit/utrace/stages/topics.h"

#include <stdlib.h>
#include <string.h>

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
    return rc;
}

void tk_edit_choice_release(struct tk_edit_choice *c)
{
    free(c->drops);
    free(c->of_threads);
    *c = (struct tk_edit_choice){0};
}
