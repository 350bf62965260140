/*
 * Finds the intervals of an export, and the names of their files. Presets call it before they open files.
 */
#include "base/err.h"
#include "base/text/glob.h"
#include "base/text/path.h"
#include "base/text/text.h"
#include "base/wrap.h"
#include "engine/run.h"
#include "model/marks/bookmark_range.h"
#include "presets/presets_in.h"
#include "sink/write/value.h"

#include <stdio.h>
#include <string.h>

/*
 * Writes a file of another tool cell by cell. The presets insights and summarize write through it into an
 * output of io/output.
 */

int tk_page_open(struct tk_page *page, struct tk_output_set *set, const char *path, bool force,
                 char separator, struct tk_err *err)
{
    *page = (struct tk_page){.separator = separator};
    int rc = tk_output_open_in(&page->output, set, path, force, tk_compressing_of(path), err);
    if (rc == TK_OK)
        rc = tk_buffer_init(&page->out, page->output, err);
    if (rc == TK_OK)
        rc = tk_buffer_init_scratch(&page->clean, &page->out);
    if (rc < 0)
        tk_page_discard(page);
    page->out.err = err;
    return rc;
}

static void begin_cell(struct tk_page *page)
{
    if (page->begun)
        tk_buffer_char(&page->out, page->separator);
    page->begun = true;
}

void tk_page_u64(struct tk_page *page, uint64_t v)
{
    begin_cell(page);
    tk_buffer_u64(&page->out, v);
}

void tk_page_i64(struct tk_page *page, int64_t v)
{
    begin_cell(page);
    tk_buffer_i64(&page->out, v);
}

void tk_page_fixed(struct tk_page *page, double v, unsigned decimals)
{
    char text[TK_PUT_FIXED];
    begin_cell(page);
    tk_buffer_put(&page->out, text, tk_put_fixed(text, v, decimals));
}

void tk_page_general(struct tk_page *page, double v, unsigned digits)
{
    char text[TK_PUT_FIXED];
    begin_cell(page);
    tk_buffer_put(&page->out, text, tk_put_general(text, v, digits));
}

void tk_page_c(struct tk_page *page, const char *s)
{
    begin_cell(page);
    tk_buffer_text(&page->out, s);
}

void tk_page_text(struct tk_page *page, struct tk_str s)
{
    begin_cell(page);
    s = s.p ? tk_safe_text_clean(&page->clean, s) : (struct tk_str){.p = ""};
    if (s.n && memchr(s.p, page->separator, s.n))
        tk_buffer_quoted(&page->out, s);
    else
        tk_buffer_put(&page->out, s.p, s.n);
}

void tk_page_head(struct tk_page *page, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        tk_page_c(page, names[i]);
    tk_page_end(page);
}

void tk_page_end(struct tk_page *page)
{
    tk_buffer_char(&page->out, '\n');
    page->begun = false;
}

int tk_page_status(const struct tk_page *page)
{
    return page->out.status;
}

int tk_page_commit(struct tk_page *page, struct tk_err *err)
{
    page->out.err = err;
    int rc = tk_page_status(page);
    if (rc == TK_OK)
        rc = tk_buffer_flush(&page->out);
    if (rc == TK_OK) {
        rc = tk_output_commit(page->output, err);
        page->output = NULL;
    } else if (rc == TK_ENOMEM) {
        rc = tk_err_nomem(err, "a file");
    }
    tk_page_discard(page);
    return rc;
}

void tk_page_discard(struct tk_page *page)
{
    tk_buffer_release(&page->out);
    tk_buffer_release(&page->clean);
    tk_output_discard(page->output);
    *page = (struct tk_page){0};
}

/*
 * Turns the items of a timeline into zones. The preset `tracy` receives each zone as it ends.
 */

static struct tk_zone_lane *lane_of_zones(struct tk_zones *z, const struct tk_scope_run *run)
{
    if (tk_vec_reserve(&z->lanes, (size_t)run->lane + 1))
        return NULL;
    while (z->lanes.n <= run->lane)
        z->lanes.v[z->lanes.n++] = (struct tk_zone_lane){0};
    z->lanes.v[run->lane].thread = run->thread;
    return &z->lanes.v[run->lane];
}

/* What is not known by now stays unknown. */
static bool know_timer(struct tk_dict *dict, struct tk_zone *zone)
{
    const struct tk_timer *timer = tk_dict_timer(dict, zone->timer);
    zone->timer = timer ? (uint32_t)(timer - dict->timers.v) : TK_MAP_NONE;
    return timer != NULL;
}

static int begin_zones(struct tk_zones *z, struct tk_zone_lane *lane, struct tk_zone *zone)
{
    if ((zone->timer >= TK_LATE && !know_timer(z->dict, zone)) || tk_stack_push(&lane->open, *zone))
        return TK_ENOMEM;
    return z->taker->begin ? z->taker->begin(z->self, tk_stack_top(&lane->open), lane->thread) : 0;
}

static int end_zones(struct tk_zones *z, struct tk_zone_lane *lane, int64_t time)
{
    const struct tk_zone *zone = tk_stack_pop(&lane->open);
    struct tk_zone *around = tk_stack_top(&lane->open);
    if (!zone)
        return 0;
    if (around) {
        int64_t took = tk_wrap_sub(time, zone->begin);
        around->children = tk_wrap_add(around->children, took);
        around->counted = tk_wrap_add(around->counted, time > zone->begin ? took : 0);
    }
    return z->taker->end(z->self, zone, lane->thread, time);
}

static int lose(struct tk_zones *z, struct tk_zone_lane *lane)
{
    const struct tk_zone *zone = tk_stack_pop(&lane->open);
    struct tk_zone *around = tk_stack_top(&lane->open);
    if (!zone)
        return 0;
    if (around)
        around->children = tk_wrap_add(around->children, tk_wrap_sub(-1, zone->begin));
    return z->taker->lost ? z->taker->lost(z->self, zone, lane->thread) : 0;
}

static int lose_all(struct tk_zones *z, struct tk_zone_lane *lane)
{
    int rc = 0;
    while (lane->open.n && rc == 0)
        rc = lose(z, lane);
    return rc;
}

int tk_zones_take(struct tk_zones *z, const struct tk_scope_run *run)
{
    int rc = 0;
    if (run->kind != z->kind)
        return 0;
    const struct tk_fact_clock *clock = &z->dict->clock;
    bool in_ns = clock->frequency == 1000000000;
    struct tk_zone_lane *lane = lane_of_zones(z, run);
    if (!lane)
        return TK_ENOMEM;
    for (size_t i = 0; i < run->n && rc == 0; i++) {
        uint32_t op = run->op[i];
        int64_t time = in_ns ? run->time[i] : tk_clock_time(clock, TK_UNIT_NS, run->time[i]);
        struct tk_zone zone = {
            .begin = time, .timer = op & TK_OP_TIMER, .text = run->text ? run->text[i] : NULL};
        if (!(op & TK_OP_END))
            rc = begin_zones(z, lane, &zone);
        else if (op == TK_OP_LOSE)
            rc = lose(z, lane);
        else if (op == TK_OP_CUT || op == TK_OP_CLOSE)
            rc = lose_all(z, lane);
        else
            rc = end_zones(z, lane, time + tk_op_yields(op));
    }
    return rc;
}

int tk_zones_finish(struct tk_zones *z)
{
    int rc = 0;
    for (size_t i = 0; i < z->lanes.n && rc == 0; i++)
        rc = lose_all(z, &z->lanes.v[i]);
    return rc;
}

void tk_zones_release(struct tk_zones *z)
{
    for (size_t i = 0; i < z->lanes.n; i++)
        tk_stack_release(&z->lanes.v[i].open);
    tk_vec_release(&z->lanes);
}

struct finder {
    struct tk_intervals *list;
    const struct tk_selection *select;
    const struct tk_query_context *view;
    struct tk_region_list regions;
    struct tk_map counts; /* address of a name -> intervals so far */
};

static int open_finder(const struct tk_query_context *view, const struct tk_builder *builder, uint64_t wanted,
                       void **self, struct tk_err *err)
{
    struct finder *f = builder->user;
    (void)wanted;
    (void)err;
    f->view = view;
    tk_region_list_init(&f->regions, view->ctx, "regions");
    *self = f;
    return TK_OK;
}

static int feed_finder(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct finder *f = self;
    int rc = TK_OK;
    (void)emit;
    for (size_t i = 0; f->select->n_regions && i < batch->n_facts && rc == TK_OK; i++)
        rc = tk_region_list_feed(&f->regions, &batch->facts[i], err);
    return rc;
}

/* ---- names ---- */

const struct tk_str *tk_interval_name(struct tk_intern *names, const struct tk_str *name)
{
    struct tk_buffer clean;
    char text[TK_NAME_BYTES];
    if (tk_buffer_init(&clean, NULL, NULL))
        return NULL;
    struct tk_str s = tk_safe_text_clean(&clean, *name);
    for (; s.n && s.p[0] == ' '; s.n--)
        s.p++;
    /* no character is cut in two */
    size_t n = s.n < sizeof text ? s.n : sizeof text;
    while (n && n < s.n && ((uint8_t)s.p[n] & 0xc0) == 0x80)
        n--;
    for (size_t i = 0; i < n; i++)
        text[i] = s.p[i] && !strchr("/?:&\\*\"<>|%#@^", s.p[i]) ? s.p[i] : '_';
    while (n && text[n - 1] == ' ')
        n--;
    if (!n)
        text[n++] = '_'; /* a file has a name */
    const bool whole = clean.status == TK_OK;
    tk_buffer_release(&clean);
    return whole ? tk_intern(names, text, n, TK_ENC_UTF8) : NULL;
}

static void put_name_interval(struct tk_buffer *b, const struct tk_str *name, uint32_t number)
{
    if (name)
        tk_buffer_put(b, name->p, name->n);
    if (name && number) {
        tk_buffer_char(b, '_');
        tk_buffer_u64(b, number);
    }
}

/* On every system the same file, and one that Windows can have: no device, and nothing at its end that is
 * dropped there. There is space for one more byte. */
static void make_portable(char *path)
{
    char *name = path + tk_path_base(path);
    const size_t n = strlen(name);
    if (n && (name[n - 1] == '.' || name[n - 1] == ' '))
        name[n - 1] = '_';
    if (tk_path_is_device(name)) {
        memmove(name + 1, name, n + 1);
        *name = '_';
    }
}

char *tk_interval_path(const char *pattern, const struct tk_interval *interval, const struct tk_str *counter,
                       uint32_t number)
{
    struct tk_buffer b;
    if (tk_buffer_init(&b, NULL, NULL))
        return NULL;
    for (const char *p = pattern; *p;) {
        if (strncmp(p, "{region}", 8) == 0 || (*p == '*' && interval->name)) {
            put_name_interval(&b, interval->name, interval->number);
            p += *p == '*' ? 1 : 8;
        } else if (strncmp(p, "{counter}", 9) == 0) {
            put_name_interval(&b, counter, number);
            p += 9;
        } else {
            tk_buffer_char(&b, *p++);
        }
    }
    tk_buffer_char(&b, '\0');
    char *path = b.status < 0 ? NULL : malloc(b.n + 1);
    if (path) {
        memcpy(path, b.p, b.n);
        if (strcmp(path, pattern) != 0)
            make_portable(path);
    }
    tk_buffer_release(&b);
    return path;
}

bool tk_interval_has_region(const char *pattern)
{
    return strstr(pattern, "{region}") || strchr(pattern, '*');
}

bool tk_interval_has_counter(const char *pattern)
{
    return strstr(pattern, "{counter}") != NULL;
}

static bool ends_with(const char *path, size_t n, const char *end)
{
    const size_t m = strlen(end);
    return n >= m && tk_glob(end, m, path + n - m, m, true);
}

char tk_interval_separator(const char *path)
{
    static const char *const packed[] = {".gz", ".zst", ".lz4"};
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (ends_with(path, n, packed[i])) {
            n -= strlen(packed[i]);
            break;
        }
    return ends_with(path, n, ".csv") ? ',' : '\t';
}

/* ---- finding ---- */

static bool fits_interval(const char *pattern, const struct tk_region *region)
{
    return (region->state == TK_REGION_OPEN || region->end >= 0) &&
           tk_glob(pattern, strlen(pattern), region->name->p, region->name->n, true);
}

static bool matches(const struct tk_selection *select, const struct tk_region *region)
{
    for (size_t i = 0; i < select->n_regions; i++)
        if (fits_interval(select->regions[i], region))
            return true;
    return false;
}

static int check_pattern(const struct tk_region_list *list, const char *pattern, struct tk_err *err)
{
    for (size_t i = 0; i < list->regions.n; i++)
        if (fits_interval(pattern, &list->regions.v[i]))
            return TK_OK;
    return tk_err_set(err, TK_EMATCH, "no region matches '%s'", pattern);
}

static int add_region(struct finder *f, const struct tk_region *region, struct tk_err *err)
{
    struct tk_intervals *list = f->list;
    struct tk_interval made = {.from = region->begin, .to = INT64_MAX};
    if (region->state != TK_REGION_OPEN)
        made.to = region->end;
    made.name = tk_interval_name(&list->names, region->name);
    if (!made.name)
        return tk_err_nomem(err, "regions");
    const uint32_t count = tk_map_get(&f->counts, (uint64_t)(uintptr_t)made.name);
    made.number = count == TK_MAP_NONE ? 0 : count;
    if (made.number >= TK_INTERVALS_OF_A_NAME || list->v.n >= TK_INTERVALS)
        return tk_err_set(err, TK_ELIMIT, "there are more than %d regions of one name, or %d in all",
                          TK_INTERVALS_OF_A_NAME, TK_INTERVALS);
    if (tk_map_put(&f->counts, (uint64_t)(uintptr_t)made.name, made.number + 1) ||
        tk_vec_push(&list->v, made))
        return tk_err_nomem(err, "regions");
    return TK_OK;
}

static int add_regions(struct finder *f, struct tk_err *err)
{
    int rc = tk_region_list_pair(&f->regions, err);
    for (size_t i = 0; i < f->select->n_regions && rc == TK_OK; i++)
        rc = check_pattern(&f->regions, f->select->regions[i], err);
    for (size_t i = 0; i < f->regions.regions.n && rc == TK_OK; i++)
        if (matches(f->select, &f->regions.regions.v[i]))
            rc = add_region(f, &f->regions.regions.v[i], err);
    return rc;
}

static int finish_finder(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct finder *f = self;
    const struct tk_fact_clock *clock = &f->view->dict->clock;
    struct tk_interval one = {INT64_MIN, INT64_MAX, NULL, 0};
    (void)emit;
    f->list->clock = *clock;
    if (f->select->n_regions)
        return add_regions(f, err);
    if (f->select->has_from)
        one.from = tk_clock_first(clock, f->select->from_ns);
    if (f->select->has_to)
        one.to = tk_clock_first(clock, f->select->to_ns);
    return tk_vec_push(&f->list->v, one) ? tk_err_nomem(err, "intervals") : TK_OK;
}

int tk_intervals_find(struct tk_intervals *list, const struct tk_preset_job *job, struct tk_err *err)
{
    static const struct tk_table table = {.name = "intervals", .help = "stretches of time"};
    struct finder f = {.list = list, .select = &job->query->select};
    const struct tk_builder builder = {
        .table = &table,
        .needs = {.facts = f.select->n_regions ? TK_REGION_FACTS : 0},
        .user = &f,
        .open = open_finder,
        .feed = feed_finder,
        .finish = finish_finder,
    };
    const struct tk_builder *const builders[] = {&builder};
    const struct tk_query query = {.size = sizeof query};
    const struct tk_sink sink = {0};
    if (f.select->has_frames || f.select->from_bookmark || f.select->to_bookmark)
        return tk_err_set(err, TK_EUSAGE,
                          "this preset selects by time and region, not by frames and bookmarks");
    int rc = tk_run(job->ctx, job->capture, builders, 1, &query, &sink, err);
    tk_region_list_release(&f.regions);
    tk_map_release(&f.counts);
    return rc;
}

void tk_intervals_release(struct tk_intervals *list)
{
    tk_vec_release(&list->v);
    tk_intern_release(&list->names);
}
