/*
 * The sections in front of the strings, and the numbers of zones: header, crash, frames, sections of time
 * (tracy-file 4, 5.6). Part of a pass.
 */
#include "edit/tracy/edit_tracy.h"
#include "edit/tracy/pass_in.h"

#include <string.h>

enum { MOST_TEXT = 1 << 20 };

/* ---- header ---- */

static void pass_text(struct tk_tracy_pass *p, enum tk_tracy_head_text which)
{
    const uint64_t n = tk_tracy_u64(p->in, "length of a text of the header");
    if (!p->head_text || n > MOST_TEXT) { /* one that is so long is no name: it goes */
        tk_tracy_pass_put(p, p->head_text ? 0 : n, 8);
        if (p->head_text)
            tk_tracy_skip(p->in, n, "text of the header");
        else
            tk_tracy_pass_copy(p, n);
        return;
    }
    uint8_t *bytes = malloc((size_t)n + 1);
    struct tk_bytes now = {NULL, 0};
    if (bytes)
        tk_tracy_copy(p->in, bytes, (size_t)n, "text of the header");
    p->failed |= !bytes || !p->head_text(p->text_ctx, which, (struct tk_bytes){bytes, (size_t)n}, &now);
    tk_tracy_pass_put(p, now.n, 8);
    tk_tracy_pass_put_bytes(p, now.p, now.n);
    free(bytes);
}

void tk_tracy_pass_header(struct tk_tracy_pass *p)
{
    tk_tracy_pass_through_header(p);
    pass_text(p, TK_TRACY_CAPTURE_NAME);
    pass_text(p, TK_TRACY_PROGRAM);
    tk_tracy_pass_through_header_times(p);
    pass_text(p, TK_TRACY_HOST);
}

/* ---- crash ---- */

/* That the program crashed, and how, is said of all of it. */
void tk_tracy_pass_crash(struct tk_tracy_pass *p)
{
    tk_tracy_pass_through_crash(p);
}

/* ---- frames ---- */

/* All of them stay, as they are numbered, and what is usual is distinguished from all; only those of the
 * window have their images. */
struct frames {
    bool continuous;
    uint64_t number;
    size_t first;        /* place of the number, from 1, of the frame that the window begins in */
    int32_t first_image; /* in the first walk, of the last frame in front of the window so far */
};

static void use_image(struct tk_tracy_pass *p, int32_t image)
{
    if (p->out || image < 0)
        return;
    /* as many as there are: what refers to more would have to be made space for */
    if ((uint64_t)image >= p->images.n)
        return;
    p->images.v[image] = 1;
}

static int32_t new_image(const struct tk_tracy_pass *p, int32_t image)
{
    if (tk_tracy_pass_drops(p, TK_TRACY_IMAGES) || image < 0)
        return -1;
    if (!p->window.cut)
        return image; /* all of them stay */
    return (uint64_t)image < p->images.n && p->images.v[image] ? (int32_t)p->images.v[image] - 1 : -1;
}

static bool overlaps(const struct tk_tracy_pass *p, int64_t start, int64_t end)
{
    return start < p->window.to && (end < 0 || end > p->window.from || start >= p->window.from);
}

static bool shows(const struct tk_tracy_pass *p, const struct frames *f, int64_t start, int64_t end)
{
    if (f->continuous)
        return tk_tracy_window_has(&p->window, start) || tk_tracy_pass_noted(p, f->first) == f->number + 1;
    return overlaps(p, start, end);
}

static void put_frame(struct tk_tracy_pass *p, const struct frames *f, const struct tk_tracy_lone_frame *v)
{
    struct tk_tracy_lone_frame now = *v;
    now.image = shows(p, f, v->start, v->end) ? new_image(p, v->image) : -1;
    if (p->out)
        tk_tracy_put_frame_of(p->out, f->continuous, &now);
}

static void pass_frame(struct tk_tracy_pass *p, struct frames *f)
{
    struct tk_tracy_lone_frame v;
    if (!tk_tracy_read_frame_of(p->in, f->continuous, &v))
        return;
    const bool before = f->continuous && v.start < p->window.from;
    if (before) {
        tk_tracy_pass_set(p, f->first, f->number + 1);
        f->first_image = v.image;
    }
    put_frame(p, f, &v);
    if (!before && shows(p, f, v.start, v.end))
        use_image(p, v.image);
}

/* How many images there can be. */
static uint64_t images_of(const struct tk_tracy_pass *p)
{
    for (size_t i = 0; i < p->survey->whole; i++)
        if (strcmp(tk_tracy_sections[i]->name, "frame_images") == 0)
            return p->survey->sections[i].items;
    return 0;
}

/* Readers need the main set, and a mark in it. */
static void leave_out_frames(struct tk_tracy_pass *p)
{
    const uint64_t sets = tk_tracy_u64(p->in, "frame sets");
    const size_t kept = tk_tracy_pass_count(p, 8);
    for (uint64_t i = 0; i < sets && tk_tracy_pass_going(p); i++) {
        struct tk_tracy_frame_set set;
        struct tk_tracy_lone_frame v;
        if (!tk_tracy_read_frame_set(p->in, &set))
            return;
        const uint64_t n = tk_tracy_u64(p->in, "frames");
        const bool stays = i == 0;
        tk_tracy_pass_start_times(p, 0);
        if (stays) {
            tk_tracy_pass_put_frame_set(p, &set);
            tk_tracy_pass_put(p, n > 0, 8);
        }
        for (uint64_t k = 0; k < n && tk_tracy_pass_going(p); k++) {
            if (!tk_tracy_read_frame_of(p->in, set.continuous, &v))
                return;
            v.image = -1;
            if (stays && k == 0 && p->out)
                tk_tracy_put_frame_of(p->out, set.continuous, &v);
        }
        p->items += n;
    }
    tk_tracy_pass_set(p, kept, sets > 0);
    if (!p->out)
        p->kept[p->section] = sets > 0;
}

void tk_tracy_pass_frames(struct tk_tracy_pass *p)
{
    if (tk_tracy_pass_drops(p, TK_TRACY_FRAMES)) {
        leave_out_frames(p);
        return;
    }
    if (!p->out && p->window.cut && images_of(p) < INT32_MAX)
        p->failed |= tk_vec_reach(&p->images, (size_t)images_of(p)) != 0;
    const uint64_t sets = tk_tracy_pass_number(p);
    for (uint64_t i = 0; i < sets && tk_tracy_pass_going(p); i++) {
        struct frames f = {.first_image = -1};
        struct tk_tracy_frame_set set;
        if (!tk_tracy_read_frame_set(p->in, &set))
            return;
        tk_tracy_pass_put_frame_set(p, &set);
        f.continuous = set.continuous;
        const uint64_t n = tk_tracy_pass_number(p);
        f.first = tk_tracy_pass_note(p);
        p->items += n;
        p->kept[p->section] += p->out ? 0 : n;
        tk_tracy_pass_start_times(p, 0);
        for (; f.number < n && tk_tracy_pass_going(p); f.number++)
            pass_frame(p, &f);
        use_image(p, f.first_image);
    }
    uint32_t images = 0;
    for (size_t i = 0; i < p->images.n && !p->out; i++)
        p->images.v[i] = p->images.v[i] ? ++images : 0;
}

/* ---- sections of time ---- */

static void pass_category(struct tk_tracy_pass *p)
{
    tk_tracy_pass_through_category(p);
    tk_tracy_pass_each(p, tk_tracy_pass_through_time_section);
}

/* They are numbered as they come, so all of them stay. */
void tk_tracy_pass_time_sections(struct tk_tracy_pass *p)
{
    if (p->c->layout.section_list)
        tk_tracy_pass_each(p, tk_tracy_pass_through_time_section);
    if (!p->c->layout.section_categories)
        return;
    tk_tracy_pass_each(p, pass_category);
    tk_tracy_pass_each(p, tk_tracy_pass_through_description);
}

/* ---- numbers of zones ---- */

#define LISTED (UINT64_C(1) << 63) /* in zones_of */

static uint64_t unlisted(const uint64_t *zones)
{
    uint64_t n = 0;
    for (size_t i = 0; i <= UINT16_MAX; i++)
        n += zones[i] && !(zones[i] & LISTED);
    return n;
}

static void put_count(struct tk_tracy_pass *p, uint16_t location, uint64_t zones)
{
    const struct tk_tracy_zone_count count = {(int16_t)location, zones & ~LISTED};
    tk_tracy_pass_put_zone_count(p, &count);
}

/* Tracy looks its locations up in these lists, so those without a zone stay, and none is missing. */
static void pass_counts(struct tk_tracy_pass *p, uint64_t *zones)
{
    const uint64_t n = tk_tracy_u64(p->in, "zone counts");
    tk_tracy_pass_put(p, n + (p->out ? unlisted(zones) : 0), 8);
    for (uint64_t k = 0; k < n && tk_tracy_pass_going(p); k++) {
        struct tk_tracy_zone_count count;
        if (!tk_tracy_read_zone_count(p->in, &count))
            return;
        const uint16_t location = (uint16_t)count.location;
        zones[location] |= LISTED;
        put_count(p, location, zones[location]);
    }
    for (size_t i = 0; p->out && i <= UINT16_MAX; i++)
        if (zones[i] && !(zones[i] & LISTED))
            put_count(p, (uint16_t)i, zones[i]);
}

void tk_tracy_pass_zone_counts(struct tk_tracy_pass *p)
{
    for (unsigned i = 0; i < (p->c->layout.gpu_counts ? 2u : 1u); i++)
        pass_counts(p, p->zones_of[i]);
}
