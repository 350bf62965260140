/*
 * Tables `smoothness` (how evenly the game frames come, in the words of studios) and `late_frames` (the
 * frames that are late against those around them: hitches, those of loading screens and of the start-up, and
 * uneven ones).
 *
 * Frames are judged among all of the capture; of a selection those count that it touches.
 */
#include "judge/smoothness.h"

#include "model/frames/frame_classes.h"
#include "model/marks/frame_list.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES, SECONDS, RULE, WORDS, COLUMNS = WORDS + TK_SMOOTHNESS_WORDS };

#define REAL(word, name, unit, help) [WORDS + TK_SMOOTHNESS_##word] = {name, TK_REAL, 0, unit, help},

static const struct tk_column columns[COLUMNS] = {
    [FRAMES] = {"frames", TK_UINT, 0, "frames", "complete game frames"},
    [SECONDS] = {"dur", TK_DURATION, 0, NULL, "sum of their durations"},
    [RULE] = {"rule", TK_TEXT, 0, NULL, "the rule that says which frames are hitches"},
    TK_SMOOTHNESS(REAL)};

static const struct tk_table table = {
    .name = "smoothness",
    .help = "how evenly game frames come: hitches a minute, hitch time ratio, 1 % low, missed and late "
            "frames, pacing",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_ON_REQUEST | TK_TABLE_TIMES | TK_TABLE_AFTER,
    .none = "there is no complete game frame",
};

enum { FRAME, START, DURATION, EXPECTED, CLASS, LATE_COLUMNS };

static const struct tk_column late_columns[LATE_COLUMNS] = {
    [FRAME] = {"frame", TK_UINT, 0, NULL, "number of the game frame, from 0"},
    [START] = {"start", TK_TIME, 0, NULL, "when it starts"},
    [DURATION] = {"dur", TK_DURATION, 0, NULL, "its length"},
    [EXPECTED] = {"expected", TK_DURATION, 0, NULL, "length that the frames around it let expect"},
    [CLASS] =
        {"class", TK_TEXT, 0, NULL,
         "hitch; loading, start-up: a hitch of these, counted apart; uneven: lateness is the habit there"},
};

static const struct tk_table late_table = {
    .name = "late_frames",
    .help = "game frames that are late against those around them: hitches, and uneven frames",
    .columns = late_columns,
    .n_columns = LATE_COLUMNS,
    .flags = TK_TABLE_ON_REQUEST | TK_TABLE_TIMES | TK_TABLE_AFTER,
    .none = "no game frame is late against those around it",
};

struct smoothness {
    const struct tk_query_context *view;
    struct tk_frame_classes marks;
    struct tk_work_rules work;
    struct tk_loading_frames loading;
};

static void close_smoothness(void *self)
{
    struct smoothness *s = self;
    tk_frame_classes_release(&s->marks);
    tk_loading_frames_release(&s->loading);
    tk_work_rules_release(&s->work);
    free(s);
}

static int open_smoothness(const struct tk_query_context *view, const struct tk_builder *builder,
                           uint64_t wanted, void **self, struct tk_err *err)
{
    struct smoothness *s = calloc(1, sizeof *s);
    (void)builder;
    (void)wanted;
    if (!s)
        return tk_err_nomem(err, "frames");
    *self = s;
    s->view = view;
    tk_loading_frames_init(&s->loading, view, &s->work);
    if (tk_frame_classes_of_query(&s->marks, view))
        return tk_err_nomem(err, "frames");
    return tk_work_rules_read(&s->work, view, err);
}

static int feed_smoothness(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct smoothness *s = self;
    (void)emit;
    return tk_work_learn(&s->work, s->view->dict) || tk_loading_frames_feed(&s->loading, batch)
               ? tk_err_nomem(err, "frames")
               : TK_OK;
}

static int take_smoothness(void *self, const struct tk_slices *slices, unsigned worker)
{
    (void)worker;
    return tk_loading_frames_take(&((struct smoothness *)self)->loading, slices) ? TK_ENOMEM : TK_OK;
}

static int settle(struct smoothness *s)
{
    struct tk_frame_classes *m = &s->marks;
    return tk_loading_frames_mark(&s->loading, m->place, m->n, m->ms, m->judged.n, m->judged.is);
}

static bool is_selected(const struct smoothness *s, uint32_t frame)
{
    const struct tk_range *r = &s->view->frames->v[frame];
    const struct tk_select *listed = s->view->listed ? s->view->listed : s->view->select;
    return s->marks.place[frame] != UINT32_MAX && tk_select_touches(listed, r->from, r->to);
}

/* ---- the words ---- */

/* Leaves of the judged frames those that are selected; their length in cycles. */
static uint64_t keep_selected(struct smoothness *s)
{
    struct tk_frame_classes *m = &s->marks;
    uint64_t cycles = 0;
    size_t kept = 0, startup = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        const uint32_t at = m->place[i];
        if (!is_selected(s, i))
            continue;
        cycles += tk_frame_classes_length(m, i);
        m->ms[kept] = m->ms[at];
        m->judged.expected[kept] = m->judged.expected[at];
        m->judged.is[kept] = m->judged.is[at];
        startup += m->judged.is[kept++] & TK_FRAME_IS_STARTUP ? 1 : 0;
    }
    m->judged.n = kept;
    m->judged.startup = startup;
    return cycles;
}

static int finish_smoothness(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct smoothness *s = self;
    struct tk_smoothness words;
    char rule[TK_HITCH_RULE_TEXT];
    if (settle(s))
        return tk_err_nomem(err, "frames");
    const uint64_t cycles = keep_selected(s);
    if (tk_smoothness_of(&words, s->marks.ms, &s->marks.judged, s->view->query->hitches.target))
        return tk_err_nomem(err, "frames");
    struct tk_cell *row = s->marks.judged.n && s->view->dict->clock.frequency ? tk_emit_row(emit) : NULL;
    if (!row)
        return tk_emit_status(emit);
    tk_hitch_rule_text(&s->marks.rule, rule);
    const size_t n = strlen(rule);
    const char *kept = tk_emit_bytes(emit, rule, n);
    row[FRAMES] = tk_cell_of_uint(s->marks.judged.n);
    row[SECONDS] = tk_query_context_span(s->view, (int64_t)cycles);
    if (kept)
        row[RULE] = (struct tk_cell){.kind = TK_TEXT, .enc = TK_ENC_UTF8, .n = (uint32_t)n, .v.p = kept};
    for (unsigned i = 0; i < TK_SMOOTHNESS_WORDS; i++)
        if (!isnan(words.v[i]))
            row[WORDS + i] = tk_cell_of_real(words.v[i]);
    return tk_emit_status(emit);
}

/* ---- late frames ---- */

static int check_late_frames(void *self, struct tk_emit *emit, struct tk_err *err)
{
    const struct smoothness *s = self;
    (void)err;
    if (!s->marks.judged.n)
        tk_emit_none(emit, table.none);
    else if (s->marks.judged.alone)
        tk_emit_none(emit, TK_FRAME_IS_ALONE);
    return TK_OK;
}

static int finish_late_frames(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct smoothness *s = self;
    if (settle(s))
        return tk_err_nomem(err, "frames");
    for (uint32_t i = 0; i < s->marks.n; i++) {
        const char *class = is_selected(s, i) ? tk_frame_class_name(tk_frame_classes_is(&s->marks, i)) : NULL;
        struct tk_cell *row = class ? tk_emit_row(emit) : NULL;
        if (class && !row)
            break;
        if (!row)
            continue;
        const struct tk_range *r = &s->view->frames->v[i];
        row[FRAME] = tk_cell_of_uint(i);
        row[START] = tk_query_context_time(s->view, r->from);
        row[DURATION] = tk_query_context_between(s->view, r->from, r->to);
        row[EXPECTED] = tk_query_context_span(s->view, (int64_t)tk_frame_classes_expected(&s->marks, i));
        row[CLASS] = tk_cell_of_c(class);
    }
    return tk_emit_status(emit);
}

#define SMOOTHNESS_NEEDS                                                                                     \
    {                                                                                                        \
        .facts = TK_FACT_MASK(SCOPES) | TK_FACT_MASK(FRAME), .slices = TK_LOADING_SLICES, .all_time = true,  \
        .lists = {                                                                                           \
            .regions = true,                                                                                 \
            .frames = TK_NEEDS_GAME_FRAMES                                                                   \
        }                                                                                                    \
    }

static const struct tk_scope_hooks scope_hooks = {.take = take_smoothness};

const struct tk_builder tk_builder_smoothness = {
    .table = &table,
    .needs = SMOOTHNESS_NEEDS,
    .scopes = &scope_hooks,
    .open = open_smoothness,
    .feed = feed_smoothness,
    .finish = finish_smoothness,
    .close = close_smoothness,
};

const struct tk_builder tk_builder_late_frames = {
    .table = &late_table,
    .needs = SMOOTHNESS_NEEDS,
    .scopes = &scope_hooks,
    .open = open_smoothness,
    .feed = feed_smoothness,
    .check = check_late_frames,
    .finish = finish_late_frames,
    .close = close_smoothness,
};
