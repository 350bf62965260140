/*
 * Reads a name map and renames the threads and timers of a baseline by it. It runs before a comparison.
 */
#include "compare/baseline/name_map.h"

#include "base/text/text.h"
#include "compare/baseline/json_read.h"

#include <string.h>

static int read_pair(struct tk_name_map *map, const cJSON *item, bool thread, struct tk_err *err)
{
    struct tk_name_pair pair = {.thread = thread};
    if (!cJSON_IsString(item) || !*item->string || !*item->valuestring)
        return tk_err_set(err, TK_EUSAGE, "the map has no name for '%.60s'", item->string);
    pair.from = tk_intern_c(&map->names, item->string);
    pair.to = tk_json_text(&map->names, item);
    return pair.from && pair.to && !tk_vec_push(&map->v, pair) ? TK_OK : tk_err_nomem(err, "a map of names");
}

static int read_list(struct tk_name_map *map, const cJSON *list, struct tk_err *err)
{
    bool thread = strcmp(list->string, "threads") == 0;
    int rc = TK_OK;
    if (!thread && strcmp(list->string, "timers") != 0)
        return tk_err_set(err, TK_EUSAGE,
                          "the map has a key '%.60s', which is neither 'threads' nor 'timers'", list->string);
    if (!cJSON_IsObject(list))
        return tk_err_set(err, TK_EUSAGE, "'%s' of the map is not an object of names", list->string);
    for (const cJSON *c = list->child; c && rc == TK_OK; c = c->next)
        rc = read_pair(map, c, thread, err);
    return rc;
}

int tk_name_map_parse(struct tk_name_map *map, const char *text, size_t n, struct tk_err *err)
{
    cJSON *root;
    int rc = tk_json_read(&root, text, n, "the map", err);
    if (rc == TK_OK && !cJSON_IsObject(root))
        rc = tk_err_set(err, TK_EUSAGE, "the map is not a JSON object");
    for (const cJSON *c = rc == TK_OK ? root->child : NULL; c && rc == TK_OK; c = c->next)
        rc = read_list(map, c, err);
    if (rc == TK_OK && map->v.n == 0)
        rc = tk_err_set(err, TK_EUSAGE, "the map contains no names");
    cJSON_Delete(root);
    return rc;
}

void tk_name_map_release(struct tk_name_map *map)
{
    tk_vec_release(&map->v);
    tk_intern_release(&map->names);
}

/* Gives a text its new name, where it has one. 0, or -1 if out of memory. */
static int rename_text(struct tk_name_map *map, struct tk_base_run *run, bool thread,
                       const struct tk_str **text)
{
    for (size_t i = 0; i < map->v.n; i++) {
        struct tk_name_pair *pair = &map->v.v[i];
        if (pair->thread != thread || tk_str_order(pair->from, *text) != 0)
            continue;
        pair->used = true;
        *text = tk_intern(&run->names, pair->to->p, pair->to->n, (enum tk_encoding)pair->to->enc);
        return *text ? 0 : -1;
    }
    return 0;
}

static int rename_run(struct tk_name_map *map, struct tk_base_run *run, struct tk_err *err)
{
    for (size_t i = 0; i < run->series.n; i++) {
        struct tk_series *s = run->series.v[i];
        if (tk_series_has_calls(s->kind) &&
            (rename_text(map, run, false, &s->name) || rename_text(map, run, true, &s->group)))
            return tk_err_nomem(err, "a map of names");
    }
    tk_base_run_tidy(run);
    for (size_t i = 1; i < run->series.n; i++) {
        const struct tk_series *s = run->series.v[i];
        if (tk_series_has_calls(s->kind) && tk_series_compare(run->series.v[i - 1], s) == 0)
            return tk_err_set(err, TK_EUSAGE, "the map gives two timers the same name: '%.*s' of '%.*s'",
                              (int)s->name->n, s->name->p, (int)s->group->n, s->group->p);
    }
    return TK_OK;
}

int tk_name_map_apply(struct tk_name_map *map, struct tk_baseline *b, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < b->runs.n && rc == TK_OK; i++)
        rc = rename_run(map, b->runs.v[i], err);
    for (size_t i = 0; i < map->v.n && rc == TK_OK; i++) {
        const struct tk_name_pair *pair = &map->v.v[i];
        if (!pair->used)
            rc = tk_err_set(err, TK_EMATCH, "no run of the baseline has the %s '%.*s' of the map",
                            pair->thread ? "thread class" : "timer", (int)pair->from->n, pair->from->p);
    }
    return rc;
}
