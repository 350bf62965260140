/*
 * The exact part of the CPU batch decoder: borders of batches, and entries of any shape, number by number
 * through the cursor. Layout: cpu_decode.h; rules: events 2.3.
 */
#include "base/vec.h"
#include "format/utrace/scopes/scopes_in.h"

/* Restored scopes of coroutines that a chunk may hold beyond one entry a byte. */
#define TK_CPU_EXTRA_MAX (UINT32_C(1) << 22)

static const char cpu_bad_entry[] = "an entry is cut or has a number of more than ten bytes";
static const char cpu_too_many[] = "coroutines restore too many scopes";

static void tk_cpu_fail(struct tk_cpu_stream *s, const char *what)
{
    s->hot.p = s->hot.end;
    s->faults[s->n_faults++] = (struct tk_cpu_fault){s->batch - 1, what};
}

static bool tk_cpu_grow(struct tk_cpu_stream *s, size_t entries)
{
    struct tk_cpu_chunk *c = s->chunk;
    size_t cap = c->cap;
    if (tk_vec_grow((void **)&c->op, &cap, entries, sizeof *c->op))
        return false;
    cap = c->cap;
    if (tk_vec_grow((void **)&c->time, &cap, entries, sizeof *c->time))
        return false;
    c->cap = cap;
    return true;
}

/* Makes space for n entries in front of the bytes from `left` on. */
static bool tk_cpu_space(struct tk_cpu_stream *s, uint64_t n, const uint8_t *left)
{
    size_t used = s->hot.out - s->first_out, bytes = (size_t)(left - s->first_byte);
    if (used + n <= bytes)
        return true;
    if (!s->grows) {
        s->full = true;
        return false;
    }
    if (used + n > bytes + TK_CPU_EXTRA_MAX) {
        tk_cpu_fail(s, cpu_too_many);
        return false;
    }
    size_t want = s->hot.out + (size_t)n + (size_t)(s->last_byte - left);
    if (want > s->chunk->cap && !tk_cpu_grow(s, want))
        s->failed = true;
    return !s->failed;
}

static void tk_cpu_put(struct tk_cpu_stream *s, uint32_t op, uint64_t times)
{
    for (; times; times--) {
        s->chunk->time[s->hot.out] = (int64_t)s->hot.time;
        s->chunk->op[s->hot.out++] = op;
    }
}

static void tk_cpu_put_begin(struct tk_cpu_stream *s, uint64_t number)
{
    const struct tk_cpu_chunk *c = s->chunk;
    bool metadata = c->form == 3 && (number & 1);
    uint64_t id = c->form == 3 ? number >> 1 : number;
    uint32_t op = !metadata && id < c->n_specs ? c->spec_timer[id] : TK_CPU_UNKNOWN;
    if (op == TK_CPU_UNKNOWN)
        s->fixups[s->n_fixups++] =
            (struct tk_cpu_fixup){s->hot.out, metadata ? TK_CPU_FIX_METADATA : TK_CPU_FIX_SPEC, id};
    tk_cpu_put(s, op, 1);
}

/* The entry at hot.p. The first one of a batch has the time itself, the others the difference to the one
 * before. */
static void tk_cpu_entry(struct tk_cpu_stream *s, bool first)
{
    const struct tk_cpu_chunk *c = s->chunk;
    struct tk_cur cur = tk_cur_of(s->hot.p, (size_t)(s->hot.end - s->hot.p));
    uint64_t v = tk_varint(&cur, "time");
    uint64_t cycles = v >> (c->form > 1 ? 2 : 1);
    bool begin = v & 1, coroutine = c->form > 1 && (v & 2);
    uint64_t number = begin ? tk_varint(&cur, "timer") : 0;
    uint64_t depth = coroutine ? tk_varint(&cur, "depth of a coroutine") : 0;
    depth = depth < c->max_depth ? depth : c->max_depth;

    if (!tk_cur_ok(&cur)) {
        tk_cpu_fail(s, cpu_bad_entry);
        return;
    }
    if (!tk_cpu_space(s, 1 + depth, cur.p))
        return;
    if (first)
        s->hot.time = cycles < c->start_cycle ? cycles : cycles - c->start_cycle;
    else
        s->hot.time += cycles;
    s->hot.p = cur.p;
    if (begin && coroutine) {
        tk_cpu_put(s, c->coroutine_timer, 1);
        tk_cpu_put(s, c->frame_timer, depth);
    } else if (begin) {
        tk_cpu_put_begin(s, number);
    } else {
        tk_cpu_put(s, TK_OP_END, 1 + depth);
    }
}

/* Takes back the last entry when the kernel read it beyond the end of its batch. */
static void tk_cpu_end_batch(struct tk_cpu_stream *s)
{
    if (s->hot.p == s->hot.end)
        return;
    s->hot.out--;
    if (s->n_fixups && s->fixups[s->n_fixups - 1].at == s->hot.out)
        s->n_fixups--;
    tk_cpu_fail(s, cpu_bad_entry);
}

static bool tk_cpu_next_batch(struct tk_cpu_stream *s)
{
    while (s->batch < s->last) {
        uint32_t size = s->chunk->sizes[s->batch];
        s->chunk->first[s->batch++] = s->hot.out;
        s->hot.p = s->next;
        s->hot.end = s->next += size;
        if (size) {
            tk_cpu_entry(s, true);
            return !s->full && !s->failed;
        }
    }
    return false;
}

bool tk_cpu_turn(struct tk_cpu_stream *s)
{
    if (s->full || s->failed)
        return false;
    if (s->hot.p < s->hot.end) {
        tk_cpu_entry(s, false);
        return !s->full && !s->failed;
    }
    tk_cpu_end_batch(s);
    return tk_cpu_next_batch(s);
}

int tk_cpu_decode_exact(struct tk_cpu_stream *s)
{
    while (tk_cpu_turn(s))
        ;
    return s->failed ? -1 : 0;
}
