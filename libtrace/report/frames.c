/*
 * Frames: the block that the pictures of frame times are drawn from, with regions, bookmarks and hitches.
 * Part of chapter.h.
 */
#include "report/report_in.h"
#include "table/cell.h"

#include <stdlib.h>

/* Bands and marks of the picture: more cannot be distinguished. */
enum { MARKS_MOST = 400 };

static void put_regions(const struct tk_gather *g, struct tk_markup *m)
{
    const struct tk_gathered *kept;
    size_t n;
    tk_json_open(&m->json, "regions", '[');
    if (tk_gather_table(g, "regions", &kept, &n))
        for (size_t i = 0; i < n && i < MARKS_MOST; i++) {
            const bool ends = tk_gather_cell(kept, i, "dur")->kind == TK_DURATION;
            tk_json_open(&m->json, NULL, '{');
            tk_json_i64(&m->json, "begin", tk_gather_int(kept, i, "start"));
            tk_json_i64(&m->json, "length", ends ? tk_gather_int(kept, i, "dur") : -1);
            tk_markup_json_text(m, "name", tk_cell_text(tk_gather_cell(kept, i, "name")), TK_MARKUP_NAME);
            tk_json_close(&m->json);
        }
    tk_json_close(&m->json);
}

static void put_bookmarks(const struct tk_gather *g, struct tk_markup *m)
{
    const struct tk_gathered *kept;
    size_t n;
    tk_json_open(&m->json, "bookmarks", '[');
    if (tk_gather_table(g, "bookmarks", &kept, &n))
        for (size_t i = 0; i < n && i < MARKS_MOST; i++) {
            tk_json_open(&m->json, NULL, '{');
            tk_json_i64(&m->json, "time", tk_gather_int(kept, i, "time"));
            tk_markup_json_text(m, "text", tk_cell_text(tk_gather_cell(kept, i, "text")), TK_MARKUP_NAME);
            tk_json_close(&m->json);
        }
    tk_json_close(&m->json);
}

static void put_hitches(const struct tk_gather *g, struct tk_json *j)
{
    const struct tk_gathered *kept;
    size_t n;
    tk_json_open(j, "hitches", '[');
    if (tk_gather_table(g, "hitches", &kept, &n))
        for (size_t i = 0; i < n; i++) {
            if (i && tk_gather_int(kept, i, "frame") == tk_gather_int(kept, i - 1, "frame"))
                continue;
            tk_json_open(j, NULL, '{');
            tk_json_i64(j, "frame", tk_gather_int(kept, i, "frame"));
            tk_json_i64(j, "begin", tk_gather_int(kept, i, "start"));
            tk_json_i64(j, "length", tk_gather_int(kept, i, "dur"));
            tk_json_close(j);
        }
    tk_json_close(j);
}

static void put_stats(const struct tk_gather *g, struct tk_json *j)
{
    static const char *const lines[] = {"median", "p95", "p99", "max"};
    const struct tk_gathered *kept;
    size_t n;
    tk_json_open(j, "stats", '{');
    if (tk_gather_table(g, "frame_stats", &kept, &n) && n)
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
            tk_json_i64(j, lines[i], tk_gather_int(kept, 0, lines[i]));
    tk_json_close(j);
}

/* Timers that wait, by name: those without working time. */
static void put_waits(const struct tk_gather *g, struct tk_markup *m)
{
    const struct tk_gathered *kept;
    size_t n, put = 0;
    tk_json_open(&m->json, "waits", '[');
    if (tk_gather_table(g, "timers", &kept, &n))
        for (size_t i = 0; i < n && put < 1000; i++) {
            if (tk_gather_int(kept, i, "working") != 0 || tk_gather_int(kept, i, "excl") == 0)
                continue;
            tk_markup_json_text(m, NULL, tk_cell_text(tk_gather_cell(kept, i, "timer")), TK_MARKUP_NAME);
            put++;
        }
    tk_json_close(&m->json);
}

static const struct tk_list shares = {"bound_shares",
                                      "What bounded frames, and the mean work in them",
                                      "bound_by,frames,share,dur,game,render,rhi,gpu",
                                      NULL,
                                      20,
                                      20,
                                      NULL};

int tk_frames_put(struct tk_chapter *c)
{
    const struct tk_gathered *capture;
    size_t n;
    struct tk_markup data;
    int rc = tk_markup_init(&data, c->err);
    if (rc == TK_OK) {
        tk_gather_table(&c->first, "capture", &capture, &n);
        tk_json_open(&data.json, NULL, '{');
        tk_json_i64(&data.json, "duration", tk_gather_int(capture, 0, "dur"));
        tk_json_i64(&data.json, "budget", c->options->budget_ns);
        tk_frame_times_put(&c->first.frames, &data, "frames");
        tk_frame_times_put(&c->first.gpu, &data, "gpu");
        tk_frame_times_put(&c->first.work, &data, "work");
        put_stats(&c->first, &data.json);
        put_hitches(&c->first, &data.json);
        put_regions(&c->first, &data);
        put_bookmarks(&c->first, &data);
        put_waits(&c->first, &data);
        tk_json_close(&data.json);
        if (c->first.frames.n) {
            tk_figure_put(c, "frames", "main");
            tk_figure_put(c, "distribution", "main");
        }
        tk_pictures_put(c);
        tk_chapter_block(c, "main", &data);
    }
    tk_markup_release(&data);
    return rc == TK_OK && tk_list_rows(&shares, &c->first)
               ? tk_list_put(&shares, &c->first, c->prefix, c->m, c->err)
               : rc;
}
