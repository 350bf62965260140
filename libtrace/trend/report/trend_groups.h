/*
 * Events that are reported together: those of one night with one cause. Texts and Markdown list groups.
 */
#ifndef TK_COMPARE_TREND_REPORT_TREND_GROUPS_H
#define TK_COMPARE_TREND_REPORT_TREND_GROUPS_H

#include "trend/trend.h"

/* Where a group is listed. */
enum tk_trend_section {
    TK_TREND_REGRESSED, /* something in it alarms */
    TK_TREND_MACHINES,
    TK_TREND_CHANGED,
    TK_TREND_DRIFTS,
    TK_TREND_LIKELY,
    TK_TREND_SUSPECTS,
    TK_TREND_SECTIONS
};

struct tk_trend_group {
    const struct tk_trend_event *head;           /* of a class, a parent, or the largest of the members */
    const struct tk_trend_event *const *members; /* n, the largest first, without the head; of the list */
    size_t n;
    uint8_t section;
};

struct tk_trend_groups {
    const struct tk_trend_event **order; /* owned */
    TK_VEC(struct tk_trend_group) v;     /* owned; by section, then the newest first */
};

/* 0, or -1 if out of memory; release in both cases. */
int tk_trend_groups_make(struct tk_trend_groups *g, const struct tk_trend *t);
void tk_trend_groups_release(struct tk_trend_groups *g);

/* How many groups a section has. */
size_t tk_trend_groups_count(const struct tk_trend_groups *g, enum tk_trend_section section);

#endif
