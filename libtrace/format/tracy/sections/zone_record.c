/*
 * See zone_record.h.
 */
#include "format/tracy/sections/zone_record.h"

#include "format/tracy/walk/cells.h"

static uint32_t extra_field(const struct tk_tracy_walk *w, uint32_t extra, size_t field)
{
    if (extra >= w->extras.n / TK_TRACY_EXTRA)
        return 0;
    return (uint32_t)tk_load_le(w->extras.v + (size_t)extra * TK_TRACY_EXTRA + 3 * field, 3);
}

static int say_begin(struct tk_tracy_walk *w, uint32_t thread, const struct tk_tracy_zone_event *ev)
{
    const struct tk_tracy_strings *strings = &w->c->strings;
    struct tk_tracy_place place = tk_tracy_location_of(&w->c->locations, strings, ev->location);
    uint32_t colour = extra_field(w, ev->extra, 3);
    struct tk_cell cells[] = {
        tk_cell_of_text(place.name),
        tk_cell_of_text(place.file),
        tk_cell_of_uint(place.line),
        tk_cell_of_text(place.function),
        tk_cell_of_text(tk_tracy_string_of_index(strings, extra_field(w, ev->extra, 1))),
        tk_cell_of_text(tk_tracy_string_of_index(strings, extra_field(w, ev->extra, 2))),
        tk_cell_of_hex(colour ? colour : place.colour),
        tk_tracy_id_cell(extra_field(w, ev->extra, 0)),
        tk_cell_of_uint(ev->children),
    };
    return tk_tracy_say(w, TK_TRACY_ZONE_BEGIN, ev->at, thread, ev->time, cells);
}

int tk_tracy_say_zone(struct tk_tracy_walk *w, uint32_t thread, const struct tk_tracy_zone_event *ev)
{
    struct tk_cell depth = tk_cell_of_uint(ev->depth);
    if (ev->begin)
        return tk_tracy_wants(w, TK_TRACY_ZONE_BEGIN) ? say_begin(w, thread, ev) : TK_OK;
    if (!tk_tracy_wants(w, TK_TRACY_ZONE_END) || ev->time < 0)
        return TK_OK;
    return tk_tracy_say(w, TK_TRACY_ZONE_END, ev->at, thread, ev->time, &depth);
}
