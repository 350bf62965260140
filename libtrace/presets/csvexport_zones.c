/*
 * Single zones, of threads and of the GPU: a row for each that has an end and took time.
 *
 * Raw, a zone without a text repeats that of the last zone of its source location that began before it and
 * has a row. Whether a zone has a row is known when it ends, so a first reading records it for zones with a
 * text, in a bit each.
 */
#include "base/text/text.h"
#include "base/wrap.h"
#include "presets/presets_in.h"

enum { CAPACITY = 5 * 24 }; /* four numbers with what is around them */

/* What is said of a source location in each row. */
struct place {
    bool known, passes;
    const struct tk_str *text; /* the last one that has a row */
    size_t at, n;              /* of "name,file,line" in texts */
};

/* Of the zones with a text, in order of start: a bit for each, set where it has a row. */
struct displayed {
    TK_VEC(uint8_t) bits;
    size_t n;
};

struct rows {
    struct tk_csvexport *x;
    struct displayed displayed;
    size_t n_texts; /* zones with a text so far */
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
    struct tk_csvexport *x = r->x;
    struct tk_buffer out = x->out, text;
    if (tk_buffer_init(&text, NULL, NULL) != TK_OK)
        return TK_ENOMEM;
    x->out = text;
    tk_csvexport_put_text(x, timer->displayed);
    tk_csvexport_put_separator(x);
    tk_csvexport_put_name(x, timer->info.file);
    if (!r->gpu)
        tk_csvexport_put_u64(x, timer->info.line);
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
    place->passes = r->gpu || tk_csvexport_passes(r->x, timer->displayed);
    return keep_text(r, place, timer);
}

static struct place *place_of_zones(struct rows *r, uint32_t timer)
{
    if (tk_vec_reserve(&r->places, (size_t)timer + 1))
        return NULL;
    while (r->places.n <= timer)
        r->places.v[r->places.n++] = (struct place){0};
    return &r->places.v[timer];
}

/* ---- the reading before ---- */

/* Without a reading before, no text is the last one. */
static bool is_visible_zones(const struct displayed *displayed, size_t text)
{
    return text < displayed->n && displayed->bits.v[text / 8] >> text % 8 & 1;
}

static int number_text(void *self, struct tk_zone *zone, uint32_t thread)
{
    struct displayed *displayed = &((struct rows *)self)->displayed;
    (void)thread;
    if (!zone->text)
        return 0;
    if (displayed->n % 8 == 0 && tk_vec_push(&displayed->bits, 0))
        return TK_ENOMEM;
    zone->number = ++displayed->n;
    return 0;
}

static int show_text(void *self, const struct tk_zone *zone, uint32_t thread, int64_t at)
{
    struct displayed *displayed = &((struct rows *)self)->displayed;
    size_t text = (size_t)zone->number - 1;
    (void)thread;
    if (zone->number && at > zone->begin)
        displayed->bits.v[text / 8] |= (uint8_t)(1u << text % 8);
    return 0;
}

static const struct tk_zone_taker texts_taker = {number_text, show_text, NULL};

/* ---- zones ---- */

static int begin_zones(void *self, struct tk_zone *zone, uint32_t thread)
{
    struct rows *r = self;
    (void)thread;
    if (zone->timer >= r->places.n && !place_of_zones(r, zone->timer))
        return TK_ENOMEM;
    struct place *place = &r->places.v[zone->timer];
    if (!zone->text)
        zone->text = place->text;
    else if (is_visible_zones(&r->displayed, r->n_texts++))
        place->text = zone->text;
    return place->known ? 0 : learn_place(r, place, zone->timer);
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
    struct tk_csvexport *x = r->x;
    tk_buffer_put(&x->out, r->texts.v + place->at, place->n);
    tk_csvexport_put_i64(x, start);
    tk_csvexport_put_i64(x, time);
    if (!r->gpu && x->layout->thread)
        tk_csvexport_put_u64(x, thread);
    if (!r->gpu && x->layout->value) {
        tk_csvexport_put_separator(x);
        tk_csvexport_put_text(x, zone->text);
    }
    tk_buffer_char(&x->out, '\n');
}

static void put_row_zones(struct rows *r, const struct place *place, int64_t start, int64_t time,
                          const struct tk_zone *zone, uint32_t thread)
{
    struct tk_buffer *out = &r->x->out;
    if (!r->before_number || out->cap - out->n < place->n + CAPACITY) {
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
        tk_csvexport_put_text(r->x, zone->text);
    tk_buffer_char(out, '\n');
}

/* Of own times, children count whatever they are. */
static int end_zones(void *self, const struct tk_zone *zone, uint32_t thread, int64_t at)
{
    struct rows *r = self;
    const struct place *place = &r->places.v[zone->timer];
    int64_t time = tk_wrap_sub(at, zone->begin);
    if (time > 0 && place->passes)
        put_row_zones(r, place, zone->begin,
                      r->x->opt->self && !r->gpu ? tk_wrap_sub(time, zone->children) : time, zone, thread);
    return r->x->out.status;
}

static const struct tk_zone_taker taker = {begin_zones, end_zones, NULL};

static int take_zones(void *self, const struct tk_batch *batch, struct tk_err *err)
{
    struct rows *r = self;
    int rc = 0;
    for (size_t i = 0; i < batch->n_runs && rc == 0; i++)
        rc = tk_zones_take(&r->zones, &batch->runs[i]);
    return rc == TK_ENOMEM ? tk_err_nomem(err, "zones") : rc;
}

static int read_zones(struct rows *r, const struct tk_zone_taker *of, uint64_t facts, struct tk_err *err)
{
    r->zones = (struct tk_zones){.taker = of,
                                 .self = r,
                                 .kind = (uint8_t)(r->gpu ? TK_LANE_GPU : TK_LANE_THREAD),
                                 .dict = &r->x->dict};
    int rc = tk_csvexport_read(r->x, facts, take_zones, r, err);
    tk_zones_release(&r->zones);
    return rc;
}

static int write_rows(struct tk_csvexport *x, bool gpu, uint64_t facts, struct tk_err *err)
{
    struct rows r = {.x = x, .gpu = gpu, .before_number = x->n_separator == 1 ? x->opt->separator : NULL};
    int rc =
        x->opt->raw && facts & TK_FACT_MASK(SCOPE_TEXT) ? read_zones(&r, &texts_taker, facts, err) : TK_OK;
    if (rc == TK_OK)
        rc = read_zones(&r, &taker, facts, err);
    tk_vec_release(&r.places);
    tk_vec_release(&r.texts);
    tk_vec_release(&r.displayed.bits);
    return rc;
}

int tk_csvexport_write_zones(struct tk_csvexport *x, struct tk_err *err)
{
    static const char *const names[] = {"name",         "src_file", "src_line", "ns_since_start",
                                        "exec_time_ns", "thread",   "value"};
    uint64_t facts = TK_FACT_MASK(SCOPES) | (x->layout->value ? TK_FACT_MASK(SCOPE_TEXT) : 0);
    tk_csvexport_put_head(x, names, 5u + x->layout->thread + x->layout->value);
    return x->no_zones ? TK_OK : write_rows(x, false, facts, err);
}

int tk_csvexport_write_gpu(struct tk_csvexport *x, struct tk_err *err)
{
    static const char *const names[] = {"name", "src_file", "Time from start of program",
                                        "GPU execution time"};
    tk_csvexport_put_head(x, names, 4);
    return write_rows(x, true, TK_FACT_MASK(GPU_SCOPES), err);
}
