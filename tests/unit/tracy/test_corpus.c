/*
 * Captures of many versions against what the profiler's own csvexport prints of them (tracy-file 7): its
 * lines are made here from facts alone, and compared as sets with its output. Needs TRACEKIT_CORPUS; without
 * it there is nothing to do.
 *
 * Zones and messages come from facts of their own, the rest from records.
 */
#include "opened.h"

#include "lines.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>

#define NO_ZONE SIZE_MAX

struct zone {
    uint32_t timer, thread;
    int64_t start, end; /* end -1: none */
    size_t parent;
    struct tk_str text; /* lives as long as the capture; empty: none */
};

struct timer {
    const struct tk_str *name, *file;
    uint32_t line;
};

struct reading {
    struct opened o;
    TK_VEC(struct zone) zones; /* in the order of their begins */
    TK_VEC(struct timer) timers;
    TK_VEC(size_t) stack; /* open zones of `thread` */
    uint32_t thread;
    int64_t last_time;
    unsigned minor; /* of the version */
    struct lines messages, gpu, plots;
    TK_VEC(struct zone) gpu_stack; /* timer unused; text is the name */
    TK_VEC(struct tk_str) gpu_files;
};

/* ---- zones ---- */

static void see_thread(struct reading *r, uint32_t thread)
{
    if (thread != r->thread)
        r->stack.n = 0;
    r->thread = thread;
}

static void begin_zone(struct reading *r, uint32_t timer, int64_t time)
{
    struct zone z = {.timer = timer, .thread = r->thread, .start = time, .end = -1};
    z.parent = r->stack.n ? r->stack.v[r->stack.n - 1] : NO_ZONE;
    must(tk_vec_push(&r->stack, r->zones.n) == 0);
    must(tk_vec_push(&r->zones, z) == 0);
}

static void end_zone(struct reading *r, int64_t time)
{
    must(r->stack.n > 0);
    r->zones.v[r->stack.v[--r->stack.n]].end = time;
}

static void see_run(struct reading *r, const struct tk_scope_run *run)
{
    see_thread(r, run->thread);
    for (size_t i = 0; i < run->n; i++) {
        if (run->op[i] == TK_OP_END)
            end_zone(r, run->time[i]);
        else
            begin_zone(r, run->op[i], run->time[i]);
    }
}

static void see_timer(struct reading *r, const struct tk_fact_timer *t)
{
    must(t->kind == TK_TIMER_ZONE);
    while (r->timers.n <= t->id)
        must(tk_vec_push(&r->timers, ((struct timer){0})) == 0);
    r->timers.v[t->id] = (struct timer){t->name, t->file, t->line};
}

/* ---- the other facts ---- */

static void see_session(struct reading *r, const struct tk_fact_session *s)
{
    if (is_text(s->key, "LastTime"))
        r->last_time = s->value.v.i;
    if (is_text(s->key, "TracyVersion"))
        r->minor = (unsigned)strtoul((const char *)s->value.v.p + 2, NULL, 10);
}

static void see_fact(struct reading *r, const struct tk_fact *fact)
{
    if (fact->kind == TK_FACT_TIMER)
        see_timer(r, &fact->u.timer);
    if (fact->kind == TK_FACT_SESSION)
        see_session(r, &fact->u.session);
    if (fact->kind == TK_FACT_LOG) {
        lines_put(&r->messages, fact->u.log.text.p, fact->u.log.text.n);
        lines_printf(&r->messages, ",%" PRId64 "\n", fact->time);
    }
}

static struct tk_cell cell_of(const struct tk_fact *fact, const char *name)
{
    const struct tk_record *rec = &fact->u.record.rec;
    struct tk_cell cell = {.kind = TK_NONE};
    uint32_t i = 0;
    while (i < rec->type->n_fields && !is_text(&rec->type->fields[i], name))
        i++;
    must(i < rec->type->n_fields);
    rec->type->value(rec, i, &cell);
    return cell;
}

static struct tk_str text_of(const struct tk_fact *fact, const char *name)
{
    struct tk_cell cell = cell_of(fact, name);
    return cell.kind == TK_TEXT ? (struct tk_str){cell.v.p, cell.n, cell.enc} : (struct tk_str){"", 0, 0};
}

static struct tk_str or_missing(struct tk_str s)
{
    return s.n ? s : (struct tk_str){"???", 3, TK_ENC_UTF8};
}

static void gpu_begin(struct reading *r, const struct tk_fact *fact)
{
    struct tk_cell start = cell_of(fact, "GpuStart");
    struct zone z = {.text = or_missing(text_of(fact, "Name")),
                     .start = start.kind == TK_NONE ? -1 : start.v.i};
    must(tk_vec_push(&r->gpu_stack, z) == 0);
    must(tk_vec_push(&r->gpu_files, or_missing(text_of(fact, "File"))) == 0);
}

static void gpu_end(struct reading *r, const struct tk_fact *fact)
{
    struct tk_cell end = cell_of(fact, "GpuEnd");
    must(r->gpu_stack.n > 0);
    const struct zone *z = &r->gpu_stack.v[--r->gpu_stack.n];
    struct tk_str file = r->gpu_files.v[--r->gpu_files.n];
    if (end.kind == TK_NONE || end.v.i <= z->start)
        return;
    lines_put(&r->gpu, z->text.p, z->text.n);
    lines_put(&r->gpu, ",", 1);
    lines_put(&r->gpu, file.p, file.n);
    lines_printf(&r->gpu, ",%" PRId64 ",%" PRId64 "\n", z->start, end.v.i - z->start);
}

static void plot_point(struct reading *r, const struct tk_fact *fact)
{
    struct tk_str name = or_missing(text_of(fact, "Name"));
    lines_put(&r->plots, name.p, name.n);
    lines_printf(&r->plots, ",,,%" PRId64 ",,,%f\n", fact->time, cell_of(fact, "Value").v.r);
}

static void zone_begin(struct reading *r, const struct tk_fact *fact)
{
    see_thread(r, fact->thread);
    begin_zone(r, 0, fact->time);
    r->zones.v[r->zones.n - 1].text = text_of(fact, "Text");
}

static void zone_end(struct reading *r, const struct tk_fact *fact)
{
    see_thread(r, fact->thread);
    must(cell_of(fact, "Depth").v.u == r->stack.n - 1);
    end_zone(r, fact->time);
}

static const struct {
    const char *name;
    void (*see)(struct reading *r, const struct tk_fact *fact);
} records[] = {
    {"Tracy.GpuZoneBegin", gpu_begin}, {"Tracy.GpuZoneEnd", gpu_end}, {"Tracy.PlotPoint", plot_point},
    {"Tracy.ZoneBegin", zone_begin},   {"Tracy.ZoneEnd", zone_end},
};

static void see_record(struct reading *r, const struct tk_fact *fact)
{
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        if (strcmp(fact->u.record.rec.type->name, records[i].name) == 0)
            records[i].see(r, fact);
}

static void read_all(struct reading *r, uint64_t facts)
{
    struct tk_batch batch;
    r->zones.n = r->stack.n = 0;
    r->thread = TK_NO_THREAD;
    opened_read(&r->o, facts);
    while (opened_next(&r->o, &batch)) {
        for (size_t i = 0; i < batch.n_facts; i++) {
            see_fact(r, &batch.facts[i]);
            if (batch.facts[i].kind == TK_FACT_RECORD)
                see_record(r, &batch.facts[i]);
        }
        for (size_t i = 0; i < batch.n_runs; i++)
            see_run(r, &batch.runs[i]);
    }
}

/* ---- csvexport ---- */

struct stats {
    int64_t n, total, min, max, self, self_min, self_max;
    double squares;
};

static bool is_counted(const struct zone *z)
{
    return z->end >= 0 && z->end > z->start;
}

static int64_t length_of(const struct zone *z)
{
    return z->end > z->start ? z->end - z->start : 0;
}

static void put_place(struct lines *l, const struct timer *t)
{
    lines_put(l, t->name->p, t->name->n);
    lines_put(l, ",", 1);
    lines_put(l, t->file ? t->file->p : "???", t->file ? t->file->n : 3);
    lines_printf(l, ",%" PRIu32, t->line);
}

static double deviation(const struct stats *s, int64_t mean)
{
    double squares = s->squares - 2.0 * (double)s->total * (double)mean +
                     (double)((uint64_t)mean * (uint64_t)mean * (uint64_t)s->n);
    return s->n > 1 ? sqrt(squares / (double)(s->n - 1)) : 0;
}

static void put_stats(struct lines *l, const struct timer *t, const struct stats *s, int64_t last_time,
                      bool self)
{
    int64_t total = self ? s->self : s->total, mean = (int64_t)((uint64_t)total / (uint64_t)s->n);
    put_place(l, t);
    lines_printf(l, ",%" PRId64 ",%f,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%f\n", total,
                 100.0 * (double)total / (double)last_time, s->n, mean, self ? s->self_min : s->min,
                 self ? s->self_max : s->max, deviation(s, mean));
}

static int64_t *self_times(const struct reading *r)
{
    int64_t *self = calloc(r->zones.n + 1, sizeof *self);
    ck_assert_ptr_nonnull(self);
    for (size_t i = 0; i < r->zones.n; i++) {
        const struct zone *z = &r->zones.v[i];
        self[i] += z->end - z->start;
        if (z->parent != NO_ZONE)
            self[z->parent] -= length_of(z);
    }
    return self;
}

static struct stats *sum_up(const struct reading *r)
{
    struct stats *stats = calloc(r->timers.n + 1, sizeof *stats);
    int64_t *self = self_times(r);
    ck_assert_ptr_nonnull(stats);
    for (size_t i = 0; i < r->zones.n; i++) {
        const struct zone *z = &r->zones.v[i];
        struct stats *s = &stats[z->timer];
        int64_t d = z->end - z->start;
        if (!is_counted(z))
            continue;
        s->min = s->n && s->min < d ? s->min : d;
        s->max = s->n && s->max > d ? s->max : d;
        s->self_min = s->n && s->self_min < self[i] ? s->self_min : self[i];
        s->self_max = s->n && s->self_max > self[i] ? s->self_max : self[i];
        s->n++;
        s->total += d;
        s->self += self[i];
        s->squares += (double)d * (double)d;
    }
    free(self);
    return stats;
}

static void make_stats(const struct reading *r, struct lines *l, bool self)
{
    struct stats *stats = sum_up(r);
    lines_printf(l, "name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,max_ns,std_ns\n");
    for (size_t i = 0; i < r->timers.n; i++)
        if (stats[i].n)
            put_stats(l, &r->timers.v[i], &stats[i], r->last_time, self);
    free(stats);
}

/* The value of a zone without text is the last text before it of its timer. */
static void make_unwrap(const struct reading *r, struct lines *l)
{
    struct tk_str *last = calloc(r->timers.n + 1, sizeof *last);
    ck_assert_ptr_nonnull(last);
    lines_printf(l, "name,src_file,src_line,ns_since_start,exec_time_ns%s%s\n",
                 r->minor >= 10 ? ",thread" : "", r->minor >= 12 ? ",value" : "");
    for (size_t i = 0; i < r->zones.n; i++) {
        const struct zone *z = &r->zones.v[i];
        if (!is_counted(z))
            continue;
        if (z->text.n)
            last[z->timer] = z->text;
        put_place(l, &r->timers.v[z->timer]);
        lines_printf(l, ",%" PRId64 ",%" PRId64, z->start, z->end - z->start);
        if (r->minor >= 10)
            lines_printf(l, ",%" PRIu32, z->thread);
        if (r->minor >= 12)
            lines_printf(l, ",");
        if (r->minor >= 12 && last[z->timer].n)
            lines_put(l, last[z->timer].p, last[z->timer].n);
        lines_printf(l, "\n");
    }
    free(last);
}

/* ---- truth ---- */

static char corpus[512];

/* The truth file, or the one that is said to have the same bytes. */
static bool read_truth(struct lines *l, const char *name, const char *suffix)
{
    char path[1200], wanted[512], line[1024], same[512];
    snprintf(wanted, sizeof wanted, "%s%s", name, suffix);
    snprintf(path, sizeof path, "%s/%s", corpus, wanted);
    if (lines_read(l, path))
        return true;
    snprintf(path, sizeof path, "%s/same-as.tsv", corpus);
    FILE *f = fopen(path, "rb");
    bool found = false;
    while (f && !found && fgets(line, sizeof line, f)) {
        size_t n = strcspn(line, "\t");
        found =
            n == strlen(wanted) && memcmp(line, wanted, n) == 0 && sscanf(line + n + 1, "%511s", same) == 1;
    }
    if (f)
        fclose(f);
    snprintf(path, sizeof path, "%s/%s", corpus, same);
    return found && lines_read(l, path);
}

/* Exporters before 0.10 divide by zero for a single zone. */
static void forgive_nan(struct lines *l)
{
    static const char *const forms[] = {"-nan\n", "nan\n", "inf\n"};
    for (size_t i = 0; i < 3; i++) {
        size_t n = strlen(forms[i]);
        for (size_t at = 0; at + n <= l->text.n; at++)
            if (l->text.v[at] == forms[i][0] && memcmp(l->text.v + at, forms[i], n) == 0) {
                struct lines next = {0};
                lines_put(&next, l->text.v, at);
                lines_printf(&next, "0.000000\n");
                lines_put(&next, l->text.v + at + n, l->text.n - at - n);
                tk_vec_release(&l->text);
                *l = next;
            }
    }
}

static unsigned checked;

static void check(const char *name, const char *suffix, const char *optional, struct lines *have)
{
    struct lines want = {0};
    char what[700];
    snprintf(what, sizeof what, "%s%s", name, suffix);
    if (read_truth(&want, name, suffix)) {
        forgive_nan(&want);
        lines_compare(have, &want, optional, what);
        checked++;
    }
    lines_release(&want);
    lines_release(have);
    *have = (struct lines){0};
}

static void check_zones(struct reading *r, const char *name)
{
    struct lines l = {0};
    make_stats(r, &l, false);
    check(name, ".csvexport.csv", NULL, &l);
    make_stats(r, &l, true);
    check(name, ".csvexport-self.csv", NULL, &l);
}

/* Records of zones come in the same order as their scopes and have the texts. */
static void check_records(struct reading *r, const char *name)
{
    struct reading second = {.o = r->o};
    struct lines l = {0};
    read_all(&second, TK_FACT_MASK(RECORD));
    ck_assert_uint_eq(second.zones.n, r->zones.n);
    for (size_t i = 0; i < r->zones.n; i++) {
        const struct zone *z = &second.zones.v[i];
        must(z->thread == r->zones.v[i].thread && z->start == r->zones.v[i].start &&
             z->end == r->zones.v[i].end);
        r->zones.v[i].text = z->text;
    }
    make_unwrap(r, &l);
    check(name, ".csvexport-unwrap.csv", NULL, &l);
    lines_printf(&l, "name,src_file,Time from start of program,GPU execution time\n");
    lines_put(&l, second.gpu.text.v, second.gpu.text.n);
    check(name, ".csvexport-gpu.csv", NULL, &l);
    r->o = second.o;
    tk_vec_release(&second.zones);
    tk_vec_release(&second.timers);
    tk_vec_release(&second.stack);
    tk_vec_release(&second.gpu_stack);
    tk_vec_release(&second.gpu_files);
    r->plots = second.plots;
    lines_release(&second.gpu);
    lines_release(&second.messages);
}

/* Zones with the plots; whether the peer adds plots that it makes up of memory itself is left to chance. */
static void check_plots(struct reading *r, const char *name)
{
    struct lines l = {0};
    unsigned minor = r->minor;
    r->minor = 14;
    make_unwrap(r, &l);
    r->minor = minor;
    lines_put(&l, r->plots.text.v, r->plots.text.n);
    check(name, ".csvexport-unwrap-plots.csv", ",,,", &l);
    lines_release(&r->plots);
}

static void check_messages(struct reading *r, const char *name)
{
    struct lines l = {0};
    lines_printf(&l, r->messages.text.n ? "MessageName,total_ns\n" : "There are currently no messages!\n");
    lines_put(&l, r->messages.text.v, r->messages.text.n);
    check(name, ".csvexport-messages.csv", NULL, &l);
}

static void check_capture(const char *name, unsigned jobs)
{
    struct reading r = {0};
    char path[1200];
    snprintf(path, sizeof path, "%s/%s.tracy", corpus, name);
    int rc = opened_path(&r.o, path, jobs);
    ck_assert_msg(rc == TK_OK, "%s: %s", name, r.o.err.n ? r.o.err.text[0] : "?");
    read_all(&r, TK_FACT_MASK(SCOPES) | TK_FACT_MASK(LOG));
    check_zones(&r, name);
    check_messages(&r, name);
    check_records(&r, name);
    check_plots(&r, name);
    ck_assert_uint_eq(opened_ledger(&r.o), r.o.ctx.size);
    ck_assert_msg(!r.o.ctx.health.n_items, "%s: %s", name,
                  r.o.ctx.health.n_items ? r.o.ctx.health.items[0].text : "");
    ck_assert(!r.o.capture->ops->truncated(r.o.capture) && !r.o.capture->ops->empty(r.o.capture));
    opened_close(&r.o);
    tk_vec_release(&r.zones);
    tk_vec_release(&r.timers);
    tk_vec_release(&r.stack);
    lines_release(&r.messages);
}

START_TEST(every_capture)
{
    const char *root = getenv("TRACEKIT_CORPUS");
    if (!root || !*root)
        return;
    snprintf(corpus, sizeof corpus, "%s/tracy", root);
    DIR *dir = opendir(corpus);
    ck_assert_ptr_nonnull(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        size_t n = strlen(e->d_name);
        if (n < 7 || strcmp(e->d_name + n - 6, ".tracy") != 0)
            continue;
        e->d_name[n - 6] = '\0';
        check_capture(e->d_name, _i ? 3 : 1);
    }
    closedir(dir);
    ck_assert_uint_gt(checked, 100);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {every_capture};
    return RUN_TESTS_EACH("tracy corpus", tests, 2);
}
