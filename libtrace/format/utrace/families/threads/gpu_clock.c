/*
 * Microseconds as parts of cycles: see gpu_clock.h.
 */
#include "format/utrace/families/threads/gpu_clock.h"

#include <string.h>

#define SECOND UINT64_C(1000000)
#define DAY    UINT64_C(86400)

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool is_called(const struct tk_str *s, const char *name)
{
    return s->n == strlen(name) && memcmp(s->p, name, s->n) == 0;
}

static bool has_frames(const struct tk_ut_schema *schema)
{
    for (size_t i = 0; i < schema->types.n; i++) {
        const struct tk_ut_type *t = schema->types.v[i];
        if (is_called(t->logger, "GpuProfiler") &&
            (is_called(t->event, "Frame") || is_called(t->event, "Frame2")))
            return true;
    }
    return false;
}

uint32_t tk_ut_gpu_clock_parts(const struct tk_ut_capture *c)
{
    const uint64_t frequency = c->clock.frequency, most = (uint64_t)INT64_MAX / DAY;
    if (!frequency || frequency > most || !has_frames(&c->schema))
        return 1;
    const uint64_t parts = SECOND / common_divisor(frequency, SECOND);
    return (uint32_t)(parts <= most / frequency ? parts : most / frequency);
}

bool tk_ut_gpu_clock_time(const struct tk_ut_capture *c, uint64_t us, int64_t *time)
{
    const uint64_t frequency = c->clock.frequency, parts = c->base.parts ? c->base.parts : 1;
    if (!frequency) {
        *time = (int64_t)(us - c->clock.start);
        return us >= c->clock.start;
    }
    if (frequency > INT64_MAX / DAY || c->clock.start / frequency > INT64_MAX)
        return false;
    const uint64_t unit = frequency * parts, rest = us % SECOND;
    const int64_t seconds = (int64_t)(us / SECOND) - (int64_t)(c->clock.start / frequency);
    const int64_t within =
        (int64_t)(rest * (unit / SECOND) + (rest * (unit % SECOND) + SECOND / 2) / SECOND) -
        (int64_t)(c->clock.start % frequency * parts);
    if (seconds < -1 || seconds >= INT64_MAX / (int64_t)unit - 1)
        return false;
    *time = seconds * (int64_t)unit + within;
    return *time >= 0;
}
