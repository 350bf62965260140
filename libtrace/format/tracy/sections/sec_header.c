/*
 * The header: what program was recorded, where and when.
 *
 *   header, text capture name, text program, times, text host                                  tracy-file 4
 */
#include "format/tracy/walk/section.h"

#include <string.h>

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

/* A number that was there. */
static int define_number(struct tk_tracy_walk *w, bool there, const char *key, struct tk_cell value)
{
    return w->defining && there ? tk_tracy_define_session(w->c, key, value) : TK_OK;
}

static int define_manufacturer(struct tk_tracy_walk *w, bool there, const struct tk_tracy_name12 *name)
{
    const uint8_t *nul = memchr(name->v, 0, sizeof name->v);
    const size_t n = nul ? (size_t)(nul - name->v) : sizeof name->v;
    if (!w->defining)
        return TK_OK;
    const struct tk_str *kept =
        tk_intern(&w->c->interned, there ? name->v : (const uint8_t *)"", there ? n : 0, TK_ENC_UTF8);
    return kept ? define_number(w, there, "CpuManufacturer", tk_cell_of_text(kept)) : TK_ENOMEM;
}

/* Fields of the header, by their places: those that are there are said, where it breaks off, too. */
#define PLACE(name, kind, role, text, when, what) AT_##name,
enum { TK_TRACY_HEADER_FIELDS(PLACE) FIELDS };

/* The number of nanoseconds a tick is garbage in imported captures, so it is passed by. */
static int define_fields(struct tk_tracy_walk *w, const struct tk_tracy_header *h, unsigned n)
{
    int rc = define_number(w, n > AT_resolution, "TimerResolution", tk_cell_of_int(h->resolution));
    if (rc == TK_OK && w->defining && n > AT_last_time)
        w->c->last_time = h->last_time;
    if (rc == TK_OK)
        rc = define_number(w, n > AT_last_time, "LastTime", tk_cell_of_int(h->last_time));
    if (rc == TK_OK)
        rc = define_number(w, n > AT_frame_offset, "FrameOffset", tk_cell_of_uint(h->frame_offset));
    if (rc == TK_OK)
        rc = define_number(w, n > AT_pid, "ProcessId", tk_cell_of_uint(h->pid));
    if (rc == TK_OK)
        rc = define_number(w, n > AT_sampling, "SamplingPeriod", tk_cell_of_int(h->sampling));
    if (rc == TK_OK)
        rc = define_manufacturer(w, n > AT_manufacturer, &h->manufacturer);
    if (rc == TK_OK)
        rc = define_number(w, n > AT_manufacturer, "CpuArchitecture", architecture_cell(h->arch));
    return rc == TK_OK ? define_number(w, n > AT_manufacturer, "CpuId", tk_cell_of_hex(h->cpu_id)) : rc;
}

/* Where no flag says so, a recording that began with a later frame was made on demand. */
static int define_on_demand(struct tk_tracy_walk *w, const struct tk_tracy_header *h)
{
    bool flag = w->c->layout.on_demand ? h->on_demand : h->frame_offset != 0;
    if (w->defining && tk_tracy_ok(&w->in))
        w->c->on_demand = flag;
    return w->defining ? define_header(w, "OnDemand", tk_cell_of_bool(flag)) : TK_OK;
}

static int define_times(struct tk_tracy_walk *w)
{
    struct tk_tracy_header_times t;
    const unsigned n = tk_tracy_step_header_times(&w->in, &t);
    if (w->defining && n && t.capture)
        w->c->clock.epoch = (double)t.capture;
    int rc = define_number(w, n > 0, "CaptureTime", tk_cell_of_uint(t.capture));
    if (rc == TK_OK && w->c->layout.exec_time)
        rc = define_number(w, n > 1, "ExecutableTime", tk_cell_of_uint(t.executable));
    return rc;
}

static int step_header(struct tk_tracy_walk *w, void *state)
{
    struct tk_tracy_header h;
    (void)state;
    w->items = 1;
    const unsigned n = tk_tracy_step_header(&w->in, &h);
    int rc = define_fields(w, &h, n);
    if (rc == TK_OK)
        rc = define_on_demand(w, &h);
    if (rc == TK_OK)
        rc = define_text(w, "CaptureName");
    if (rc == TK_OK)
        rc = define_text(w, "ProgramName");
    if (rc == TK_OK)
        rc = define_times(w);
    return rc == TK_OK ? define_text(w, "HostInfo") : rc;
}

const struct tk_tracy_section tk_tracy_sec_header = {.name = "header", .step = step_header};
