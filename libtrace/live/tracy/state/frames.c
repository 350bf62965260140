/*
 * Frame sets and images of frames (tracy-live 7.5).
 */
#include "live/tracy/state/state.h"

#include <string.h>

static int new_set(struct tk_tl_state *s, uint64_t name, bool continuous, uint32_t *i)
{
    int rc;
    struct tk_tl_frame_set *set = tk_tl_alloc(s, sizeof *set, &rc);
    if (!set)
        return rc;
    set->name = name;
    set->continuous = continuous;
    set->instead = TK_TL_NONE;
    tk_spill_column_begin(&set->frames, s->lasting, sizeof(struct tk_tl_frame));
    *i = (uint32_t)s->frame_sets.n;
    return tk_tl_push(s, &s->frame_sets, set);
}

/* The set of a name, or NULL. */
static struct tk_tl_frame_set *find_set(const struct tk_tl_state *s, uint64_t name)
{
    const uint32_t i = tk_map_get(&s->frame_set_of, name);
    if (i == TK_MAP_NONE)
        return NULL;
    struct tk_tl_frame_set *set = s->frame_sets.v[i];
    return set->instead == TK_TL_NONE ? set : s->frame_sets.v[set->instead];
}

/* The set of a name; a new one waits for the text of its name. */
static int set_of(struct tk_tl_state *s, uint64_t name, bool continuous, struct tk_tl_frame_set **out)
{
    uint32_t i;
    *out = find_set(s, name);
    if (*out)
        return TK_OK;
    TK_TL_TRY(new_set(s, name, continuous, &i));
    TK_TL_TRY(tk_tl_map_put(s, &s->frame_set_of, name, i));
    *out = s->frame_sets.v[i];
    s->unnamed_sets++;
    return tk_tl_ask(s, TK_TL_ASK_FRAME_SET, name, 0);
}

static int add_frame(struct tk_tl_state *s, struct tk_tl_frame_set *set, struct tk_tl_frame frame)
{
    struct tk_tl_frame *f = tk_spill_column_add(&set->frames);
    if (!f)
        return tk_tl_column_error(s);
    set->unsorted |= tk_spill_column_count(&set->frames) > 1 && frame.start < set->last.start;
    *f = set->last = frame;
    return TK_OK;
}

/* Another pointer had the same text: its set takes the frames. */
static int move_frames(struct tk_tl_state *s, struct tk_tl_frame_set *from, uint32_t to)
{
    const uint64_t n = tk_spill_column_count(&from->frames);
    struct tk_tl_frame f;
    struct tk_tl_frame_set *set = s->frame_sets.v[to];
    for (uint64_t i = 0; i < n; i++) {
        if (!tk_spill_column_get(&from->frames, i, &f))
            return tk_tl_column_error(s);
        if (i + 1 == n)
            f = from->last;
        TK_TL_TRY(add_frame(s, set, f));
    }
    set->unsorted |= n > 0;
    from->instead = to;
    tk_spill_column_release(&from->frames);
    tk_spill_column_begin(&from->frames, s->lasting, sizeof f);
    return TK_OK;
}

int tk_tl_on_frame_name(struct tk_tl_state *s, const uint8_t *p)
{
    const uint32_t i = tk_map_get(&s->frame_set_of, s->key);
    struct tk_tl_frame_set *set = i == TK_MAP_NONE ? NULL : s->frame_sets.v[i];
    uint32_t text;
    (void)p;
    TK_TL_TRY(tk_tl_store(s, s->data.p, s->data.n, &text));
    if (!set || set->listed || set->instead != TK_TL_NONE) {
        s->odd.answers++;
        return TK_OK;
    }
    s->unnamed_sets--;
    const uint32_t other = tk_map_get(&s->frame_set_by_text, text);
    if (other != TK_MAP_NONE)
        return move_frames(s, set, other);
    set->listed = true;
    TK_TL_TRY(tk_tl_map_put(s, &s->frame_set_by_text, text, i));
    TK_TL_TRY(tk_tl_push(s, &s->listed_sets, i));
    return tk_tl_name_pointer(s, set->name, text);
}

int tk_tl_on_frame_mark_msg(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_frame_set *set;
    TK_TL_TRY(set_of(s, tk_load64(p + 8), true, &set));
    return add_frame(s, set, (struct tk_tl_frame){tk_tl_time_at(s, p), -1});
}

int tk_tl_on_frame_mark_msg_start(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_frame_set *set;
    TK_TL_TRY(set_of(s, tk_load64(p + 8), false, &set));
    return add_frame(s, set, (struct tk_tl_frame){tk_tl_time_at(s, p), -1});
}

int tk_tl_on_frame_mark_msg_end(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_frame_set *set = find_set(s, tk_load64(p + 8));
    if (!set && s->protocol.old_frame_ends)
        TK_TL_TRY(set_of(s, tk_load64(p + 8), false, &set));
    const uint64_t n = set ? tk_spill_column_count(&set->frames) : 0;
    if (!n) {
        if (s->welcome.flags & TK_TL_ON_DEMAND && !s->protocol.old_frame_ends)
            return TK_OK;
        return tk_tl_fail(s, "a frame was ended that was not started", 0, 0, 0);
    }
    set->last.end = tk_tl_time_at(s, p);
    return tk_spill_column_change(&set->frames, n - 1, &set->last) ? TK_OK : tk_tl_column_error(s);
}

int tk_tl_on_frame_vsync(struct tk_tl_state *s, const uint8_t *p)
{
    const uint32_t screen = tk_load32(p + 8);
    uint32_t i = tk_map_get(&s->vsync_of, screen);
    if (i == TK_MAP_NONE) {
        TK_TL_TRY(new_set(s, UINT64_C(1) << 63 | s->vsyncs++, true, &i));
        s->frame_sets.v[i]->listed = true;
        TK_TL_TRY(tk_tl_map_put(s, &s->vsync_of, screen, i));
        TK_TL_TRY(tk_tl_push(s, &s->listed_sets, i));
    }
    return add_frame(s, s->frame_sets.v[i], (struct tk_tl_frame){tk_tl_time_at(s, p), -1});
}

/* ---- images ---- */

int tk_tl_on_frame_image_data(struct tk_tl_state *s, const uint8_t *p)
{
    (void)p;
    s->has_image = true;
    if (tk_vec_reserve(&s->image_data, s->data.n + 1))
        return tk_tl_nomem(s);
    memcpy(s->image_data.v, s->data.p, s->data.n);
    s->image_data.n = s->data.n;
    return TK_OK;
}

/* Colour indices come in linear order and are stored in that of BC1. */
static void order_blocks(uint8_t *p, size_t n)
{
    static const uint8_t of[4] = {1, 3, 2, 0};
    for (size_t i = 0; i < n; i++)
        if (i % 8 >= 4)
            p[i] = (uint8_t)(of[p[i] & 3] | of[p[i] >> 2 & 3] << 2 | of[p[i] >> 4 & 3] << 4 |
                             of[p[i] >> 6] << 6);
}

static int add_image(struct tk_tl_state *s, const uint8_t *p, uint32_t frame)
{
    const struct tk_tl_image image = {tk_load16(p + 4), tk_load16(p + 6), p[8] != 0,
                                      (uint32_t)s->image_data.n};
    if ((size_t)image.width * image.height / 2 != s->image_data.n) {
        s->odd.payloads++;
        return TK_OK;
    }
    if (tk_map_get(&s->image_of, frame) != TK_MAP_NONE)
        return tk_tl_fail(s, "a frame got two images", 0, 0, 0);
    order_blocks(s->image_data.v, s->image_data.n);
    TK_TL_TRY(tk_tl_map_put(s, &s->image_of, frame, (uint32_t)s->images.n));
    TK_TL_TRY(tk_tl_push(s, &s->images, image));
    return tk_spill_column_add_bytes(&s->image_bytes, s->image_data.v, s->image_data.n)
               ? TK_OK
               : tk_tl_column_error(s);
}

int tk_tl_on_frame_image(struct tk_tl_state *s, const uint8_t *p)
{
    const int64_t frame = (int64_t)((uint64_t)tk_load32(p) - s->welcome.frame_offset + 1);
    const bool has_image = s->has_image;
    s->has_image = false;
    if (s->welcome.flags & TK_TL_ON_DEMAND && frame <= 1)
        return TK_OK;
    if (frame <= 0)
        return tk_tl_fail(s, "an image came for a frame that does not exist", 0, 0, 0);
    if (!has_image || frame > UINT32_MAX) {
        s->odd.payloads++;
        return TK_OK;
    }
    return add_image(s, p, (uint32_t)frame);
}
