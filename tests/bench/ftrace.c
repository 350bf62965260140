/* What every reader of a trace of a system has to do at least. */
#include "ftrace.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { VARINT, FIXED64, BYTES, FIXED32 = 5, RUN = 16 };

struct message {
    const uint8_t *p, *end;
};

struct field {
    uint64_t number, value; /* value: the number, or how many bytes */
    const uint8_t *bytes;
    unsigned wire;
};

struct event {
    uint64_t time, number; /* number: in the order of the file */
};

struct events {
    struct event *v;
    size_t n, capacity;
};

static inline bool varint(struct message *m, uint64_t *value)
{
    unsigned shift = 7;

    if (m->p == m->end)
        return false;
    *value = *m->p & 0x7f;
    while (*m->p++ & 0x80) {
        if (m->p == m->end || shift > 63)
            return false;
        *value |= (uint64_t)(*m->p & 0x7f) << shift;
        shift += 7;
    }
    return true;
}

static inline bool skip(struct message *m, struct field *f, uint64_t bytes)
{
    if (bytes > (uint64_t)(m->end - m->p))
        return false;
    f->bytes = m->p;
    f->value = bytes;
    m->p += bytes;
    return true;
}

/* 1, 0 at the end, or -1. */
static inline int next(struct message *m, struct field *f)
{
    uint64_t tag, bytes;

    if (m->p == m->end)
        return 0;
    if (!varint(m, &tag))
        return -1;
    f->number = tag >> 3;
    f->wire = tag & 7;
    switch (f->wire) {
    case VARINT:
        return varint(m, &f->value) ? 1 : -1;
    case BYTES:
        return varint(m, &bytes) && skip(m, f, bytes) ? 1 : -1;
    default:
        return (f->wire == FIXED64 || f->wire == FIXED32) && skip(m, f, f->wire == FIXED64 ? 8 : 4) ? 1 : -1;
    }
}

static int add(struct events *events, uint64_t time)
{
    if (events->n == events->capacity) {
        size_t capacity = events->capacity ? 2 * events->capacity : 1 << 16;
        struct event *v = realloc(events->v, capacity * sizeof(*v));

        if (!v)
            return -1;
        events->v = v;
        events->capacity = capacity;
    }
    events->v[events->n] = (struct event){time, events->n};
    events->n++;
    return 0;
}

/* The content of an event: numbers and texts. */
static inline int decode(const struct field *content, struct tk_bench_ftrace *figures)
{
    struct message m = {content->bytes, content->bytes + content->value};
    struct field f;
    int rc;

    while ((rc = next(&m, &f)) == 1) {
        figures->fields++;
        figures->sum += f.wire == VARINT ? f.value : f.value ? *f.bytes : 0;
    }
    return rc;
}

static inline int take_event(const struct field *event, struct events *events,
                             struct tk_bench_ftrace *figures)
{
    struct message m = {event->bytes, event->bytes + event->value};
    struct field f;
    uint64_t time = 0;
    int rc;

    while ((rc = next(&m, &f)) == 1) {
        figures->fields++;
        if (f.number == 1)
            time = f.value;
        else if (f.wire == VARINT)
            figures->sum += f.value;
        else if (f.wire == BYTES && decode(&f, figures) < 0)
            return -1;
    }
    return rc < 0 ? -1 : add(events, time);
}

static int take_bundle(const struct field *bundle, struct events *events, struct tk_bench_ftrace *figures)
{
    struct message m = {bundle->bytes, bundle->bytes + bundle->value};
    struct field f;
    int rc;

    while ((rc = next(&m, &f)) == 1)
        if (f.number == 2 && f.wire == BYTES && take_event(&f, events, figures) < 0)
            return -1;
    return rc;
}

static int take_packet(const struct field *packet, struct events *events, struct tk_bench_ftrace *figures)
{
    struct message m = {packet->bytes, packet->bytes + packet->value};
    struct field f;
    int rc;

    figures->packets++;
    while ((rc = next(&m, &f)) == 1)
        if (f.number == 1 && f.wire == BYTES && take_bundle(&f, events, figures) < 0)
            return -1;
    return rc;
}

static inline bool before(const struct event *a, const struct event *b)
{
    return a->time != b->time ? a->time < b->time : a->number < b->number;
}

static void sort_run(struct event *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct event moved = v[i];
        size_t at = i;

        for (; at && before(&moved, &v[at - 1]); at--)
            v[at] = v[at - 1];
        v[at] = moved;
    }
}

static void merge(const struct event *a, const struct event *middle, const struct event *end,
                  struct event *out)
{
    const struct event *b = middle;

    while (a < middle && b < end)
        *out++ = before(b, a) ? *b++ : *a++;
    memcpy(out, a, (size_t)(middle - a) * sizeof(*a));
    memcpy(out + (middle - a), b, (size_t)(end - b) * sizeof(*b));
}

/* Runs, and merges from one array to the other. */
static int sort(struct events *events)
{
    struct event *from = events->v, *to = malloc((events->n ? events->n : 1) * sizeof(*to));

    if (!to)
        return -1;
    for (size_t i = 0; i < events->n; i += RUN)
        sort_run(from + i, events->n - i < RUN ? events->n - i : RUN);
    for (size_t run = RUN; run < events->n; run *= 2) {
        struct event *swapped = from;

        for (size_t i = 0; i < events->n; i += 2 * run) {
            size_t middle = events->n - i < run ? events->n : i + run;
            size_t end = events->n - i < 2 * run ? events->n : i + 2 * run;

            merge(from + i, from + middle, from + end, to + i);
        }
        from = to;
        to = swapped;
    }
    events->v = from;
    free(to);
    return 0;
}

int tk_bench_ftrace(const uint8_t *data, size_t size, struct tk_bench_ftrace *figures)
{
    struct message m = {data, data + size};
    struct events events = {0};
    struct field f;
    int rc;

    memset(figures, 0, sizeof(*figures));
    while ((rc = next(&m, &f)) == 1) {
        if (f.wire == BYTES && take_packet(&f, &events, figures) < 0) {
            rc = -1;
            break;
        }
    }
    rc = rc < 0 ? rc : sort(&events);
    for (size_t i = 1; i < events.n && rc == 0; i++)
        figures->sum += events.v[i].time - events.v[i - 1].time;
    figures->events = events.n;
    free(events.v);
    return rc;
}
