/* Bytes in a row go through a loop without checks, whose number of turns is bounded before
 * by bytes, space and depth; borders of pieces, the last bytes, zones without an end and what follows them go
 * event by event.
 */
#include "format/tracy/walk/zone_tree.h"

#include "base/bits.h"
#include "fact/fact.h"

#include <stdlib.h>

#define HEAD_BYTES    18
#define TAIL_BYTES    8
#define MOST_CAPACITY (UINT32_C(1) << 28)

int tk_tracy_zone_stack_open(struct tk_tracy_zone_stack *s, uint64_t most)
{
    s->most = most < MOST_CAPACITY ? (uint32_t)most : MOST_CAPACITY;
    s->latest = INT64_MAX;
    return tk_vec_reserve(&s->rest, s->most + (size_t)1) ? TK_ENOMEM : TK_OK;
}

void tk_tracy_zone_stack_release(struct tk_tracy_zone_stack *s)
{
    tk_stack_release(&s->rest);
    *s = (struct tk_tracy_zone_stack){0};
}

void tk_tracy_zones_begin(struct tk_tracy_zone_stack *s, uint32_t roots)
{
    *s = (struct tk_tracy_zone_stack){.rest = s->rest,
                                      .most = s->most,
                                      .latest = s->latest,
                                      .most_extra = s->most_extra,
                                      .left = roots,
                                      .last = INT64_MIN};
    s->rest.n = 0;
}

/* ---- event by event ---- */

static bool read_head(struct tk_tracy_zone_stack *s, struct tk_tracy_payload *in,
                      struct tk_tracy_zone_event *ev)
{
    if (s->rest.n == s->most) {
        s->too_deep = true;
        return false;
    }
    const uint8_t *p = tk_tracy_take(in, HEAD_BYTES, "begin of a zone");
    if (!p)
        return false;
    ev->begin = true;
    ev->location = (int16_t)tk_load16(p);
    ev->time = tk_tracy_after(&s->time, p + 2);
    ev->extra = tk_load32(p + 10);
    s->most_extra = ev->extra > s->most_extra ? ev->extra : s->most_extra;
    ev->children = tk_load32(p + 14);
    ev->depth = (uint32_t)s->rest.n;
    s->rest.v[s->rest.n++] = s->left - 1; /* there is space for `most` */
    s->left = ev->children;
    return true;
}

static bool read_tail(struct tk_tracy_zone_stack *s, struct tk_tracy_payload *in,
                      struct tk_tracy_zone_event *ev)
{
    const uint8_t *p = tk_tracy_take(in, TAIL_BYTES, "end of a zone");
    if (!p)
        return false;
    ev->begin = false;
    ev->time = tk_tracy_after(&s->time, p);
    s->left = *tk_stack_pop(&s->rest);
    ev->depth = (uint32_t)s->rest.n;
    return true;
}

bool tk_tracy_zones_event(struct tk_tracy_zone_stack *s, struct tk_tracy_payload *in,
                          struct tk_tracy_zone_event *ev)
{
    ev->at = tk_tracy_at(in);
    bool any = s->left ? read_head(s, in, ev) : s->rest.n && read_tail(s, in, ev);
    if (!any)
        return false;
    s->fault = tk_tracy_zone_judge(ev->time, ev->begin, s->highest, s->latest);
    s->fault_at = ev->at;
    if (ev->time > s->highest)
        s->highest = ev->time;
    return s->fault == TK_TRACY_ZONE_SOUND;
}

static void put_zone_tree(struct tk_tracy_zone_out out, size_t at, int64_t time, uint32_t op, uint32_t extra)
{
    out.time[at] = time;
    out.op[at] = op;
    if (out.extra)
        out.extra[at] = extra;
}

size_t tk_tracy_zones_write(struct tk_tracy_zone_stack *s, const struct tk_tracy_zone_event *ev,
                            struct tk_tracy_zone_out out, size_t capacity)
{
    size_t n = 0;
    if (ev && !ev->begin && ev->time < 0) {
        s->unclosed++;
        return 0;
    }
    if (ev) {
        s->held = true;
        s->held_time = ev->time;
        s->held_op = ev->begin ? out.timers[(uint16_t)ev->location] : TK_OP_END;
        s->held_extra = ev->begin ? ev->extra : 0;
    }
    for (; s->unclosed && n < capacity; s->unclosed--)
        put_zone_tree(out, n++, s->last, TK_OP_LOSE, 0);
    if (n < capacity) {
        put_zone_tree(out, n++, s->held_time, s->held_op, s->held_extra);
        s->last = s->held_time;
        s->held = false;
    }
    return n;
}

/* ---- many at once ---- */

static size_t least_zone_tree(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many turns of the loop below neither bytes, nor space, nor depth can fail; 0 behind a zone without an
 * end, where the running time is below 0. */
static size_t turns(const struct tk_tracy_zone_stack *s, const struct tk_tracy_payload *in, size_t capacity)
{
    size_t bytes = (size_t)(in->end - in->p) / TK_TRACY_ZONE_BYTES;
    if (s->time < 0)
        return 0;
    return least_zone_tree(least_zone_tree(bytes, capacity / 2), s->most - s->rest.n);
}

/* Stops where a time is behind `latest` or goes back. Each turn takes at most 26 bytes, writes at most two
 * entries and goes at most one level down. */
TK_ALWAYS_INLINE size_t run_turns(struct tk_tracy_zone_stack *s, struct tk_tracy_payload *in,
                                  struct tk_tracy_zone_out out, size_t n_turns, bool extras)
{
    const uint8_t *p = in->p;
    const uint32_t *timers = out.timers;
    int64_t *time = out.time;
    uint32_t *op = out.op;
    uint32_t *rest = s->rest.v, left = s->left, most_extra = s->most_extra;
    size_t depth = s->rest.n;
    uint64_t now = (uint64_t)s->time, latest = (uint64_t)s->latest;
    size_t n = 0;

    for (; n_turns; n_turns--) {
        if (left) {
            uint32_t children = tk_load32(p + 14);
            uint64_t wait = tk_load64(p + 2), end = now + wait;
            if (wait > latest - now)
                break;
            left--;
            const uint32_t extra = tk_load32(p + 10);
            most_extra = extra > most_extra ? extra : most_extra;
            if (extras) {
                out.extra[n] = extra;
                out.extra[n + 1] = 0;
            }
            time[n] = (int64_t)end;
            op[n++] = timers[tk_load16(p)];
            now = end;
            if (!children) {
                wait = tk_load64(p + HEAD_BYTES);
                if (wait <= latest - now) {
                    end += wait;
                    time[n] = (int64_t)end;
                    op[n++] = TK_OP_END;
                    now = end;
                    p += TK_TRACY_ZONE_BYTES;
                    continue;
                }
            }
            p += HEAD_BYTES;
            rest[depth++] = left;
            left = children;
            if (!children)
                break;
        } else {
            if (!depth || tk_load64(p) > latest - now)
                break;
            now += tk_load64(p);
            if (extras)
                out.extra[n] = 0;
            time[n] = (int64_t)now;
            op[n++] = TK_OP_END;
            left = rest[--depth];
            p += TAIL_BYTES;
        }
    }
    in->p = p;
    s->rest.n = depth;
    s->left = left;
    s->most_extra = most_extra;
    s->time = (int64_t)now;
    if (n)
        s->last = time[n - 1];
    if (n && s->last > s->highest)
        s->highest = s->last;
    return n;
}

static size_t run_fast(struct tk_tracy_zone_stack *s, struct tk_tracy_payload *in,
                       struct tk_tracy_zone_out out, size_t n_turns)
{
    return out.extra ? run_turns(s, in, out, n_turns, true) : run_turns(s, in, out, n_turns, false);
}

static struct tk_tracy_zone_out behind(struct tk_tracy_zone_out out, size_t n)
{
    return (struct tk_tracy_zone_out){out.timers, out.time + n, out.op + n, out.extra ? out.extra + n : NULL};
}

size_t tk_tracy_zones_run(struct tk_tracy_zone_stack *s, struct tk_tracy_payload *in,
                          struct tk_tracy_zone_out out, size_t capacity)
{
    struct tk_tracy_zone_event ev;
    size_t n = s->held ? tk_tracy_zones_write(s, NULL, out, capacity) : 0;
    while (n < capacity && !s->held) {
        size_t n_turns = s->unclosed ? 0 : turns(s, in, capacity - n);
        if (n_turns)
            n += run_fast(s, in, behind(out, n), n_turns);
        if (n == capacity || !tk_tracy_zones_event(s, in, &ev))
            break;
        n += tk_tracy_zones_write(s, &ev, behind(out, n), capacity - n);
    }
    return n;
}
