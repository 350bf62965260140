/*
 * Stretches of packets. See packets_ahead.h.
 */
#include "edit/utrace/stages/packets_ahead.h"

static bool read_stretch(void *ctx, size_t number, unsigned worker)
{
    struct tk_edit_packets_ahead *a = ctx;
    struct tk_edit_stretch *s = &a->v[number % TK_EDIT_STRETCHES];
    (void)worker;
    if (a->next >= a->c->index.n || a->rc != TK_OK)
        return false;
    s->first = a->next;
    a->rc = tk_ut_packet_run_read(&s->run, a->c->ctx, &a->c->index, s->first, NULL, &s->n, &a->err);
    a->next += s->n;
    return a->rc == TK_OK && s->n;
}

void tk_edit_packets_open(struct tk_edit_packets_ahead *a, struct tk_ut_capture *c, const bool *passed)
{
    *a = (struct tk_edit_packets_ahead){.c = c};
    for (size_t i = 0; i < TK_EDIT_STRETCHES; i++) {
        a->v[i].run.passed = passed;
        a->v[i].run.apart = tk_pool_jobs(c->ctx->pool) > 1;
    }
    tk_readahead_open(&a->readahead, c->ctx->pool, read_stretch, a, TK_EDIT_STRETCHES);
}

struct tk_edit_stretch *tk_edit_packets_take(struct tk_edit_packets_ahead *a)
{
    return tk_readahead_take(&a->readahead) ? &a->v[a->taken % TK_EDIT_STRETCHES] : NULL;
}

void tk_edit_packets_give_back(struct tk_edit_packets_ahead *a)
{
    a->taken++;
    tk_readahead_give_back(&a->readahead);
}

void tk_edit_packets_close(struct tk_edit_packets_ahead *a)
{
    tk_readahead_close(&a->readahead);
    for (size_t i = 0; i < TK_EDIT_STRETCHES; i++)
        tk_ut_packet_run_release(&a->v[i].run);
}
