/*
 * Assets: page, style and script of the viewer, which the build makes of the files in view/page/ and of those
 * that it shares with report/page/. paths.c gives them out.
 */
#ifndef TK_VIEW_ASSETS_H
#define TK_VIEW_ASSETS_H

/* NUL-terminated. */
extern const char tk_view_page[], tk_view_style[], tk_view_script[];

#endif
