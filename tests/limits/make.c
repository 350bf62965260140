/*
 * limits-make KIND N OUT: a capture with N of something.
 */
#include "make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void make_drain(struct make *m, uint64_t i)
{
    if (i % 256 != 255)
        return;
    tk_uw_lane_flush(&m->uw.important);
    tk_uw_lane_flush(&m->lane);
}

struct put_type *make_type(struct make *m, const char *name, const char *fields, uint8_t flags)
{
    struct put_type *type = m->n_types < MAKE_TYPES ? put_declare(&m->uw, name, fields, flags) : NULL;
    if (!type) {
        fprintf(stderr, "limits-make: %s cannot be declared\n", name);
        exit(1);
    }
    m->types[m->n_types++] = type;
    tk_uw_lane_flush(&m->uw.important);
    return type;
}

static int write_utrace(uint64_t n, const char *path, void (*fill)(struct make *m))
{
    struct make *m = calloc(1, sizeof *m);
    const struct tk_uw_options options = {.path = path, TK_UW_DEFAULTS};
    if (!m)
        return 1;
    m->n = n;
    if (tk_uw_open(&m->uw, &options) == 0) {
        tk_uw_new_trace(&m->uw);
        tk_uw_thread(&m->uw, &m->lane, TK_UW_TID_FIRST);
        tk_uw_thread_timing(&m->uw, &m->lane, 0);
        tk_uw_lane_flush(&m->uw.important);
        fill(m);
        tk_uw_lane_flush(&m->uw.important);
        tk_uw_lane_flush(&m->lane);
        tk_uw_lane_release(&m->lane);
    }
    int rc = tk_uw_close(&m->uw);
    for (unsigned i = 0; i < m->n_types; i++)
        free(m->types[i]);
    free(m);
    return rc != 0;
}

static int write_tracy(uint64_t n, const char *path,
                       void (*fill)(const struct tk_tw_options *options, uint64_t n))
{
    const struct tk_tw_options options = {
        .path = path, .version = TK_TW_V(0, 14, 0), .codec = TK_TW_LZ4, .streams = 1};
    fill(&options, n);
    return 0;
}

static const struct make_kind *find(const char *name)
{
    const struct make_kind *const lists[] = {make_stream, make_cpu, make_families, make_tracy};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct make_kind *kind = lists[i]; kind->name; kind++)
            if (strcmp(kind->name, name) == 0)
                return kind;
    return NULL;
}

int main(int argc, char **argv)
{
    const struct make_kind *kind = argc == 4 ? find(argv[1]) : NULL;
    if (!kind) {
        fprintf(stderr, "usage: limits-make KIND N OUT\n");
        return 2;
    }
    const uint64_t n = strtoull(argv[2], NULL, 10);
    return kind->utrace ? write_utrace(n, argv[3], kind->utrace) : write_tracy(n, argv[3], kind->tracy);
}
