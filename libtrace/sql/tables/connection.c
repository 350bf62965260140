/*
 * What all tables of a connection share is made and freed here. See connection.h.
 */
#include "base/struct_size.h"
#include "base/text/path.h"
#include "sql/tables/store.h"

#include <string.h>

int tk_sql_connection_new(struct tk_sql_connection **out, sqlite3 *db, const struct tk_options *options,
                          struct tk_err *err)
{
    struct tk_sql_connection *c = calloc(1, sizeof *c);
    *out = NULL;
    if (!c)
        return tk_err_nomem(err, "a database");
    c->options = TK_INIT(struct tk_options);
    int rc = tk_struct_size_take(&c->options, sizeof c->options, options, "the options", err);
    if (rc < 0) {
        free(c);
        return rc;
    }
    c->db = db;
    c->budget = TK_SQL_BUDGET;
    tk_intern_bound(&c->texts, c->budget, NULL);
    *out = c;
    return TK_OK;
}

static void free_source(struct tk_sql_connection *c, struct tk_sql_source *s)
{
    for (size_t i = 0; i < s->handles.n; i++)
        s->handles.v[i].busy = false;
    tk_sql_source_close(c, s);
    tk_vec_release(&s->handles);
    free(s->path);
    free(s->name);
    free(s);
}

void tk_sql_connection_free(struct tk_sql_connection *c)
{
    if (!c)
        return;
    tk_sql_stores_release(c);
    for (size_t g = 0; g < c->groups.n; g++) {
        struct tk_sql_group *group = c->groups.v[g];
        for (size_t i = 0; i < group->sources.n; i++)
            free_source(c, group->sources.v[i]);
        tk_vec_release(&group->sources);
        free(group->schema);
        free(group);
    }
    tk_vec_release(&c->groups);
    tk_sql_numbers_release(c);
    tk_intern_release(&c->texts);
    free(c);
}

void tk_sql_asked_note(struct tk_sql_connection *c, const void *part, bool found, const struct tk_err *err)
{
    size_t i = 0;
    while (i < c->n_asked && c->asked[i].part != part)
        i++;
    if (i == TK_SQL_ASKED)
        return;
    if (i == c->n_asked)
        c->asked[c->n_asked++] = (struct tk_sql_asked){.part = part};
    c->asked[i].found |= found;
    if (!found && err)
        c->asked[i].err = *err;
}

int tk_sql_asked_end(const struct tk_sql_connection *c, struct tk_err *err)
{
    for (size_t i = 0; i < c->n_asked; i++)
        if (!c->asked[i].found) {
            if (err)
                *err = c->asked[i].err;
            return TK_EMATCH;
        }
    return TK_OK;
}

int tk_sql_group_new(struct tk_sql_group **out, struct tk_sql_connection *c, const char *schema,
                     struct tk_err *err)
{
    struct tk_sql_group *group = calloc(1, sizeof *group);
    char *copy = tk_sql_copy(schema);
    *out = NULL;
    if (!group || !copy || tk_vec_push(&c->groups, group)) {
        free(group);
        free(copy);
        return tk_err_nomem(err, "a database");
    }
    group->schema = copy;
    *out = group;
    return TK_OK;
}

static const char *last_name(const char *path)
{
    return path + tk_path_base(path);
}

int tk_sql_source_add(struct tk_sql_source **out, struct tk_sql_group *group, const char *path,
                      struct tk_err *err)
{
    struct tk_sql_source *s = calloc(1, sizeof *s);
    if (out)
        *out = s;
    if (s) {
        s->path = tk_sql_copy(path);
        s->name = tk_sql_copy(last_name(path));
        s->id = (int64_t)group->sources.n + 1;
        if (s->path && s->name && !tk_vec_push(&group->sources, s))
            return TK_OK;
        free(s->path);
        free(s->name);
        free(s);
    }
    return tk_err_nomem(err, "a capture");
}
