/*
 * Stores each text once in the table `string` and returns its number. sqlite_table.c and sqlite_args.c call
 * it for each text.
 */
#include "sink/sqlite/sqlite_text.h"

#include "sink/write/safe_text.h"

#include <string.h>

#define KNOWN_BYTES (UINT64_C(32) << 20)

int tk_sqlite_texts_open(struct tk_sqlite_texts *t, const struct tk_sqlite_target *to)
{
    sqlite3_stmt *stmt;
    int rc = sqlite3_prepare_v2(to->db, "SELECT coalesce(max(id), 0) + 1 FROM string", -1, &stmt, NULL);
    if (rc != SQLITE_OK)
        return rc;
    sqlite3_step(stmt);
    t->first = sqlite3_column_int64(stmt, 0);
    if ((rc = sqlite3_finalize(stmt)) != SQLITE_OK)
        return rc;
    t->known.limit = KNOWN_BYTES;
    if (tk_sqlite_record_open(&t->record))
        return SQLITE_NOMEM;
    return tk_sqlite_rows_open(&t->rows, to, "string", "id,text", 2);
}

static int64_t store(struct tk_sqlite_texts *t, const struct tk_cell *c)
{
    const struct tk_str s = {.p = c->v.p, .n = c->n, .enc = c->enc};
    const int64_t number = t->first + t->count++;
    tk_sqlite_record_clear(&t->record);
    tk_sqlite_record_null(&t->record); /* the id is the next one */
    tk_sqlite_record_bytes(&t->record, s.p, s.n, tk_text_is_utf8(&s));
    int rc = tk_sqlite_rows_add(&t->rows, &t->record, 0);
    if (rc != SQLITE_OK && !t->failed)
        t->failed = rc;
    return number;
}

/* The number of a text that is not in its slot. *text: where it is kept, or NULL. */
static int64_t look_up(struct tk_sqlite_texts *t, const struct tk_cell *c, const struct tk_str **text)
{
    *text = tk_intern(&t->known, c->v.p, c->n, (enum tk_encoding)c->enc);
    if (!*text) {
        if (!t->known.full && !t->failed)
            t->failed = SQLITE_NOMEM;
        return store(t, c);
    }
    const uint64_t key = (uint64_t)(uintptr_t)*text;
    uint32_t found = tk_map_get(&t->numbers, key);
    if (found != TK_MAP_NONE)
        return t->first + found;
    const int64_t number = store(t, c);
    if (tk_map_put(&t->numbers, key, (uint32_t)(number - t->first)) && !t->failed)
        t->failed = SQLITE_NOMEM;
    return number;
}

int64_t tk_sqlite_texts_number(struct tk_sqlite_texts *t, const struct tk_cell *c)
{
    const uintptr_t at = (uintptr_t)c->v.p;
    struct tk_sqlite_slot *slot = &t->slots[(at >> 4 ^ at >> 16) % TK_SQLITE_SLOTS];
    if (slot->text && slot->at == c->v.p && slot->text->n == c->n && slot->text->enc == c->enc &&
        memcmp(slot->text->p, c->v.p, c->n) == 0)
        return slot->number;
    slot->number = look_up(t, c, &slot->text);
    slot->at = c->v.p;
    return slot->number;
}

int tk_sqlite_texts_finish(struct tk_sqlite_texts *t)
{
    return t->failed ? t->failed : tk_sqlite_rows_finish(&t->rows);
}

void tk_sqlite_texts_release(struct tk_sqlite_texts *t)
{
    tk_sqlite_rows_release(&t->rows);
    tk_sqlite_record_release(&t->record);
    tk_map_release(&t->numbers);
    tk_intern_release(&t->known);
}
