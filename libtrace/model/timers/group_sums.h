/*
 * Groups: what the table `groups` (groups.c) sums up by, and how sums become those of groups: stretches of
 * time are known beforehand (group_intervals.c), classes, files and labels when all is read (group_merge.c).
 */
#ifndef TK_MODEL_GROUPS_GROUP_SUMS_H
#define TK_MODEL_GROUPS_GROUP_SUMS_H

#include "model/sums/interval_index.h"
#include "model/sums/label_sums.h"
#include "model/sums/packed_sums.h"
#include "model/sums/timer_sums.h"

/* What a part is shown as. */
struct tk_group {
    const struct tk_str *name;
    int64_t begin, end;
    uint32_t number;
    bool is_region, open;
};

struct tk_groups {
    const struct tk_query_context *view;
    unsigned by; /* one of TK_BY_CLASS, ... */
    struct tk_asked_timers asked;
    struct tk_interval_sums *workers;  /* owned; of the first in the end those of all */
    struct tk_label_sums *labels;      /* owned, by worker; NULL but by label */
    struct tk_packed_sums packed;      /* all, when they are merged */
    struct tk_interval_index_now *now; /* owned, by worker; NULL where pieces change too often */
    unsigned n_workers;
    TK_VEC(struct tk_timer_sum_set *)
    sets; /* owned; by class: by lane, NULL: had no run; by file: by worker */
    TK_VEC(struct tk_interval_set) tracks; /* of regions one, of frames one a type */
    struct tk_interval_index covers;       /* of the tracks */
    TK_VEC(struct tk_group) parts;
    struct tk_map by_name;    /* address of a name -> place of its part; of regions: how many there are */
    TK_VEC(uint32_t) threads; /* ids by lane */
    TK_VEC(uint8_t) kinds;    /* likewise: enum tk_lane_kind */
    TK_VEC(struct tk_child_times) children; /* by lane */
    struct tk_intern names;
};

/* Adds a part, which is then the last one of its name. 0, or -1 without memory. */
int tk_groups_add(struct tk_groups *g, const struct tk_group *part);

/* Makes the groups of regions or of types of frames, and the stretches of time that they are. 0, -1 without
 * memory, or 1 when too many of them lie in each other. */
int tk_groups_stretch(struct tk_groups *g);

/* Puts together what workers and lanes summed up, packed in order of group and timer: whoever sorts the rows
 * may hold them all. 0, or -1 without memory. */
int tk_groups_merge(struct tk_groups *g);

#endif
