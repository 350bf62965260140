/*
 * What trace-edit says of an edit when it is done.
 */
#ifndef TK_CMD_RUN_EDIT_REPORT_H
#define TK_CMD_RUN_EDIT_REPORT_H

#include <stdbool.h>
#include <tracekit.h>

struct tk_edit_report {
    const char *program;
    bool quiet;
    uint64_t events, bytes, kept, kept_bytes, changed, replaced;
    char emptied[400]; /* "Game.Chat (12), ..." : types whose texts were left out as nobody knows them, */
    size_t n_emptied;  /* and how many there are */
};

/* Adds up the table of an edit. */
struct tk_sink tk_edit_report_sink(struct tk_edit_report *report);

/* A sentence on standard error, where somebody may read it; a warning in any case where texts were left out.
 */
void tk_edit_report_say(const struct tk_edit_report *report, const char *path);

#endif
