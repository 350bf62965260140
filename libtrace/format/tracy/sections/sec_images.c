/*
 * Frame images: rows of the table `frame_images`, and records without the pixels, which are BC1 blocks of
 * half a byte a pixel.
 *
 *   [u32 n, n bytes of a dictionary,] u64 n, each with width * height / 2 bytes tracy-file 5.15
 */
#include "format/tracy/walk/own_tables.h"
#include "format/tracy/walk/section.h"

struct image {
    uint64_t at, number, bytes;
    struct tk_tracy_image v;
};

struct state {
    struct tk_tracy_list list;
    bool begun;
};

static int say_image(struct tk_tracy_walk *w, const struct image *i)
{
    struct tk_cell cells[] = {tk_cell_of_uint(i->number), tk_cell_of_uint(i->v.width),
                              tk_cell_of_uint(i->v.height), tk_cell_of_bool(i->v.flipped),
                              tk_cell_of_size(i->bytes)};
    return tk_tracy_wants(w, TK_TRACY_FRAME_IMAGE)
               ? tk_tracy_say_timeless(w, TK_TRACY_FRAME_IMAGE, i->at, cells)
               : TK_OK;
}

/* The pixels where rows are wanted, else NULL. What the file does not have is not made space for: an image is
 * greater than the last piece only if its bytes are there. */
static int read_pixels(struct tk_tracy_walk *w, uint64_t n, uint8_t **out)
{
    *out = NULL;
    if (!tk_tracy_wants_rows(w, &tk_tracy_table_frame_images)) {
        tk_tracy_skip(&w->in, n, "frame image");
        return TK_OK;
    }
    struct tk_str text;
    int rc = tk_tracy_text(&w->in, n, w->c->ctx->limits.event_bytes, &w->out->arena, &text);
    if (rc == TK_ELIMIT)
        tk_tracy_limit(w, TK_LIMIT_event_bytes, tk_tracy_at(&w->in), 1,
                       "a frame image is too large and was left out");
    *out = rc == TK_OK ? (uint8_t *)(uintptr_t)text.p : NULL;
    return rc == TK_ENOMEM ? rc : TK_OK;
}

static int say_row_images(struct tk_tracy_walk *w, const struct image *i, const uint8_t *pixels)
{
    struct tk_cell *row = tk_tracy_row(w, &tk_tracy_table_frame_images, TK_NO_THREAD);
    if (!row)
        return TK_ENOMEM;
    row[0] = tk_cell_of_uint(i->number);
    row[1] = tk_cell_of_uint(i->v.width);
    row[2] = tk_cell_of_uint(i->v.height);
    row[3] = tk_cell_of_bool(i->v.flipped);
    row[4] = tk_cell_of_size(i->bytes);
    row[5] = (struct tk_cell){.kind = TK_BYTES, .n = (uint32_t)i->bytes, .v.p = pixels};
    const struct tk_tracy_displayed *displayed =
        i->number < w->displayed.n ? &w->displayed.v[i->number] : NULL;
    if (displayed && displayed->frame) {
        row[6] = tk_cell_of_uint(displayed->frame - 1);
        row[7] = tk_cell_of_time(displayed->time);
    }
    return TK_OK;
}

static int read_image(struct tk_tracy_walk *w, void *state)
{
    const struct state *s = state;
    struct image i = {.at = tk_tracy_at(&w->in), .number = s->list.n - s->list.left - 1};
    (void)tk_tracy_read_image(&w->in, &i.v);
    i.bytes = (uint64_t)i.v.width * i.v.height / 2;
    uint8_t *pixels;
    if (read_pixels(w, i.bytes, &pixels) != TK_OK)
        return TK_ENOMEM;
    if (!tk_tracy_ok(&w->in))
        return TK_OK;
    tk_tracy_count(w, TK_TRACY_FRAME_IMAGE, 1, tk_tracy_image_size(&w->c->layout) + i.bytes);
    if (pixels && say_row_images(w, &i, pixels) != TK_OK)
        return TK_ENOMEM;
    return say_image(w, &i);
}

static int step_images(struct tk_tracy_walk *w, void *state)
{
    struct state *s = state;
    if (!s->begun && w->c->layout.image_dictionary)
        tk_tracy_skip(&w->in, tk_tracy_u32(&w->in, "dictionary of frame images"),
                      "dictionary of frame images");
    s->begun = true;
    const int rc = tk_tracy_list_walk(w, &s->list, "frame images", read_image, s);
    if (rc == TK_OK && w->most_image > 0 && (uint64_t)w->most_image >= s->list.n && tk_tracy_ok(&w->in))
        tk_tracy_note(w, TK_HEALTH_DEFINITION_MISSING, w->start, 1,
                      "frames refer to images that do not exist");
    return rc;
}

static const struct tk_table *const rows[] = {&tk_tracy_table_frame_images, NULL};

const struct tk_tracy_section tk_tracy_sec_images = {.name = "frame_images",
                                                     .step = step_images,
                                                     .size = sizeof(struct state),
                                                     .rows = rows,
                                                     .records = TK_TRACY_RECORD_MASK(FRAME_IMAGE)};
