/*
 * Captures of many versions against what the profiler's own csvexport prints of them (tracy-file 7): its
 * lines are made from facts alone, and compared as sets with its output. Needs TRACEKIT_CORPUS; without it
 * there is nothing to do.
 */
#include "format/tracy/csvexport.h"

#include <dirent.h>

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
