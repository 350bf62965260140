/*
 * References to strings and threads, and arguments (import 4.1, 4.2).
 */
#include "base/text/text.h"
#include "format/fuchsia/fuchsia_in.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * Tables of providers.
 */

enum { MOST_PROVIDERS = 65536 };

#define SECOND UINT64_C(1000000000)

struct tk_fx_provider *tk_fx_provider_of(const struct tk_fx_providers *p, uint32_t id)
{
    uint32_t at = tk_map_get(&p->index, id);
    return at == TK_MAP_NONE ? NULL : p->list.v[at];
}

struct tk_fx_provider *tk_fx_provider_new(struct tk_fx_providers *p, uint32_t id)
{
    struct tk_fx_provider *provider = tk_fx_provider_of(p, id);
    if (!provider) {
        provider = p->list.n < MOST_PROVIDERS ? calloc(1, sizeof *provider) : NULL;
        if (!provider || tk_vec_push(&p->list, provider)) {
            free(provider);
            return NULL;
        }
        if (tk_map_put(&p->index, id, (uint32_t)p->list.n - 1))
            return NULL;
    }
    tk_vec_release(&provider->strings);
    *provider = (struct tk_fx_provider){.id = id, .ticks = SECOND};
    return provider;
}

/* (high * 2^64 + low) / divisor, where high is below divisor. */
static uint64_t divide(uint64_t high, uint64_t low, uint64_t divisor)
{
    for (unsigned i = 0; i < 64; i++) {
        const bool carry = high >> 63;
        high = high << 1 | low >> 63;
        low <<= 1;
        if (carry || high >= divisor) {
            high -= divisor;
            low |= 1;
        }
    }
    return low;
}

static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *high)
{
    const uint64_t half = UINT32_MAX;
    uint64_t low = (a & half) * (b & half), mid = (a >> 32) * (b & half) + (low >> 32);
    uint64_t other = (a & half) * (b >> 32) + (mid & half);
    *high = (a >> 32) * (b >> 32) + (mid >> 32) + (other >> 32);
    return other << 32 | (low & half);
}

bool tk_fx_time(const struct tk_fx_provider *p, uint64_t ticks, int64_t *ns)
{
    uint64_t high = 0, value = ticks;
    if (p->ticks != SECOND) {
        uint64_t low = multiply(ticks, SECOND, &high);
        if (high >= p->ticks)
            return false;
        value = high ? divide(high, low, p->ticks) : low / p->ticks;
    }
    *ns = (int64_t)value;
    return value < INT64_MAX;
}

void tk_fx_providers_release(struct tk_fx_providers *p)
{
    for (size_t i = 0; i < p->list.n; i++) {
        tk_vec_release(&p->list.v[i]->strings);
        free(p->list.v[i]);
    }
    tk_vec_release(&p->list);
    tk_map_release(&p->index);
}

enum { INLINE = 0x8000 };

struct tk_bytes tk_fx_text(struct tk_fx_trace *t, struct tk_cur *c, size_t n)
{
    const struct tk_bytes text = tk_fx_stream(c, n);
    uint8_t any = 0;
    for (size_t i = n; text.p && i % 8; i++)
        any |= text.p[i];
    if (any)
        tk_ev_note(t->c, TK_EV_PADDING, t->offset);
    return text;
}

uint32_t tk_fx_string(struct tk_fx_trace *t, struct tk_cur *c, uint64_t ref)
{
    char made[16];
    if (!ref)
        return TK_EV_NO_NAME;
    if (ref & INLINE) {
        struct tk_bytes text = tk_fx_text(t, c, ref & (INLINE - 1));
        return text.n ? tk_ev_name_clean(&t->c->names, text.p, text.n) : TK_EV_NO_NAME;
    }
    const struct tk_fx_provider *p = t->provider;
    if (ref < p->strings.n && p->strings.v[ref])
        return p->strings.v[ref] - 1 == TK_EV_NO_NAME - 1 ? TK_EV_NO_NAME : p->strings.v[ref] - 1;
    tk_ev_note(t->c, TK_EV_UNKNOWN_STRING, t->offset);
    int n = snprintf(made, sizeof made, "?%u", (unsigned)ref);
    return tk_ev_name(&t->c->names, made, (size_t)n);
}

void tk_fx_thread(struct tk_fx_trace *t, struct tk_cur *c, uint64_t ref, uint64_t *process, uint64_t *thread)
{
    *process = *thread = 0;
    if (!ref) {
        *process = tk_fx_next(c);
        *thread = tk_fx_next(c);
    } else if (t->provider->threads[ref].known) {
        *process = t->provider->threads[ref].process;
        *thread = t->provider->threads[ref].thread;
    } else
        tk_ev_note(t->c, TK_EV_UNKNOWN_THREAD, t->offset);
}

uint32_t tk_fx_place(struct tk_fx_trace *t, uint64_t process, uint64_t thread, uint32_t *process_place)
{
    struct tk_ev_id pid = {NULL, (int64_t)process}, tid = {NULL, (int64_t)thread};
    struct tk_fx_place *place = &t->places[(process * 31 ^ thread) * UINT64_C(0x9e3779b97f4a7c15) >> 56];
    if (!place->known || place->process_koid != process || place->thread_koid != thread) {
        *place = (struct tk_fx_place){.process_koid = process, .thread_koid = thread};
        place->process = tk_ev_process(t->c, &pid);
        place->thread =
            place->process == UINT32_MAX ? UINT32_MAX : tk_ev_thread(t->c, place->process, &tid, 0);
        place->known = place->thread != UINT32_MAX;
    }
    *process_place = place->process;
    return place->thread;
}

/* ---- arguments ---- */

enum {
    ARG_NULL,
    ARG_INT32,
    ARG_UINT32,
    ARG_INT64,
    ARG_UINT64,
    ARG_DOUBLE,
    ARG_STRING,
    ARG_POINTER,
    ARG_KOID,
    ARG_BOOL,
    ARG_BLOB
};

static void read_value(struct tk_fx_trace *t, struct tk_cur *c, uint64_t header, struct tk_fx_arg *arg)
{
    switch (arg->kind) {
    case ARG_INT32:
        arg->bits = (uint64_t)(int64_t)(int32_t)(uint32_t)(header >> 32);
        break;
    case ARG_UINT32:
        arg->bits = header >> 32;
        break;
    case ARG_INT64:
    case ARG_UINT64:
    case ARG_DOUBLE:
    case ARG_POINTER:
    case ARG_KOID:
        arg->bits = tk_fx_next(c);
        break;
    case ARG_STRING:
        arg->text = tk_fx_string(t, c, tk_fx_bits(header, 32, 16));
        break;
    case ARG_BOOL:
        arg->bits = tk_fx_bits(header, 32, 1);
        break;
    case ARG_BLOB:
        arg->bits = header >> 32;
        tk_fx_stream(c, (size_t)(header >> 32));
        break;
    case ARG_NULL:
        break;
    default:
        tk_ev_note(t->c, TK_EV_UNKNOWN_ARGUMENT, t->offset);
        break;
    }
}

void tk_fx_args(struct tk_fx_trace *t, struct tk_cur *c, unsigned n)
{
    t->n_args = 0;
    for (unsigned i = 0; i < n && tk_cur_ok(c); i++) {
        uint64_t header = tk_fx_next(c);
        size_t size = (size_t)tk_fx_bits(header, 4, 12);
        const uint8_t *body = size ? tk_take(c, (size - 1) * 8, "an argument") : NULL;
        struct tk_fx_arg *arg = &t->args[i];
        if (!body) {
            tk_take(c, SIZE_MAX, "an argument");
            return;
        }
        struct tk_cur inside = tk_cur_of(body, (size - 1) * 8);
        *arg = (struct tk_fx_arg){.kind = (uint8_t)(header & 15), .text = TK_EV_NO_NAME};
        arg->name = tk_fx_string(t, &inside, tk_fx_bits(header, 16, 16));
        read_value(t, &inside, header, arg);
        if (!tk_cur_ok(&inside))
            tk_take(c, SIZE_MAX, "an argument");
        t->n_args = i + 1;
    }
}

static int put(struct tk_fx_trace *t, const void *p, size_t n)
{
    if (tk_vec_reserve(&t->text, t->text.n + n))
        return -1;
    if (n)
        memcpy(t->text.v + t->text.n, p, n);
    t->text.n += n;
    return 0;
}

static int put_name(struct tk_fx_trace *t, uint32_t name)
{
    const struct tk_str *s = tk_ev_name_text(&t->c->names, name);
    return s ? put(t, s->p, s->n) : 0;
}

static int put_value(struct tk_fx_trace *t, const struct tk_fx_arg *arg)
{
    char digits[32];
    double real;
    switch (arg->kind) {
    case ARG_NULL:
        return put(t, "null", 4);
    case ARG_INT32:
    case ARG_INT64:
        return put(t, digits, tk_put_i64(digits, (int64_t)arg->bits));
    case ARG_DOUBLE:
        memcpy(&real, &arg->bits, sizeof real);
        return put(t, digits, tk_put_real(digits, real));
    case ARG_STRING:
        return put_name(t, arg->text);
    case ARG_BOOL:
        return put(t, arg->bits ? "true" : "false", arg->bits ? 4 : 5);
    default:
        return put(t, digits, tk_put_u64(digits, arg->bits));
    }
}

enum { MOST_TEXT = 1024 };

const struct tk_str *tk_fx_args_text(struct tk_fx_trace *t)
{
    t->text.n = 0;
    for (unsigned i = 0; i < t->n_args && t->text.n < MOST_TEXT; i++) {
        if (t->n_args > 1 && (put(t, ", ", i ? 2 : 0) || put_name(t, t->args[i].name) || put(t, "=", 1)))
            return NULL;
        if (put_value(t, &t->args[i]))
            return NULL;
    }
    size_t n = t->text.n < MOST_TEXT ? t->text.n : MOST_TEXT;
    return n ? tk_ev_text(&t->c->names, t->text.v, n) : NULL;
}
