/*
 * From addresses to frames by DWARF, unit by unit.
 */
#include "symbols/dwarf/dwarf_in.h"

enum { MOST_FRAMES = 256, RANGE_FUEL = 16 };

/* A question that a unit may know the answer of. */
struct job {
    TK_VEC(uint32_t) questions;
    TK_VEC(uint64_t) addresses;
    TK_VEC(uint32_t) innermost;
    TK_VEC(struct tk_dw_row) rows;
};

struct resolve {
    const struct tk_dwarf *dwarf;
    struct tk_sym_question *questions;
    size_t n;
    struct tk_sym_answers *answers;
    struct tk_dw_fuel fuel;
    struct tk_dw_abbrevs abbrevs, split_abbrevs;
    struct job job;
    struct tk_dw_functions functions;
    struct tk_dw_others others, shared;
    bool *answered; /* it has a function */
    bool *chosen;   /* it is in the job */
    bool failed;
};

/* ---- which questions ---- */

static void add_question(struct resolve *r, size_t i)
{
    if (r->answered[i] || r->chosen[i])
        return;
    r->chosen[i] = true;
    r->failed |= tk_vec_push(&r->job.questions, (uint32_t)i) != 0;
}

/* Ranges of a hostile file are many, and hold the same questions: they cost fuel. */
static void take_range(void *to, uint64_t from, uint64_t end)
{
    struct resolve *r = to;
    if (!tk_dw_burn(&r->fuel, RANGE_FUEL))
        return;
    for (size_t i = tk_sym_from(r->questions, r->n, from); i < r->n && r->questions[i].address < end; i++) {
        if (!tk_dw_burn(&r->fuel, 1))
            return;
        add_question(r, i);
    }
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* In ascending order; the next unit chooses anew. */
static void sort_job(struct resolve *r)
{
    struct job *j = &r->job;
    bool sorted = true;
    for (size_t i = 1; i < j->questions.n && sorted; i++)
        sorted = j->questions.v[i - 1] < j->questions.v[i];
    if (!sorted)
        qsort(j->questions.v, j->questions.n, sizeof *j->questions.v, by_number);
    for (size_t i = 0; i < j->questions.n; i++)
        r->chosen[j->questions.v[i]] = false;
}

static int fill_job(struct resolve *r)
{
    struct job *j = &r->job;
    size_t n = j->questions.n;
    if (tk_vec_reserve(&j->addresses, n) || tk_vec_reserve(&j->innermost, n) || tk_vec_reserve(&j->rows, n))
        return -1;
    for (size_t i = 0; i < n; i++) {
        j->addresses.v[i] = r->questions[j->questions.v[i]].address;
        j->innermost.v[i] = TK_DW_NO_FUNCTION;
        j->rows.v[i] = (struct tk_dw_row){TK_DW_NONE, 0};
    }
    return 0;
}

/* Does a unit without ranges of its own have code all the same? Then all addresses may be in it. */
static bool may_have_any(const struct tk_dw_unit *unit, const struct tk_dw_span_attrs *root, bool children)
{
    bool pair = root->low.is != DW_ABSENT && root->high.is != DW_ABSENT;
    return children && root->ranges.is == DW_ABSENT && !pair && unit->line_at != TK_DW_NONE;
}

static void choose_questions(struct resolve *r, const struct tk_dw_unit *unit,
                             const struct tk_dw_span_attrs *root, bool children)
{
    r->job.questions.n = 0;
    if (may_have_any(unit, root, children))
        take_range(r, 0, UINT64_MAX);
    else if (!tk_dw_ranges(unit, root, take_range, r))
        tk_sym_lose(r->answers, "ranges of a DWARF unit are damaged");
    sort_job(r);
}

/* ---- answers ---- */

struct answering {
    struct resolve *r;
    struct tk_dw_lines *lines;
    struct tk_dw_names names;
};

static struct tk_sym_frame frame_at(struct answering *a, const struct tk_str *function, uint64_t file,
                                    uint32_t line)
{
    const struct tk_str *path = file == TK_DW_NONE ? NULL : tk_dw_lines_path(a->lines, file, a->r->answers);
    return (struct tk_sym_frame){function, path, line};
}

static void answer_one(struct answering *a, size_t i)
{
    struct resolve *r = a->r;
    struct tk_sym_question *q = &r->questions[r->job.questions.v[i]];
    struct tk_dw_row row = r->job.rows.v[i];
    uint32_t place = r->job.innermost.v[i];
    if (place == TK_DW_NO_FUNCTION) {
        if (row.file != TK_DW_NONE && !q->n)
            tk_sym_add(r->answers, q, frame_at(a, NULL, row.file, row.line));
        return;
    }
    q->n = 0; /* a line without a function, of another unit */
    r->answered[r->job.questions.v[i]] = true;
    for (unsigned depth = 0; place < r->functions.v.n && depth < MOST_FRAMES; depth++) {
        const struct tk_dw_function *f = &r->functions.v.v[place];
        tk_sym_add(r->answers, q, frame_at(a, tk_dw_name(&a->names, f->entry), row.file, row.line));
        row = (struct tk_dw_row){f->call_file, f->call_line};
        place = f->parent;
    }
}

/* others: the units of the file that it is in. */
static void answer_unit(struct resolve *r, const struct tk_dw_unit *unit, struct tk_dw_others *others)
{
    struct job *j = &r->job;
    struct tk_dw_lines lines;
    size_t n = j->questions.n;
    if (fill_job(r)) {
        r->failed = true;
        return;
    }
    if (tk_dw_functions_walk(&r->functions, unit, j->addresses.v, j->innermost.v, n) < 0)
        tk_sym_lose(r->answers, "a DWARF unit is damaged");
    if (tk_dw_lines_open(&lines, unit) == 0)
        tk_dw_lines_run(&lines, j->addresses.v, j->rows.v, n);
    else if (unit->line_at != TK_DW_NONE)
        tk_sym_lose(r->answers, "a DWARF line program is damaged");
    struct answering a = {.r = r,
                          .lines = &lines,
                          .names = {.answers = r->answers,
                                    .unit = unit,
                                    .scopes = &r->functions.scopes,
                                    .others = others,
                                    .shared = &r->shared}};
    for (size_t i = 0; i < n; i++)
        answer_one(&a, i);
    tk_dw_names_release(&a.names);
    tk_dw_lines_release(&lines);
}

/* What is left out of a skeleton is answered by the unit it stands for, where that is there. */
static void answer_skeleton(struct resolve *r, const struct tk_dw_unit *skeleton)
{
    struct tk_dw_unit unit;
    struct tk_dwarf_sections own;
    if (skeleton->dwo_id && tk_dw_split_open(&unit, &own, &r->split_abbrevs, r->dwarf, skeleton) == 0) {
        struct tk_dw_others others = {.s = &own, .fuel = &r->fuel};
        answer_unit(r, &unit, &others);
        tk_dw_others_release(&others);
        return;
    }
    if (skeleton->dwo_id)
        tk_sym_lose(r->answers, "the file with its split units (.dwo or .dwp) was not found");
    answer_unit(r, skeleton, &r->others);
}

static void take_unit(struct resolve *r, struct tk_dw_unit *unit)
{
    struct tk_dw_span_attrs root;
    bool children;
    if (tk_dw_abbrevs_load(&r->abbrevs, unit) < 0 || tk_dw_unit_root(unit, &root, &children) < 0) {
        tk_sym_lose(r->answers, "a DWARF unit is damaged");
        return;
    }
    choose_questions(r, unit, &root, children);
    if (!r->job.questions.n)
        return;
    if (unit->dwo_id && unit->dwo_name.n)
        answer_skeleton(r, unit);
    else
        answer_unit(r, unit, &r->others);
    tk_sym_file_touch(r->dwarf->file, 2 * (unit->end - unit->at)); /* its lines, too */
}

static void take_all(struct resolve *r)
{
    const struct tk_dwarf_sections *s = &r->dwarf->sections;
    for (uint64_t at = 0, next; at < s->info.n && !r->failed && !r->answers->failed; at = next) {
        struct tk_dw_unit unit = {.fuel = &r->fuel};
        int rc = tk_dw_unit_open(&unit, s, at, &next);
        if (rc == 0)
            take_unit(r, &unit);
        if (next == TK_DW_NONE || !tk_dw_burn(&r->fuel, 16)) {
            tk_sym_lose(r->answers, next == TK_DW_NONE ? "the DWARF units are damaged"
                                                       : "the DWARF units refer to each other too often");
            return;
        }
    }
}

/* What no unit claims itself is one's by the list of ranges alongside them, perhaps. */
static void take_listed(struct resolve *r)
{
    const struct tk_dwarf_sections *s = &r->dwarf->sections;
    uint64_t at, next;
    r->job.questions.n = 0;
    for (size_t set = 0; set < s->aranges.n && !r->failed && !r->answers->failed; r->job.questions.n = 0) {
        struct tk_dw_unit unit = {.fuel = &r->fuel};
        struct tk_dw_span_attrs root;
        bool children;
        if (!tk_dw_burn(&r->fuel, 16) || !tk_dw_aranges_next(s->aranges, &set, &at, take_range, r) ||
            !tk_dw_burn(&r->fuel, 1))
            break;
        sort_job(r);
        if (r->job.questions.n && tk_dw_unit_open(&unit, s, at, &next) == 0 && !unit.dwo_id &&
            tk_dw_abbrevs_load(&r->abbrevs, &unit) == 0 && tk_dw_unit_root(&unit, &root, &children) == 0 &&
            !unit.dwo_id)
            answer_unit(r, &unit, &r->others);
    }
    if (!tk_dw_burn(&r->fuel, 1))
        tk_sym_lose(r->answers, "the DWARF units have too many ranges");
}

void tk_dwarf_resolve(const struct tk_dwarf *dwarf, struct tk_sym_question *questions, size_t n,
                      struct tk_sym_answers *answers)
{
    const struct tk_dwarf_sections *s = &dwarf->sections;
    uint64_t bytes = (uint64_t)s->info.n + s->line.n + s->abbrev.n + s->ranges.n + s->rnglists.n +
                     (s->shared ? s->shared->info.n : 0);
    struct resolve r = {.dwarf = dwarf,
                        .questions = questions,
                        .n = n,
                        .answers = answers,
                        .fuel = {16 * bytes + (UINT64_C(64) << 20)}};
    if (!n || !s->info.n)
        return;
    r.others = (struct tk_dw_others){.s = s, .fuel = &r.fuel};
    r.shared = (struct tk_dw_others){.s = s->shared, .fuel = &r.fuel, .mark = TK_DW_SHARED};
    r.answered = calloc(n, sizeof *r.answered);
    r.chosen = calloc(n, sizeof *r.chosen);
    r.failed = !r.answered || !r.chosen || n > UINT32_MAX;
    for (size_t i = 0; i < n && !r.failed; i++)
        r.answered[i] = questions[i].n > 0;
    if (!r.failed)
        take_all(&r);
    if (!r.failed)
        take_listed(&r);
    answers->failed |= r.failed;
    free(r.answered);
    free(r.chosen);
    tk_dw_abbrevs_release(&r.abbrevs);
    tk_dw_abbrevs_release(&r.split_abbrevs);
    tk_dw_functions_release(&r.functions);
    tk_dw_others_release(&r.others);
    tk_dw_others_release(&r.shared);
    tk_vec_release(&r.job.questions);
    tk_vec_release(&r.job.addresses);
    tk_vec_release(&r.job.innermost);
    tk_vec_release(&r.job.rows);
}
