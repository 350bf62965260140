/*
 * Pictures: what was on the screen, where the program recorded it: along the frames, and nearest to each
 * hitch.
 */
#include "base/wrap.h"
#include "report/report_in.h"
#include "table/cell.h"

#include <stdio.h>

static bool is_game(const struct tk_frame_type *type)
{
    return type->type == 0 && type->group == 1 && type->begin.n;
}

/* The time that game frames cover; where there are none, that of the pictures. */
static struct tk_album_want whole_of(const struct tk_chapter *c)
{
    const struct tk_frame_times *frames = &c->first.frames;
    const struct tk_album *album = &c->first.album;
    for (size_t i = 0; i < frames->n; i++) {
        const struct tk_frame_type *type = &frames->types[i];
        const size_t last = type->begin.n - 1;
        if (type->type == 0 && type->begin.n)
            return (struct tk_album_want){
                type->begin.v[0],
                tk_wrap_sub(tk_wrap_add(type->begin.v[last], type->length.v[last]), type->begin.v[0])};
    }
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (size_t i = 0; i < album->known.n; i++) {
        const int64_t time = album->known.v[i].time;
        first = time < first ? time : first;
        last = time > last ? time : last;
    }
    return (struct tk_album_want){first, tk_wrap_sub(last, first)};
}

/* The pictures of the frames where they are few, else even times. */
static size_t want_strip(const struct tk_chapter *c, struct tk_album_want *wanted)
{
    const struct tk_album *album = &c->first.album;
    const struct tk_album_want whole = whole_of(c);
    size_t n = 0;
    if (album->known.n > TK_ALBUM_PICTURES) {
        for (; n < TK_ALBUM_PICTURES; n++)
            wanted[n].begin = tk_wrap_add(whole.begin, whole.length / TK_ALBUM_PICTURES * (int64_t)n +
                                                           whole.length / (2 * TK_ALBUM_PICTURES));
        return n;
    }
    for (size_t i = 0; i < album->known.n; i++)
        if (album->known.v[i].time >= whole.begin &&
            tk_wrap_sub(album->known.v[i].time, whole.begin) <= whole.length)
            wanted[n++].begin = album->known.v[i].time;
    return n;
}

static int read_pictures(struct tk_chapter *c)
{
    const char *tables[2];
    struct tk_query query = *c->query;
    const struct tk_sink sink = tk_album_sink(&c->first.album);
    query.tables = tables;
    query.n_tables = 0;
    for (size_t i = 0; tk_album_table(i); i++)
        if (tk_has_table(c->trace, tk_album_table(i)))
            tables[query.n_tables++] = tk_album_table(i);
    query.by = TK_BY_EXTRA;
    return tk_query_run(c->trace, &query, &sink, c->err);
}

/* Of hitches first; what is left is along the frames. */
int tk_pictures_gather(struct tk_chapter *c, const struct tk_album_want *hitches, size_t n)
{
    struct tk_album_want strip[TK_ALBUM_PICTURES] = {{0, 0}};
    struct tk_album *album = &c->first.album;
    if (album->known.n == 0 || c->pictures->pictures == 0)
        return TK_OK;
    if (tk_album_choose(album, hitches, n, c->pictures) ||
        tk_album_choose(album, strip, want_strip(c, strip), c->pictures))
        return TK_ENOMEM;
    const int rc = read_pictures(c);
    tk_album_end(album, c->pictures);
    return rc;
}

/* ---- the strip ---- */

/* The game frame that has a time in it. */
static bool find_frame(const struct tk_chapter *c, int64_t time, uint64_t *frame)
{
    const struct tk_frame_times *frames = &c->first.frames;
    for (size_t t = 0; t < frames->n; t++) {
        const struct tk_frame_type *type = &frames->types[t];
        for (size_t i = 0; is_game(type) && i < type->begin.n; i++)
            if (time >= type->begin.v[i] && tk_wrap_sub(time, type->begin.v[i]) < type->length.v[i]) {
                *frame = i;
                return true;
            }
    }
    return false;
}

static void put_one(struct tk_chapter *c, size_t i)
{
    static const struct tk_column at = {.name = "time", .kind = TK_TIME};
    const struct tk_album_picture *p = &c->first.album.pictures.v[i];
    const struct tk_cell time = tk_cell_of_time(p->of.time);
    char alt[64] = "Recorded picture";
    uint64_t frame;
    const bool known = find_frame(c, p->of.time, &frame);
    if (known)
        snprintf(alt, sizeof alt, "Recorded picture of frame %llu", (unsigned long long)frame);
    tk_markup_format(c->m, "<li><figure class=\"recorded\" id=\"%spicture-%zu\">", c->prefix, i + 1);
    tk_album_put(p, alt, tk_markup_html(c->m));
    tk_markup_put(c->m, "<figcaption>");
    if (known)
        tk_markup_format(c->m, "frame %llu, ", (unsigned long long)frame);
    tk_markup_cell(c->m, &time, &at);
    tk_markup_put(c->m, "</figcaption></figure></li>\n");
}

static void put_sentence(struct tk_chapter *c)
{
    const struct tk_album *album = &c->first.album;
    if (album->pictures.n < album->known.n)
        tk_markup_format(c->m, "<p class=\"more\">%zu of %zu recorded pictures", album->pictures.n,
                         album->known.n);
    else
        tk_markup_format(c->m, "<p class=\"more\">%zu recorded picture%s", album->pictures.n,
                         album->pictures.n == 1 ? "" : "s");
    tk_markup_put(c->m, ", made smaller where they are large");
    if (album->omitted)
        tk_markup_format(c->m, "; %zu that would be here cannot be shown or %s too large", album->omitted,
                         album->omitted == 1 ? "is" : "are");
    tk_markup_put(c->m, ". All: <code>trace-export FILE -f pictures -o FOLDER</code></p>\n");
}

void tk_pictures_put(struct tk_chapter *c)
{
    const struct tk_album *album = &c->first.album;
    if (album->pictures.n + album->omitted == 0)
        return;
    put_sentence(c);
    if (album->pictures.n == 0)
        return;
    tk_markup_put(c->m, "<ol class=\"strip\" tabindex=\"0\" aria-label=\"Recorded pictures\">\n");
    for (size_t i = 0; i < album->pictures.n; i++)
        put_one(c, i);
    tk_markup_put(c->m, "</ol>\n");
}

void tk_picture_of_hitch_put(struct tk_chapter *c, const struct tk_album_want *hitch)
{
    const struct tk_album *album = &c->first.album;
    const size_t i = tk_album_nearest(album, hitch);
    if (i == album->pictures.n)
        return;
    tk_markup_format(c->m, "<p class=\"recorded\"><a href=\"#%spicture-%zu\">Recorded picture</a>, ",
                     c->prefix, i + 1);
    tk_album_put_distance(&album->pictures.v[i], hitch, tk_markup_html(c->m));
    tk_markup_put(c->m, ".</p>\n");
}
