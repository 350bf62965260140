/*
 * Paths.
 */
#include "view/view_in.h"

/* NUL-terminated. */
extern const char tk_view_page[], tk_view_style[], tk_view_script[];

#define HTML   "text/html; charset=utf-8"
#define CSS    "text/css; charset=utf-8"
#define SCRIPT "text/javascript; charset=utf-8"
#define JSON   "application/json"
#define BYTES  "application/octet-stream"

static const struct tk_view_path paths[] = {
    {"/", HTML, TK_VIEW_AT_ONCE, true, false, tk_view_page, NULL},
    {"/view.css", CSS, TK_VIEW_AT_ONCE, true, false, tk_view_style, NULL},
    {"/view.js", SCRIPT, TK_VIEW_AT_ONCE, true, false, tk_view_script, NULL},
    {"/progress", JSON, TK_VIEW_AT_ONCE, false, false, NULL, NULL},
    {"/lanes", JSON, TK_VIEW_DRAWING, false, false, NULL, tk_view_answer_lanes},
    {"/names", JSON, TK_VIEW_DRAWING, false, false, NULL, tk_view_answer_names},
    {"/w", BYTES, TK_VIEW_DRAWING, false, true, NULL, tk_view_answer_window},
    {"/timer", JSON, TK_VIEW_DRAWING, false, false, NULL, tk_view_answer_timer},
    {"/stack", JSON, TK_VIEW_DRAWING, false, false, NULL, tk_view_answer_stack},
    {"/next", JSON, TK_VIEW_DRAWING, false, false, NULL, tk_view_answer_next},
    {"/search", JSON, TK_VIEW_DRAWING, false, false, NULL, tk_view_answer_search},
    {"/overview", JSON, TK_VIEW_TABLES, false, false, NULL, tk_view_answer_overview},
    {"/page", HTML, TK_VIEW_TABLES, false, false, NULL, tk_view_answer_page},
    {"/picture", BYTES, TK_VIEW_TABLES, false, false, NULL, tk_view_answer_picture},
    {"/rows", JSON, TK_VIEW_TABLES, false, true, NULL, tk_view_answer_rows},
};

const struct tk_view_path *tk_view_path_find(struct tk_http_text path)
{
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (tk_http_is(path, paths[i].path))
            return &paths[i];
    return NULL;
}
