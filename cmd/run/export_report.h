/*
 * Export report: the messages of trace-export and trace-report about an export: what was written, what opens
 * it, and what the format cannot hold.
 */
#ifndef TK_CMD_RUN_EXPORT_REPORT_H
#define TK_CMD_RUN_EXPORT_REPORT_H

#include "run/command.h"

struct tk_export_report {
    const char *program, *format; /* NULL format: a preset */
    bool quiet;                   /* nothing is said; the status does not depend on what is */
    bool verbose;                 /* also which tables were left out */
    uint64_t tables, rows;        /* left out so far */
    bool lost;                    /* values were rounded or became null */
};

/* Hooks of tk_export_options and tk_writer_options (lost); ctx: the report. */
void tk_export_report_left(void *ctx, const char *table, uint64_t rows);
void tk_export_report_rounded(void *ctx, const char *table, const char *column, uint64_t values);
void tk_export_report_lost(void *ctx, const char *table, const char *column, uint64_t values);

/* After the export. path: where it went, NULL or "-": standard output; written: it is there. What was written
 * is said where a person can read it, on a terminal, or when verbose. */
void tk_export_report_end(const struct tk_export_report *report, const char *path, bool written);

/* Is it a format whose bytes are no text? */
bool tk_export_is_binary(const char *format);

#endif
