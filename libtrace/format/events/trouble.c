/*
 * Telling of troubles.
 */
#include "format/events/capture.h"

static const struct {
    enum tk_health_kind kind;
    const char *text;
    const char *one, *many; /* NULL: what the file consists of */
} list[] = {
#define TROUBLE_ROW(symbol, kind, text)               {TK_HEALTH_##kind, text, NULL, NULL},
#define TROUBLE_OF_ROW(symbol, kind, one, many, text) {TK_HEALTH_##kind, text, one, many},
    TK_EV_TROUBLES(TROUBLE_ROW) TK_EV_TROUBLES_OF(TROUBLE_OF_ROW)
#undef TROUBLE_ROW
#undef TROUBLE_OF_ROW
};

void tk_ev_troubles_tell(const struct tk_ev_troubles *t, struct tk_health *health, const char *one,
                         const char *many)
{
    for (unsigned i = 0; i < TK_EV_TROUBLE_COUNT; i++) {
        uint64_t n = t->of[i].count;
        const char *noun = n == 1 ? one : many;
        if (list[i].one)
            noun = n == 1 ? list[i].one : list[i].many;
        if (n)
            tk_health_note(health, list[i].kind, t->of[i].first, n, "%llu %s %s", (unsigned long long)n, noun,
                           list[i].text);
    }
}
