/*
 * The beginning and the end of a session's state (tracy-live 3, 7.5). The other files of this folder handle
 * events.
 */
#include "live/tracy/state/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t names_default = UINT64_C(1) << 30;

/* ---- beginning ---- */

static int begin_frames(struct tk_tl_state *s)
{
    struct tk_tl_frame_set *main;
    uint32_t frame;
    int rc;
    const int64_t times[] = {0, s->last_time, tk_tl_ns(s, s->welcome.now)};
    TK_TL_TRY(tk_tl_store(s, "Frame", 5, &frame));
    TK_TL_TRY(tk_tl_name_pointer(s, 0, frame));
    if (!(main = tk_tl_alloc(s, sizeof *main, &rc)))
        return rc;
    main->continuous = main->listed = true;
    main->instead = TK_TL_NONE;
    tk_spill_column_begin(&main->frames, s->lasting, sizeof(struct tk_tl_frame));
    TK_TL_TRY(tk_tl_push(s, &s->frame_sets, main));
    TK_TL_TRY(tk_tl_push(s, &s->listed_sets, 0));
    TK_TL_TRY(tk_tl_map_put(s, &s->frame_set_of, 0, 0));
    TK_TL_TRY(tk_tl_map_put(s, &s->frame_set_by_text, frame, 0));
    for (unsigned i = 0; i < (s->welcome.flags & TK_TL_ON_DEMAND ? 3u : 2u); i++) {
        struct tk_tl_frame *f = tk_spill_column_add(&main->frames);
        if (!f)
            return tk_tl_column_error(s);
        *f = main->last = (struct tk_tl_frame){times[i], -1};
    }
    return TK_OK;
}

static int begin_pool(struct tk_tl_state *s)
{
    int rc;
    struct tk_tl_pool *p = tk_tl_alloc(s, sizeof *p, &rc);
    if (!p)
        return rc;
    p->low = UINT64_MAX;
    tk_spill_column_begin(&p->allocs, s->columns, sizeof(struct tk_tl_alloc));
    tk_spill_column_begin(&p->freed, s->columns, sizeof(struct tk_tl_free));
    tk_record_map_init(&p->alive, sizeof(struct tk_tl_alive));
    TK_TL_TRY(tk_tl_push(s, &s->pools, p));
    return tk_tl_map_put(s, &s->pool_of, 0, 0);
}

static int begin_tables(struct tk_tl_state *s)
{
    s->zone_counts = calloc((size_t)2 * 65536, sizeof *s->zone_counts);
    s->cpus = calloc(TK_TL_CPUS, sizeof *s->cpus);
    if (!s->zone_counts || !s->cpus)
        return tk_tl_nomem(s);
    s->gpu_zone_counts = s->zone_counts + 65536;
    if (s->options.sums_only && !(s->sums = calloc(65536, sizeof *s->sums)))
        return tk_tl_nomem(s);
    for (unsigned i = 0; i < TK_TL_CPUS; i++)
        tk_spill_column_begin(&s->cpus[i].done, s->columns, sizeof(struct tk_tl_cpu_run));
    tk_spill_column_begin(&s->extras, s->columns, sizeof(struct tk_tl_extra));
    tk_spill_column_begin(&s->image_bytes, s->columns, 1);
    tk_spill_column_begin(&s->code_bytes, s->lasting, 1);
    tk_spill_column_begin(&s->source_bytes, s->lasting, 1);
    tk_record_map_init(&s->sections_open, sizeof(struct tk_tl_section_open));
    tk_record_map_init(&s->sections_early, sizeof(int64_t));
    struct tk_tl_extra *none = tk_spill_column_add(&s->extras);
    if (!none)
        return tk_tl_column_error(s);
    memset(none, 0, sizeof *none);
    TK_TL_TRY(tk_tl_push(s, &s->local_threads, 0));
    TK_TL_TRY(tk_tl_push(s, &s->expand, 0));
    TK_TL_TRY(begin_pool(s));
    return begin_frames(s);
}

int tk_tl_state_open(struct tk_tl_state **out, unsigned protocol, const struct tk_tl_welcome *w,
                     const struct tk_tl_options *options, struct tk_err *err)
{
    struct tk_tl_state *s = calloc(1, sizeof *s);
    *out = s;
    if (!s)
        return tk_err_nomem(err, "a recording");
    s->err = err;
    s->options = *options;
    if (!s->options.names)
        s->options.names = names_default;
    if (!s->options.columns)
        s->options.columns = TK_TL_COLUMNS;
    s->welcome = *w;
    s->single = s->second = s->cpu_plot = TK_TL_NONE;
    if (!tk_tl_protocol_set(&s->protocol, protocol) || !isfinite(w->period) || w->period <= 0)
        return tk_err_set(err, TK_EFORMAT, "the program greets with an impossible clock");
    if (tk_spill_columns_open(&s->columns, options->scratch, s->options.columns) ||
        tk_spill_columns_open(&s->lasting, options->scratch, s->options.columns / 8))
        return tk_tl_nomem(s);
    s->last_time = tk_tl_ns(s, w->init_end);
    return begin_tables(s);
}

/* ---- end ---- */

static void release_threads(struct tk_tl_state *s)
{
    for (size_t i = 0; i < s->threads.n; i++) {
        struct tk_tl_thread *t = s->threads.v[i];
        tk_spill_column_release(&t->zones);
        tk_spill_column_release(&t->samples);
        tk_spill_column_release(&t->switch_samples);
        tk_spill_column_release(&t->message_keys);
        tk_vec_release(&t->open);
    }
    for (size_t i = 0; i < s->switches.n; i++)
        tk_spill_column_release(&s->switches.v[i]->done);
    for (size_t i = 0; s->cpus && i < TK_TL_CPUS; i++)
        tk_spill_column_release(&s->cpus[i].done);
    tk_vec_release(&s->threads);
    tk_vec_release(&s->switches);
    tk_vec_release(&s->fibers);
    free(s->cpus);
}

static void release_marks(struct tk_tl_state *s)
{
    for (size_t i = 0; i < s->frame_sets.n; i++)
        tk_spill_column_release(&s->frame_sets.v[i]->frames);
    for (size_t i = 0; i < s->plots.n; i++)
        tk_spill_column_release(&s->plots.v[i]->points);
    for (size_t i = 0; i < s->locks.n; i++)
        tk_spill_column_release(&s->locks.v[i]->events);
    for (size_t i = 0; i < s->categories.n; i++)
        tk_spill_column_release(&s->categories.v[i]->items);
    for (size_t i = 0; i < s->pools.n; i++) {
        tk_spill_column_release(&s->pools.v[i]->allocs);
        tk_spill_column_release(&s->pools.v[i]->freed);
        tk_record_map_release(&s->pools.v[i]->alive);
    }
    tk_vec_release(&s->frame_sets);
    tk_vec_release(&s->listed_sets);
    tk_vec_release(&s->plots);
    tk_vec_release(&s->listed_plots);
    tk_vec_release(&s->locks);
    tk_vec_release(&s->categories);
    tk_vec_release(&s->pools);
    tk_vec_release(&s->images);
    tk_vec_release(&s->image_data);
    tk_vec_release(&s->app_info);
    tk_vec_release(&s->topology);
    tk_record_map_release(&s->sections_open);
    tk_record_map_release(&s->sections_early);
}

static void release_gpus(struct tk_tl_state *s)
{
    for (size_t i = 0; i < s->gpus.n; i++) {
        struct tk_tl_gpu *g = s->gpus.v[i];
        for (size_t k = 0; k < g->timelines.n; k++) {
            tk_spill_column_release(&g->timelines.v[k]->zones);
            tk_vec_release(&g->timelines.v[k]->open);
        }
        tk_vec_release(&g->timelines);
        tk_vec_release(&g->notes);
        tk_vec_release(&g->note_names);
        tk_map_release(&g->note_of);
        tk_record_map_release(&g->slots);
    }
    tk_vec_release(&s->gpus);
    while (s->gpu_live) {
        struct tk_tl_gpu_live *next = s->gpu_live->next;
        free(s->gpu_live);
        s->gpu_live = next;
    }
}

static void release_names(struct tk_tl_state *s)
{
    tk_vec_release(&s->strings);
    tk_vec_release(&s->pointers);
    tk_vec_release(&s->thread_names);
    tk_vec_release(&s->external_names);
    tk_vec_release(&s->local_threads);
    tk_vec_release(&s->external_threads);
    tk_vec_release(&s->statics);
    tk_vec_release(&s->expand);
    tk_vec_release(&s->dynamics);
    tk_vec_release(&s->stacks);
    tk_vec_release(&s->stack_frames);
    tk_vec_release(&s->stack_space);
    tk_vec_release(&s->code_frames);
    tk_vec_release(&s->code_places);
    tk_vec_release(&s->symbols);
    tk_vec_release(&s->code);
    tk_vec_release(&s->sources);
    tk_vec_release(&s->source_answers);
    tk_vec_release(&s->processes);
    tk_vec_release(&s->cpu_uses);
    tk_vec_release(&s->hw);
    tk_vec_release(&s->names_first.v);
    tk_vec_release(&s->others.v);
    free(s->zone_counts);
    free(s->gpu_left);
    free(s->sums);
}

static void release_maps(struct tk_tl_state *s)
{
    struct tk_map *maps[] = {&s->string_of,         &s->pointer_of,      &s->thread_name_of,
                             &s->external_name_of,  &s->local_of,        &s->external_of,
                             &s->static_of,         &s->dynamic_of,      &s->thread_of,
                             &s->fiber_of,          &s->switches_of,     &s->frame_set_of,
                             &s->frame_set_by_text, &s->vsync_of,        &s->image_of,
                             &s->plot_of,           &s->plot_by_text,    &s->power_of,
                             &s->lock_of,           &s->pool_of,         &s->stack_of,
                             &s->code_frame_of,     &s->script_frame_of, &s->symbol_of,
                             &s->code_of,           &s->source_of,       &s->process_of,
                             &s->cpu_use_of,        &s->hw_of,           &s->category_of};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        tk_map_release(maps[i]);
}

void tk_tl_state_close(struct tk_tl_state *s)
{
    if (!s)
        return;
    if (s->columns && s->lasting) {
        release_threads(s);
        release_marks(s);
        release_gpus(s);
        tk_spill_column_release(&s->extras);
        tk_spill_column_release(&s->image_bytes);
        tk_spill_column_release(&s->code_bytes);
        tk_spill_column_release(&s->source_bytes);
    }
    release_names(s);
    release_maps(s);
    tk_external_sort_close(s->messages);
    tk_external_sort_close(s->hw_samples);
    tk_spill_columns_close(s->columns);
    tk_spill_columns_close(s->lasting);
    tk_arena_release(&s->arena);
    tk_arena_release(&s->text_arena);
    free(s);
}
