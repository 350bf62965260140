/*
 * Assets: style and script of pages, which the build makes of the files in report/page/, and their hashes for
 * the policy of a page. page.c puts them around the chapters.
 */
#ifndef TK_REPORT_ASSETS_H
#define TK_REPORT_ASSETS_H

/* NUL-terminated; the hashes are SHA-256 in base64. */
extern const char tk_page_script[], tk_page_script_hash[], tk_page_style[], tk_page_style_hash[];

#endif
