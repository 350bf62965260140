/*
 * Putting events off until all have come.
 */
#include "format/perfetto/perfetto_in.h"

#include <stdio.h>
#include <string.h>

int tk_pf_put_off(struct tk_pf_trace *t, int64_t time, const struct tk_ev_key *key, int64_t value)
{
    if (t->c->pass != TK_EV_GATHER)
        return 0;
    const uint32_t what = tk_ev_ids_number(&t->system.keys, key, t->c->ctx->limits.definitions);
    if (what == TK_EV_IDS_FULL)
        t->c->left_out[TK_EV_BEYOND_SYSTEM]++;
    return what == UINT32_MAX ? -1 : what == TK_EV_IDS_FULL ? 0 : tk_ev_late(t->c, time, what, value);
}

int tk_pf_put_thread(struct tk_pf_trace *t, int64_t time, uint64_t tid, uint64_t pid)
{
    const struct tk_ev_key key = {{TK_PF_LATE_THREAD, pid}};
    return tk_pf_put_off(t, time, &key, (int64_t)tid);
}

int tk_pf_put_counter(struct tk_pf_trace *t, int64_t time, const struct tk_pf_counter_value *v)
{
    const struct tk_ev_key key = {{TK_PF_LATE_COUNTER | (uint64_t)v->whose << 8, (uint64_t)v->id, v->unit,
                                   v->name, v->value.real, v->before}};
    int64_t bits = v->value.v.i;
    if (v->value.real)
        memcpy(&bits, &v->value.v.r, sizeof bits);
    return tk_pf_put_off(t, time, &key, bits);
}

uint32_t tk_pf_device(struct tk_ev_capture *c, const char *what, int64_t number)
{
    char text[48];
    const int n = snprintf(text, sizeof text, "%s %lld", what, (long long)number);
    const struct tk_ev_id id = {tk_ev_text(&c->names, text, (size_t)n), 0};
    return id.text ? tk_ev_process(c, &id) : UINT32_MAX;
}
