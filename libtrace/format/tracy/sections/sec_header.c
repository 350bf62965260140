/*
 * The header: what program was recorded, where and when.
 *
 *   [i64 delay] i64 resolution, f64 ns a tick, i64 last time, u64 frame offset, u64 pid, i64 sampling period,
 * u8 architecture, u32 cpu, 12 manufacturer, [u8 on demand], text capture name, text program, u64 capture
 * time, [u64 time of the executable], text host tracy-file 4
 */
#include "format/tracy/walk/section.h"

#include <string.h>

#define MANUFACTURER 12

static const char *const architectures[] = {"unknown", "x86", "x64", "ARM32", "ARM64"};

static int define_header(struct tk_tracy_walk *w, const char *key, struct tk_cell value)
{
    return tk_tracy_ok(&w->in) ? tk_tracy_define_session(w->c, key, value) : TK_OK;
}

static int define_text(struct tk_tracy_walk *w, const char *key)
{
    struct tk_str text;
    uint64_t at = tk_tracy_at(&w->in), n = tk_tracy_u64(&w->in, "length of a text of the header");
    if (!w->defining) {
        tk_tracy_skip(&w->in, n, "text of the header");
        return TK_OK;
    }
    int rc = tk_tracy_text(&w->in, n, w->c->ctx->limits.event_bytes, &w->c->arena, &text);
    if (rc == TK_ELIMIT)
        tk_tracy_limit(w, TK_LIMIT_event_bytes, at, 1, "a text of the header is too long and was left out");
    return rc == TK_ENOMEM ? rc : define_header(w, key, tk_cell_of_text(&text));
}

static struct tk_cell architecture_cell(uint8_t code)
{
    const char *name =
        code < sizeof architectures / sizeof *architectures ? architectures[code] : architectures[0];
    return (struct tk_cell){.kind = TK_TEXT, .n = (uint32_t)strlen(name), .v.p = name};
}

static int define_cpu(struct tk_tracy_walk *w)
{
    struct tk_cell architecture = architecture_cell(tk_tracy_u8(&w->in, "CPU architecture"));
    uint32_t id = tk_tracy_u32(&w->in, "CPU id");
    uint8_t name[MANUFACTURER] = {0};
    struct tk_cell text = {.kind = TK_TEXT};
    tk_tracy_copy(&w->in, name, sizeof name, "CPU manufacturer");
    const uint8_t *nul = memchr(name, 0, sizeof name);
    text.n = (uint32_t)(nul ? nul - name : (ptrdiff_t)sizeof name);
    if (!w->defining)
        return TK_OK;
    const struct tk_str *kept = tk_intern(&w->c->interned, name, text.n, TK_ENC_UTF8);
    int rc = kept ? define_header(w, "CpuManufacturer", tk_cell_of_text(kept)) : TK_ENOMEM;
    if (rc == TK_OK)
        rc = define_header(w, "CpuArchitecture", architecture);
    return rc == TK_OK ? define_header(w, "CpuId", tk_cell_of_hex(id)) : rc;
}

static int define_number(struct tk_tracy_walk *w, const char *key, enum tk_kind kind)
{
    struct tk_cell value = {.kind = (uint8_t)kind, .v.u = tk_tracy_u64(&w->in, key)};
    return w->defining ? define_header(w, key, value) : TK_OK;
}

/* The number of nanoseconds a tick is garbage in imported captures, so it is passed by. */
static int define_numbers(struct tk_tracy_walk *w, uint64_t *frame_offset)
{
    tk_tracy_skip(&w->in, w->c->layout.delay ? 8 : 0, "delay");
    int rc = define_number(w, "TimerResolution", TK_INT);
    tk_tracy_skip(&w->in, 8, "nanoseconds a tick");
    int64_t last = tk_tracy_i64(&w->in, "last time");
    if (rc == TK_OK && w->defining && tk_tracy_ok(&w->in)) {
        w->c->last_time = last;
        rc = define_header(w, "LastTime", tk_cell_of_int(last));
    }
    *frame_offset = tk_tracy_u64(&w->in, "frame offset");
    if (rc == TK_OK && w->defining)
        rc = define_header(w, "FrameOffset", tk_cell_of_uint(*frame_offset));
    if (rc == TK_OK)
        rc = define_number(w, "ProcessId", TK_UINT);
    return rc == TK_OK ? define_number(w, "SamplingPeriod", TK_INT) : rc;
}

/* Where no flag says so, a recording that began with a later frame was made on demand. */
static int define_on_demand(struct tk_tracy_walk *w, uint64_t frame_offset)
{
    bool flag = w->c->layout.on_demand ? tk_tracy_u8(&w->in, "on demand") : frame_offset != 0;
    if (w->defining && tk_tracy_ok(&w->in))
        w->c->on_demand = flag;
    return w->defining ? define_header(w, "OnDemand", tk_cell_of_bool(flag)) : TK_OK;
}

static int define_times(struct tk_tracy_walk *w)
{
    uint64_t time = tk_tracy_u64(&w->in, "capture time");
    if (w->defining && tk_tracy_ok(&w->in) && time)
        w->c->clock.epoch = (double)time;
    int rc = w->defining ? define_header(w, "CaptureTime", tk_cell_of_uint(time)) : TK_OK;
    if (rc == TK_OK && w->c->layout.exec_time)
        rc = define_number(w, "ExecutableTime", TK_UINT);
    return rc;
}

static int step_header(struct tk_tracy_walk *w, void *state)
{
    uint64_t frame_offset;
    (void)state;
    w->items = 1;
    int rc = define_numbers(w, &frame_offset);
    if (rc == TK_OK)
        rc = define_cpu(w);
    if (rc == TK_OK)
        rc = define_on_demand(w, frame_offset);
    if (rc == TK_OK)
        rc = define_text(w, "CaptureName");
    if (rc == TK_OK)
        rc = define_text(w, "ProgramName");
    if (rc == TK_OK)
        rc = define_times(w);
    return rc == TK_OK ? define_text(w, "HostInfo") : rc;
}

const struct tk_tracy_section tk_tracy_sec_header = {.name = "header", .step = step_header};
