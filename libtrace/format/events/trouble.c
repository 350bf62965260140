/*
 * Telling of troubles.
 */
#include "format/events/capture.h"

static const struct {
    enum tk_health_kind kind;
    const char *text;
} list[] = {
#define TROUBLE_ROW(symbol, kind, text) {TK_HEALTH_##kind, text},
    TK_EV_TROUBLES(TROUBLE_ROW)
#undef TROUBLE_ROW
};

void tk_ev_troubles_tell(const struct tk_ev_troubles *t, struct tk_health *health, const char *one,
                         const char *many)
{
    for (unsigned i = 0; i < TK_EV_TROUBLE_COUNT; i++) {
        uint64_t n = t->of[i].count;
        if (n)
            tk_health_note(health, list[i].kind, t->of[i].first, n, "%llu %s %s", (unsigned long long)n,
                           n == 1 ? one : many, list[i].text);
    }
}
