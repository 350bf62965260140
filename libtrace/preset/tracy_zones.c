/*
 * Single zones, of threads and of the GPU: a row for each that has an end and took time.
 *
 * Raw, a zone without a text repeats that of the last zone of its source location that has a row. A text
 * counts from its begin on; where its zone turns out to have no row, it is taken back.
 */
#include "preset/tracy.h"

#include "base/text.h"

enum { ROOM = 5 * 24 }; /* four numbers with what is around them */

/* What is said of a source location in each row. */
struct place {
    bool known, passes;
    const struct tk_str *text; /* the last one */
    size_t at, n;              /* of "name,file,line" in texts */
};

struct rows {
    struct tk_tracy_export *x;
    struct tk_zones zones;
    TK_VEC(struct place) places; /* by timer */
    TK_VEC(char) texts;
    const char *before_number; /* the separator where it is one character, else NULL */
    bool gpu;
};

/* ---- source locations ---- */

/* Lets what is put go to the texts instead of the output. */
static int keep_text(struct rows *r, struct place *place, const struct tk_timer *timer)
{
    struct tk_tracy_export *x = r->x;
    struct tk_buffer out = x->out, text;
    if (tk_buffer_init(&text, NULL, NULL) != TK_OK)
        return TK_ENOMEM;
    x->out = text;
    tk_tracy_put_text(x, timer->shown);
    tk_tracy_put_separator(x);
    tk_tracy_put_text(x, timer->info.file);
    if (!r->gpu)
        tk_tracy_put_u64(x, timer->info.line);
    text = x->out;
    x->out = out;
    int rc = text.status < 0 || tk_vec_reserve(&r->texts, r->texts.n + text.n) ? TK_ENOMEM : TK_OK;
    if (rc == TK_OK) {
        place->at = r->texts.n;
        place->n = text.n;
        memcpy(r->texts.v + r->texts.n, text.p, text.n);
        r->texts.n += text.n;
    }
    tk_buffer_release(&text);
    return rc;
}

static int learn_place(struct rows *r, struct place *place, uint32_t id)
{
    const struct tk_timer *timer = tk_dict_timer(&r->x->dict, id);
    if (!timer)
        return TK_ENOMEM;
    place->known = true;
    place->passes = r->gpu || tk_tracy_passes(r->x, timer->shown);
    return keep_text(r, place, timer);
}

static struct place *place_of(struct rows *r, uint32_t timer)
{
    if (tk_vec_reserve(&r->places, (size_t)timer + 1))
        return NULL;
    while (r->places.n <= timer)
        r->places.v[r->places.n++] = (struct place){0};
    return &r->places.v[timer];
}

/* ---- zones ---- */

static int begin(void *self, struct tk_zone *zone, uint32_t thread)
{
    struct rows *r = self;
    (void)thread;
    if (zone->timer >= r->places.n && !place_of(r, zone->timer))
        return TK_ENOMEM;
    struct place *place = &r->places.v[zone->timer];
    zone->before = place->text;
    if (zone->text)
        place->text = zone->text;
    else if (r->x->opt->raw)
        zone->text = place->text;
    return place->known ? 0 : learn_place(r, place, zone->timer);
}

/* Where the text of a zone without a row is the last one, it is not any more. */
static void take_back(struct rows *r, const struct tk_zone *zone)
{
    struct place *place = &r->places.v[zone->timer];
    if (zone->text && place->text == zone->text)
        place->text = zone->before;
}

static int lost(void *self, const struct tk_zone *zone, uint32_t thread)
{
    (void)thread;
    take_back(self, zone);
    return 0;
}

static char *put_number(const struct rows *r, char *p, int64_t v)
{
    *p++ = *r->before_number;
    return p + tk_put_i64(p, v);
}

/* Separators of more than one character are rare. */
static void put_row_slowly(struct rows *r, const struct place *place, int64_t start, int64_t time,
                           const struct tk_zone *zone, uint32_t thread)
{
    struct tk_tracy_export *x = r->x;
    tk_buffer_put(&x->out, r->texts.v + place->at, place->n);
    tk_tracy_put_i64(x, start);
    tk_tracy_put_i64(x, time);
    if (!r->gpu && x->layout->thread)
        tk_tracy_put_u64(x, thread);
    if (!r->gpu && x->layout->value) {
        tk_tracy_put_separator(x);
        tk_tracy_put_text(x, zone->text);
    }
    tk_buffer_char(&x->out, '\n');
}

static void put_row(struct rows *r, const struct place *place, int64_t start, int64_t time,
                    const struct tk_zone *zone, uint32_t thread)
{
    struct tk_buffer *out = &r->x->out;
    if (!r->before_number || out->cap - out->n < place->n + ROOM) {
        put_row_slowly(r, place, start, time, zone, thread);
        return;
    }
    char *p = out->p + out->n;
    memcpy(p, r->texts.v + place->at, place->n);
    p = put_number(r, p + place->n, start);
    p = put_number(r, p, time);
    if (!r->gpu && r->x->layout->thread)
        p = put_number(r, p, thread);
    if (!r->gpu && r->x->layout->value)
        *p++ = *r->before_number;
    out->n = (size_t)(p - out->p);
    if (!r->gpu && r->x->layout->value && zone->text)
        tk_tracy_put_text(r->x, zone->text);
    tk_buffer_char(out, '\n');
}

/* Of own times, children count whatever they are. */
static int end(void *self, const struct tk_zone *zone, uint32_t thread, int64_t at)
{
    struct rows *r = self;
    const struct place *place = &r->places.v[zone->timer];
    int64_t time = tk_zone_minus(at, zone->begin);
    if (time <= 0) {
        take_back(r, zone);
        return 0;
    }
    if (place->passes)
        put_row(r, place, zone->begin,
                r->x->opt->self && !r->gpu ? tk_zone_minus(time, zone->children) : time, zone, thread);
    return r->x->out.status;
}

static const struct tk_zone_taker taker = {begin, end, lost};

static int take(void *self, const struct tk_batch *batch, struct tk_err *err)
{
    struct rows *r = self;
    int rc = 0;
    for (size_t i = 0; i < batch->n_runs && rc == 0; i++)
        rc = tk_zones_take(&r->zones, &batch->runs[i]);
    return rc == TK_ENOMEM ? tk_err_nomem(err, "zones") : rc;
}

static int write_rows(struct tk_tracy_export *x, bool gpu, uint64_t facts, struct tk_err *err)
{
    struct rows r = {.x = x, .gpu = gpu, .before_number = x->n_separator == 1 ? x->opt->separator : NULL};
    r.zones = (struct tk_zones){.taker = &taker,
                                .self = &r,
                                .kind = (uint8_t)(gpu ? TK_LANE_GPU : TK_LANE_THREAD),
                                .clock = &x->dict.clock};
    int rc = tk_tracy_read(x, facts, take, &r, err);
    tk_zones_release(&r.zones);
    tk_vec_release(&r.places);
    tk_vec_release(&r.texts);
    return rc;
}

int tk_tracy_write_zones(struct tk_tracy_export *x, struct tk_err *err)
{
    static const char *const names[] = {"name",         "src_file", "src_line", "ns_since_start",
                                        "exec_time_ns", "thread",   "value"};
    uint64_t facts = TK_FACT_MASK(SCOPES) | (x->layout->value ? TK_FACT_MASK(SCOPE_TEXT) : 0);
    tk_tracy_put_head(x, names, 5u + x->layout->thread + x->layout->value);
    return x->no_zones ? TK_OK : write_rows(x, false, facts, err);
}

int tk_tracy_write_gpu(struct tk_tracy_export *x, struct tk_err *err)
{
    static const char *const names[] = {"name", "src_file", "Time from start of program",
                                        "GPU execution time"};
    tk_tracy_put_head(x, names, 4);
    return write_rows(x, true, TK_FACT_MASK(GPU_SCOPES), err);
}
