/*
 * Where the sections of a .tracy stand, and how far it can be read: the first of two walks of an edit.
 * Below the pass, which changes them.
 */
#ifndef TK_EDIT_TRACY_TRACY_SURVEY_H
#define TK_EDIT_TRACY_TRACY_SURVEY_H

#include "format/tracy/reading/section_walk.h"
#include "format/tracy/reading/sections.h"

enum { TK_TRACY_MOST_SECTIONS = 40 };

struct tk_tracy_span {
    uint64_t start, end; /* in the payload */
    uint64_t items;
};

struct tk_tracy_survey {
    struct tk_tracy_span sections[TK_TRACY_MOST_SECTIONS];
    size_t whole;     /* sections that are there to their end; all where nothing is wrong */
    uint64_t threads; /* of the section with the zones, where that is not whole: those that are */
    bool damaged;
};

/* Walks. TK_OK or as tk_edit_run. */
int tk_tracy_survey_run(struct tk_tracy_survey *s, struct tk_tracy_capture *c, struct tk_err *err);

/* The same with `instead` of struct tk_tracy_walk. Of a damaged capture nothing is noted, and it is to be
 * surveyed again. */
int tk_tracy_survey_with(struct tk_tracy_survey *s, struct tk_tracy_capture *c,
                         bool (*instead)(void *ctx, struct tk_tracy_walk *w), void *ctx, struct tk_err *err);

#endif
