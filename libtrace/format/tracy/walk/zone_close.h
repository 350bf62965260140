/*
 * The zones of one thread, closed while they are decoded: what statistics of times alone want, without a list
 * of begins and ends between. The hot path of such a reading; zone_tree.h is that of all others.
 *
 * What comes out is what the scope model would make of the begins and ends of zone_tree.h, in every case:
 * times that go backwards are raised, zones without an end are lost or stay open, zones deeper than the limit
 * of open scopes are counted and not timed.
 */
#ifndef TK_FORMAT_TRACY_ZONES_ZONE_CLOSE_H
#define TK_FORMAT_TRACY_ZONES_ZONE_CLOSE_H

#include "base/vec.h"
#include "fact/scopes.h"
#include "format/tracy/file/payload.h"
#include "format/tracy/walk/locations.h"
#include "format/tracy/walk/zone_tree.h"

#define TK_TRACY_CLOSED 4096u /* closed zones at a time: they stay in the cache of a core */

/* Closed zones, in order of their ends. */
struct tk_tracy_closed {
    size_t n;
    uint64_t total[TK_TRACY_CLOSED], excl[TK_TRACY_CLOSED]; /* cycles */
    uint32_t timer[TK_TRACY_CLOSED];
    uint8_t outer[TK_TRACY_CLOSED];
};

/* A zone under way. */
struct tk_tracy_level {
    int64_t begin;
    uint64_t children; /* cycles in children that are closed */
    uint32_t left;     /* children to come */
    uint32_t timer;
    uint8_t outer;
};

struct tk_tracy_closing {
    const struct tk_tracy_locations *locations; /* borrowed */
    struct tk_tracy_level *levels;              /* owned; zones under way in [1 .. depth], [0]: the roots */
    uint32_t *open;                             /* owned; by timer: zones that the levels hold */
    uint32_t limit;                             /* open scopes that are timed */
    bool by_piece; /* tk_tracy_closing_run stops where a piece of the payload has no whole zone left */

    /* of the thread */
    uint32_t depth;
    uint32_t unclosed; /* zones without an end above `depth`, which nothing has followed yet */
    int64_t time;      /* the running time */
    int64_t given;     /* time of the last begin or end that counts */
    bool any;          /* there was one */
    uint32_t most;     /* zones inside each other; what is deeper is left out with all that follows */
    bool too_deep;     /* `most` is reached */
    int64_t latest;    /* no time is beyond it. INT64_MAX after opening */
    enum tk_tracy_zone_fault fault; /* what follows is left out */
    uint64_t fault_at;              /* place of the payload */
    struct tk_closed_lane lane;
    TK_VEC(struct tk_open_scope) lost, rest; /* for the lane */
    uint64_t none, unknown; /* begins without a location, and whose location does not exist; to be cleared */
};

/* Room for timers of all locations; limits is how many scopes may be open. TK_OK or TK_ENOMEM. */
int tk_tracy_closing_open(struct tk_tracy_closing *c, const struct tk_tracy_locations *locations,
                          uint64_t limit, uint64_t most);
void tk_tracy_closing_release(struct tk_tracy_closing *c);

/* Begins a tree with so many zones on its first level. */
void tk_tracy_closing_begin(struct tk_tracy_closing *c, uint32_t roots);

/* Is there nothing left of the tree? */
static inline bool tk_tracy_closing_done(const struct tk_tracy_closing *c)
{
    return !c->depth && !c->levels[0].left;
}

/*
 * Adds to `out`, until it is full, a piece ends (by_piece), the tree is done or too deep, or the payload has
 * a fault. Adds something unless one of the last three is so. TK_OK or TK_ENOMEM.
 */
int tk_tracy_closing_run(struct tk_tracy_closing *c, struct tk_tracy_payload *in,
                         struct tk_tracy_closed *out);

/* When nothing more comes: what is to be told of the lane, until the next tree begins; NULL without memory.
 */
const struct tk_closed_lane *tk_tracy_closing_end(struct tk_tracy_closing *c);

#endif
