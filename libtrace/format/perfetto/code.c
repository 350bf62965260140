/*
 * Interned code: functions, modules, frames and call stacks that samples refer to (import2 4). Entries are
 * kept as they stand and understood when a sample needs them, as they come in any order.
 */
#include "format/perfetto/perfetto_in.h"

#include <stdio.h>
#include <string.h>

enum { MOST_FRAMES = 4096, MOST_PARTS = 64 };

int tk_pf_code_add(struct tk_pf_code *code, enum tk_pf_code_table table, struct tk_bytes message)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    uint64_t iid = 0;
    int rc;
    while ((rc = tk_pf_next(&m, &f)) == 1)
        if (f.number == 1 && f.wire == TK_PF_VARINT)
            iid = f.value;
    if (rc < 0)
        return TK_PF_BROKEN_PACKET;
    if (tk_map_get(&code->tables[table], iid) != TK_MAP_NONE)
        return TK_PF_FINE;
    const struct tk_pf_code_entry entry = {code->bytes.n, message.n};
    if (code->entries.n >= UINT32_MAX - 1 || tk_vec_reserve(&code->bytes, code->bytes.n + message.n + 1) ||
        tk_vec_push(&code->entries, entry) ||
        tk_map_put(&code->tables[table], iid, (uint32_t)code->entries.n - 1))
        return TK_PF_NO_MEMORY;
    if (message.n)
        memcpy(code->bytes.v + code->bytes.n, message.p, message.n);
    code->bytes.n += message.n;
    return TK_PF_FINE;
}

/* The message of an iid. false: there is none. */
static bool find(const struct tk_pf_code *code, enum tk_pf_code_table table, uint64_t iid,
                 struct tk_pf_message *m)
{
    const uint32_t at = tk_map_get(&code->tables[table], iid);
    if (at == TK_MAP_NONE)
        return false;
    const struct tk_pf_code_entry *e = &code->entries.v[at];
    *m = tk_pf_message_of((struct tk_bytes){code->bytes.v + e->at, e->n});
    return true;
}

struct tk_bytes tk_pf_code_message(const struct tk_pf_code *code, enum tk_pf_code_table table, uint64_t iid)
{
    struct tk_pf_message m = {(const uint8_t *)"", NULL};
    return find(code, table, iid, &m) ? (struct tk_bytes){m.p, (size_t)(m.end - m.p)}
                                      : (struct tk_bytes){m.p, 0};
}

/* The text of an iid; of no bytes: there is none. A profile of a heap has one table of texts. */
static struct tk_bytes text_of(const struct tk_pf_code *code, enum tk_pf_code_table table, uint64_t iid)
{
    struct tk_pf_message m;
    struct tk_pf_field f;
    struct tk_bytes text = {(const uint8_t *)"", 0};
    if (!iid || !find(code, code->one_table ? TK_PF_CODE_FUNCTIONS : table, iid, &m))
        return text;
    while (tk_pf_next(&m, &f) == 1)
        text = f.number == 2 && f.wire == TK_PF_BYTES ? f.bytes : text;
    return text;
}

static uint32_t name_of(struct tk_pf_trace *t, struct tk_bytes text)
{
    return text.n ? tk_ev_name_clean(&t->c->names, text.p, text.n) : TK_EV_NO_NAME;
}

static int append(struct tk_pf_trace *t, const void *p, size_t n)
{
    if (tk_vec_reserve(&t->text, t->text.n + n + 1))
        return -1;
    if (n)
        memcpy(t->text.v + t->text.n, p, n);
    t->text.n += n;
    return 0;
}

uint32_t tk_pf_build_name(struct tk_pf_trace *t, struct tk_bytes build)
{
    static const char digits[] = "0123456789abcdef";
    t->text.n = 0;
    for (size_t i = 0; i < build.n && i < 64; i++) {
        const char two[2] = {digits[build.p[i] >> 4], digits[build.p[i] & 15]};
        if (append(t, two, 2)) {
            t->c->names.failed = true;
            return TK_EV_NO_NAME;
        }
    }
    return name_of(t, (struct tk_bytes){t->text.v, t->text.n});
}

/* The path of a module is its parts, each behind a slash. */
static int read_mapping(struct tk_pf_trace *t, const struct tk_pf_code *code, struct tk_pf_message m,
                        struct tk_ev_code_frame *out)
{
    struct tk_bytes parts[MOST_PARTS], build = {(const uint8_t *)"", 0};
    struct tk_pf_field f;
    const uint8_t *at;
    uint64_t iid;
    size_t n = 0;
    while (tk_pf_next(&m, &f) == 1) {
        if (f.number == 2 && f.wire == TK_PF_VARINT)
            build = text_of(code, TK_PF_CODE_BUILDS, f.value);
        for (at = NULL; f.number == 7 && n < MOST_PARTS && tk_pf_number(&f, TK_PF_VARINT, &at, &iid) == 1;)
            parts[n++] = text_of(code, TK_PF_CODE_PATHS, iid);
    }
    out->build = code->one_table ? name_of(t, build) : tk_pf_build_name(t, build);
    const bool whole = n == 1 && parts[0].n && (parts[0].p[0] == '/' || parts[0].p[0] == '[');
    t->text.n = 0;
    for (size_t i = 0; i < n; i++)
        if ((!whole && append(t, "/", 1)) || append(t, parts[i].p, parts[i].n))
            return -1;
    out->module = name_of(t, (struct tk_bytes){t->text.v, t->text.n});
    return t->c->names.failed ? -1 : 0;
}

/* A function of which nothing is known but perhaps where it is. */
static uint32_t unnamed(struct tk_pf_trace *t, const struct tk_ev_code_frame *f)
{
    char text[32];
    snprintf(text, sizeof text, f->has_address ? "0x%llx" : "[unknown]", (unsigned long long)f->address);
    return tk_ev_name(&t->c->names, text, strlen(text));
}

/* 1: *out is the frame; 0: something of it is not defined; -1 without memory. */
static int read_frame(struct tk_pf_trace *t, const struct tk_pf_code *code, uint64_t iid,
                      struct tk_ev_code_frame *out)
{
    struct tk_pf_message m, mapping;
    struct tk_pf_field f;
    *out = (struct tk_ev_code_frame){
        .function = TK_EV_NO_NAME, .file = TK_EV_NO_NAME, .module = TK_EV_NO_NAME, .build = TK_EV_NO_NAME};
    if (!find(code, TK_PF_CODE_FRAMES, iid, &m))
        return 0;
    while (tk_pf_next(&m, &f) == 1) {
        if (f.wire != TK_PF_VARINT)
            continue;
        if (f.number == 2)
            out->function = name_of(t, text_of(code, TK_PF_CODE_FUNCTIONS, f.value));
        else if (f.number == 5)
            out->file = name_of(t, text_of(code, TK_PF_CODE_SOURCES, f.value));
        else if (f.number == 6)
            out->line = f.value <= UINT32_MAX ? (uint32_t)f.value : 0;
        else if (f.number == 4)
            out->address = f.value, out->has_address = true;
        else if (f.number == 3 && f.value) {
            if (!find(code, TK_PF_CODE_MAPPINGS, f.value, &mapping))
                return 0;
            if (read_mapping(t, code, mapping, out))
                return -1;
        }
    }
    if (out->function == TK_EV_NO_NAME && out->module == TK_EV_NO_NAME)
        out->function = unnamed(t, out);
    return t->c->names.failed ? -1 : 1;
}

/* The frames of a stack, which the entry has outermost first: innermost first. 1, 0 and -1 as above. */
static int read_stack(struct tk_pf_trace *t, const struct tk_pf_code *code, uint64_t iid, uint32_t *stack)
{
    struct tk_pf_message m;
    struct tk_pf_field f;
    struct tk_ev_code_frame frame;
    const uint8_t *at;
    uint64_t number;
    int rc = 1;
    tk_pf_names frames = {0}; /* places of frames */
    if (!find(code, TK_PF_CODE_STACKS, iid, &m))
        return 0;
    while (rc == 1 && tk_pf_next(&m, &f) == 1)
        for (at = NULL; rc == 1 && f.number == 2 && tk_pf_number(&f, TK_PF_VARINT, &at, &number) == 1;) {
            rc = frames.n < MOST_FRAMES ? read_frame(t, code, number, &frame) : 0;
            const uint32_t place = rc == 1 ? tk_ev_code_frame(t->c, &frame) : 0;
            if (rc == 1 && (place == UINT32_MAX || tk_vec_push(&frames, place)))
                rc = -1;
        }
    for (size_t i = 0; i < frames.n / 2; i++) {
        const uint32_t swapped = frames.v[i];
        frames.v[i] = frames.v[frames.n - 1 - i];
        frames.v[frames.n - 1 - i] = swapped;
    }
    *stack = rc == 1 && frames.n ? tk_ev_stack(t->c, frames.v, frames.n) : 0;
    tk_vec_release(&frames);
    return *stack == UINT32_MAX ? -1 : rc;
}

int tk_pf_code_stack(struct tk_pf_trace *t, struct tk_pf_code *code, uint64_t iid, uint64_t offset,
                     uint32_t *stack)
{
    const uint32_t known = tk_map_get(&code->stacks, iid);
    *stack = 0;
    if (known != TK_MAP_NONE) {
        *stack = known;
        return TK_PF_FINE;
    }
    const int rc = read_stack(t, code, iid, stack);
    if (rc == 0)
        tk_pf_note(t, TK_EV_UNKNOWN_STACK, offset);
    return tk_pf_kept(rc < 0 || (rc == 1 && tk_map_put(&code->stacks, iid, *stack)) ? -1 : 0);
}

void tk_pf_code_release(struct tk_pf_code *code)
{
    for (unsigned i = 0; i < TK_PF_CODE_TABLES; i++)
        tk_map_release(&code->tables[i]);
    tk_map_release(&code->stacks);
    tk_vec_release(&code->entries);
    tk_vec_release(&code->bytes);
}
