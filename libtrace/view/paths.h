/*
 * Paths: everything that can be asked for, as one static table. No part of a request is ever the name of a
 * file.
 */
#ifndef TK_VIEW_PATHS_H
#define TK_VIEW_PATHS_H

#include "view/answers.h"

/* Who answers: nobody is waited for, or a thread of its own. */
enum tk_view_worker { TK_VIEW_DRAWING, TK_VIEW_TABLES, TK_VIEW_WORKERS, TK_VIEW_AT_ONCE };

struct tk_view_path {
    const char *path, *type;
    enum tk_view_worker worker;
    bool open;        /* anybody may have it: it says nothing of a capture */
    bool newest;      /* of one page only the newest request counts */
    const char *text; /* what is answered; NULL: by the function, or by view.c */
    tk_view_answer *answer;
};

/* NULL where there is no such path. */
const struct tk_view_path *tk_view_path_find(struct tk_http_text path);

#endif
