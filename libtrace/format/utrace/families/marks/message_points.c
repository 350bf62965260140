/*
 * Points and messages: see message_points.h.
 */
#include "format/utrace/families/marks/message_points.h"

#include "format/utrace/schema/printf_args.h"

#include <stdlib.h>
#include <string.h>

int tk_ut_message_point_put(struct tk_ut_message_points *s, uint64_t address,
                            const struct tk_ut_message_point *point)
{
    uint32_t i = tk_map_get(&s->index, address);
    if (i != TK_MAP_NONE) {
        s->points.v[i] = *point;
        return TK_OK;
    }
    if (tk_vec_push(&s->points, *point) || tk_map_put(&s->index, address, (uint32_t)s->points.n - 1))
        return TK_ENOMEM;
    return TK_OK;
}

const struct tk_ut_message_point *tk_ut_message_point_get(const struct tk_ut_message_points *s,
                                                          uint64_t address)
{
    uint32_t i = tk_map_get(&s->index, address);
    return i == TK_MAP_NONE || i >= s->points.n ? NULL : &s->points.v[i];
}

int tk_ut_message_point_texts(struct tk_ut_feed *feed, const struct tk_ut_event *ev, unsigned file,
                              unsigned format, struct tk_ut_message_point *point)
{
    struct tk_intern *strings = &feed->capture->strings;
    if (tk_ut_has(ev, format)) {
        point->file = tk_ut_str(feed, ev, file, 1);
        point->format = tk_ut_str(feed, ev, format, 2);
    } else {
        const uint8_t *p = ev->attachment;
        size_t n = ev->n_attachment, narrow = 0;
        while (narrow < n && p[narrow])
            narrow++;
        size_t wide = narrow < n ? narrow + 1 : n;
        point->file = tk_ut_text(strings, p, narrow, 1);
        point->format = tk_ut_text(strings, n ? p + wide : p, n - wide, 2);
    }
    return point->file && point->format ? TK_OK : TK_ENOMEM;
}

int tk_ut_message_wait(struct tk_ut_feed *feed, struct tk_ut_message_points *s, const struct tk_fact *fact,
                       uint64_t point, struct tk_ut_message_args args)
{
    struct tk_ut_message m = {*fact, point, args};
    uint8_t *copy;
    if (s->waiting.n >= feed->capture->ctx->limits.pending_logs) {
        tk_health_limit(&feed->out->health, TK_LIMIT_pending_logs, TK_NO_OFFSET, 1,
                        "a message of unknown origin was dropped");
        return TK_OK;
    }
    if (!(copy = malloc(args.bytes.n + 1)))
        return TK_ENOMEM;
    if (args.bytes.n)
        memcpy(copy, args.bytes.p, args.bytes.n);
    m.args.bytes.p = copy;
    if (tk_vec_push(&s->waiting, m)) {
        free(copy);
        return TK_ENOMEM;
    }
    return TK_OK;
}

int tk_ut_messages_finish(struct tk_ut_feed *feed, struct tk_ut_message_points *s, tk_ut_message_fn *say)
{
    int rc = TK_OK;
    for (size_t i = 0; i < s->waiting.n; i++) {
        struct tk_ut_message *m = &s->waiting.v[i];
        const struct tk_ut_message_point *point = tk_ut_message_point_get(s, m->point);
        if (!point)
            tk_health_note(&feed->out->health, TK_HEALTH_DEFINITION_MISSING, TK_NO_OFFSET, 1,
                           "a message of thread %u has no definition of its kind", m->fact.thread);
        if (rc == TK_OK)
            rc = say(feed, &m->fact, point, m->args);
        free((void *)m->args.bytes.p);
    }
    s->waiting.n = 0;
    return rc;
}

int tk_ut_message_text(struct tk_ut_feed *feed, const struct tk_str *format, struct tk_ut_message_args args,
                       struct tk_str *out)
{
    bool cut;
    if (tk_ut_format(&feed->out->arena, format, args.bytes.p, args.bytes.n, out, &cut) != TK_OK)
        return TK_ENOMEM;
    if (cut && !args.partial)
        tk_health_note(&feed->out->health, TK_HEALTH_PAYLOAD_DAMAGED,
                       feed->lane ? feed->lane->packet : TK_NO_OFFSET, 1,
                       "the arguments of a message end early");
    return TK_OK;
}

void tk_ut_message_points_release(struct tk_ut_message_points *s)
{
    for (size_t i = 0; i < s->waiting.n; i++)
        free((void *)s->waiting.v[i].args.bytes.p);
    tk_vec_release(&s->waiting);
    tk_vec_release(&s->points);
    tk_map_release(&s->index);
}
