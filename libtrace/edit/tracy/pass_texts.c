/*
 * Strings, and the sections that say what they are names of (tracy-file 5.1 to 5.5, 5.13, 5.14, 5.19). Part
 * of a pass.
 */
#include "edit/tracy/tracy_pass.h"
#include "format/tracy/walk/edits.h"

enum { REF = 9, LOCATION_REST = 8, SYMBOL_REST = 4 };

/* ---- the table ---- */

static void put_string(struct tk_tracy_pass *p, uint64_t i, uint64_t key, uint64_t n)
{
    struct tk_bytes now;
    tk_tracy_pass_put(p, key, 8);
    if (!p->text) {
        tk_tracy_pass_put(p, n, 8);
        tk_tracy_pass_copy(p, n);
        return;
    }
    tk_tracy_skip(p->in, n, "a string");
    const uint32_t roles = p->roles.v[i];
    if (!p->text(p->text_ctx, roles, &p->c->strings.v.v[i], &now)) {
        p->failed = true;
        return;
    }
    tk_tracy_pass_put(p, now.n, 8);
    tk_tracy_pass_put_bytes(p, now.p, now.n);
}

static uint64_t kept_strings(const struct tk_tracy_pass *p, uint64_t n)
{
    uint64_t kept = 0;
    for (size_t i = 0; i < p->strings.n; i++)
        kept += p->strings.v[i] != UINT32_MAX;
    return p->collects ? kept : n;
}

/* The record is one more string, with a key that no other has. */
void tk_tracy_pass_strings(struct tk_tracy_pass *p)
{
    const uint64_t n = tk_tracy_u64(p->in, "strings");
    uint64_t greatest = 0;
    p->n_strings = kept_strings(p, n);
    tk_tracy_pass_put(p, p->n_strings + (p->record != NULL), 8);
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++) {
        const uint64_t key = tk_tracy_u64(p->in, "key of a string"), size = tk_tracy_u64(p->in, "length");
        const bool known = i < p->roles.n;
        greatest = key > greatest ? key : greatest;
        if (!p->out || (p->collects && (!known || p->strings.v[i] == UINT32_MAX)))
            tk_tracy_skip(p->in, size, "a string");
        else
            put_string(p, i, key, size);
    }
    p->greatest_key = greatest;
    if (p->record && p->out) {
        tk_tracy_put(p->out, greatest + 1, 8);
        tk_tracy_put_text(p->out, p->record, p->n_record);
    }
}

/* Pointers of strings that went go, too. */
void tk_tracy_pass_pointers(struct tk_tracy_pass *p)
{
    const uint64_t n = tk_tracy_u64(p->in, "pointers of strings");
    uint64_t kept = p->collects ? 0 : n;
    for (size_t i = 0; i < p->pointers.n && p->collects; i++)
        kept += p->pointers.v[i] < p->strings.n && p->strings.v[p->pointers.v[i]] != UINT32_MAX;
    tk_tracy_pass_put(p, kept, 8);
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++) {
        const uint64_t pointer = tk_tracy_u64(p->in, "pointer"), key = tk_tracy_u64(p->in, "key");
        const uint32_t string = tk_map_get(&p->c->strings.by_key, key);
        if (!p->out)
            p->failed |= p->collects && tk_vec_push(&p->pointers, string);
        else if (!p->collects || (string < p->strings.n && p->strings.v[string] != UINT32_MAX)) {
            tk_tracy_put(p->out, pointer, 8);
            tk_tracy_put(p->out, key, 8);
        }
    }
}

/* ---- names ---- */

static void pass_key(struct tk_tracy_pass *p, enum tk_tracy_role role)
{
    tk_tracy_pass_mark_key(p, tk_tracy_pass_number(p), role);
}

void tk_tracy_pass_thread_names(struct tk_tracy_pass *p)
{
    const uint64_t own = tk_tracy_pass_number(p);
    for (uint64_t i = 0; i < own && tk_tracy_pass_going(p); i++) {
        tk_tracy_pass_copy(p, 8);
        pass_key(p, TK_TRACY_ROLE_THREAD);
    }
    const uint64_t others = tk_tracy_pass_number(p);
    for (uint64_t i = 0; i < others && tk_tracy_pass_going(p); i++) {
        tk_tracy_pass_copy(p, 8);
        pass_key(p, TK_TRACY_ROLE_PROCESS);
        pass_key(p, TK_TRACY_ROLE_THREAD);
    }
}

/* The string that is meant; NULL: none that is known. */
static const struct tk_str *string_of(const struct tk_tracy_pass *p, const uint8_t ref[REF])
{
    const struct tk_tracy_string_ref r = {tk_load64(ref), ref[8]};
    return tk_tracy_string_of_ref(&p->c->strings, r);
}

static bool pass_ref(struct tk_tracy_pass *p, enum tk_tracy_role role)
{
    uint8_t ref[REF] = {0};
    tk_tracy_copy(p->in, ref, sizeof ref, "a string");
    if (role == TK_TRACY_ROLE_INFO && tk_tracy_edit_is(string_of(p, ref)))
        role = TK_TRACY_ROLE_EDIT;
    tk_tracy_pass_mark_ref(p, ref, role);
    tk_tracy_pass_put_ref(p, ref);
    return ref[8] & 2;
}

/* What is shown of a zone is its name, else its function. */
static void pass_location(struct tk_tracy_pass *p)
{
    const bool named = pass_ref(p, TK_TRACY_ROLE_TIMER);
    pass_ref(p, named ? TK_TRACY_ROLE_FUNCTION : TK_TRACY_ROLE_TIMER);
    pass_ref(p, TK_TRACY_ROLE_FILE);
    tk_tracy_pass_copy(p, LOCATION_REST);
}

void tk_tracy_pass_locations(struct tk_tracy_pass *p)
{
    const uint64_t statics = tk_tracy_pass_number(p);
    for (uint64_t i = 0; i < statics && tk_tracy_pass_going(p); i++) {
        tk_tracy_pass_copy(p, 8);
        pass_location(p);
    }
    tk_tracy_pass_copy(p, tk_tracy_pass_number(p) * 8);
    const uint64_t dynamics = tk_tracy_pass_number(p);
    for (uint64_t i = 0; i < dynamics && tk_tracy_pass_going(p); i++)
        pass_location(p);
}

/* ---- code ---- */

void tk_tracy_pass_callstack_frames(struct tk_tracy_pass *p)
{
    const uint64_t n = tk_tracy_pass_number(p);
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++) {
        tk_tracy_pass_copy(p, 8);
        const uint8_t places = tk_tracy_u8(p->in, "positions of a frame");
        tk_tracy_pass_put(p, places, 1);
        tk_tracy_pass_index(p, TK_TRACY_ROLE_MODULE);
        for (unsigned k = 0; k < places && tk_tracy_pass_going(p); k++) {
            tk_tracy_pass_index(p, TK_TRACY_ROLE_FUNCTION);
            tk_tracy_pass_index(p, TK_TRACY_ROLE_FILE);
            tk_tracy_pass_copy(p, 4 + 8);
        }
    }
}

void tk_tracy_pass_symbols(struct tk_tracy_pass *p)
{
    tk_tracy_pass_copy(p, 16);
    const uint64_t n = tk_tracy_pass_number(p);
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++) {
        tk_tracy_pass_copy(p, 8);
        tk_tracy_pass_index(p, TK_TRACY_ROLE_FUNCTION);
        tk_tracy_pass_index(p, TK_TRACY_ROLE_FILE);
        tk_tracy_pass_copy(p, 4);
        tk_tracy_pass_index(p, TK_TRACY_ROLE_MODULE);
        tk_tracy_pass_index(p, TK_TRACY_ROLE_FILE);
        tk_tracy_pass_copy(p, 4 + SYMBOL_REST);
    }
}

/* ---- what the program says of itself ---- */

void tk_tracy_pass_put_record(struct tk_tracy_pass *p)
{
    enum { NUMBER = 3 };
    tk_tracy_pass_put(p, p->n_strings, 8);
    tk_tracy_pass_put(p, NUMBER, 1);
}

void tk_tracy_pass_app_info(struct tk_tracy_pass *p)
{
    const uint64_t n = tk_tracy_u64(p->in, "application information");
    tk_tracy_pass_put(p, n + (p->record != NULL), 8);
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++)
        pass_ref(p, TK_TRACY_ROLE_INFO);
    if (p->record)
        tk_tracy_pass_put_record(p);
}
