/*
 * Page: a self-contained HTML file about captures (tk_page_... of tracekit.h). Chapters are collected in
 * memory, which the bound on a page allows, and written with style, script and policy around them.
 */
#include "report/page.h"

#include "base/err.h"
#include "base/given.h"
#include "base/text/path.h"
#include "report/report_in.h"
#include "tracekit/sinks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NUL-terminated; the hashes are SHA-256 in base64. */
extern const char tk_page_script[], tk_page_script_hash[], tk_page_style[], tk_page_style_hash[];

struct tk_page {
    struct tk_page_options options;
    struct tk_markup body;
    unsigned captures;
    TK_VEC(char) front;             /* what comes before the captures */
    struct tk_album_limit pictures; /* recorded ones that it still takes */
    TK_VEC(char) title;             /* as the caller says it, else the name of the first capture */
};

static int keep_title(struct tk_page *page, const char *title)
{
    const size_t n = strlen(title) + 1;
    if (tk_vec_reserve(&page->title, n))
        return TK_ENOMEM;
    memcpy(page->title.v, title, n);
    page->title.n = n;
    return TK_OK;
}

int tk_page_new(struct tk_page **out, const struct tk_page_options *options, struct tk_err *err)
{
    TK_GIVEN(err, out);
    struct tk_page *page = *out = calloc(1, sizeof *page);
    if (!page)
        return tk_err_nomem(err, "a page");
    page->options.size = sizeof page->options;
    page->pictures = TK_ALBUM_LIMIT;
    int rc = tk_struct_size_take(&page->options, sizeof page->options, options, "options of a page", err);
    if (rc == TK_OK)
        rc = tk_markup_init(&page->body, NULL);
    if (rc == TK_OK && page->options.title)
        rc = keep_title(page, page->options.title);
    page->options.title = NULL;
    if (rc < 0) {
        tk_page_free(page);
        *out = NULL;
    }
    return rc == TK_ENOMEM ? tk_err_nomem(err, "a page") : rc;
}

void tk_page_free(struct tk_page *page)
{
    if (!page)
        return;
    tk_vec_release(&page->title);
    tk_vec_release(&page->front);
    tk_markup_release(&page->body);
    free(page);
}

int tk_page_add(struct tk_page *page, struct tk_trace *trace, const struct tk_query *query, const char *name,
                struct tk_err *err)
{
    TK_GIVEN(err, page, trace, name);
    struct tk_query whole = {.size = sizeof whole};
    int rc = tk_struct_size_take(&whole, sizeof whole, query, "a query", err);
    if (rc < 0)
        return rc;
    struct tk_chapter chapter = {.trace = trace,
                                 .query = &whole,
                                 .options = &page->options,
                                 .name = name + tk_path_base(name),
                                 .pictures = &page->pictures,
                                 .m = &page->body,
                                 .err = err};
    whole.size = sizeof whole;
    whole.unit = TK_UNIT_NS;
    const size_t before = page->body.out.n;
    page->captures++;
    if (page->captures > 1)
        snprintf(chapter.prefix, sizeof chapter.prefix, "c%u-", page->captures);
    if (page->title.n == 0 && keep_title(page, chapter.name))
        return tk_err_nomem(err, "a page");
    tk_markup_format(&page->body, "<div class=\"capture\" data-prefix=\"%s\">\n", chapter.prefix);
    rc = tk_chapter_put(&chapter);
    tk_markup_put(&page->body, "</div>\n");
    if (rc < 0) {
        page->body.out.n = before;
        page->captures--;
    }
    return rc == TK_ENOMEM ? tk_err_nomem(err, "a page") : rc;
}

static const struct tk_html_style style = {tk_page_style, tk_page_style_hash, tk_page_script_hash, true};

static void put_front(const struct tk_page *page, struct tk_markup *m)
{
    const size_t n = page->title.n ? page->title.n - 1 : 0;
    tk_html_head(tk_markup_html(m), &style);
    tk_markup_text(m, (struct tk_str){.p = page->title.v, .n = (uint32_t)n}, TK_MARKUP_NAME);
    tk_html_body(tk_markup_html(m), &style);
    tk_markup_put(m, "<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<main id=\"main\">\n");
}

static void put_back(struct tk_markup *m)
{
    tk_html_end(tk_markup_html(m),
                "This file loads nothing from any network; it contains names, times and messages of the "
                "capture.",
                tk_page_script);
}

void tk_page_put(const struct tk_page *page, struct tk_markup *m)
{
    put_front(page, m);
    if (page->front.n)
        tk_buffer_put(&m->out, page->front.v, page->front.n);
    tk_buffer_put(&m->out, page->body.out.p, page->body.out.n);
    put_back(m);
}

int tk_page_front(struct tk_page *page, const char *html, size_t n, struct tk_err *err)
{
    TK_GIVEN(err, page, html);
    if (tk_vec_reserve(&page->front, page->front.n + n))
        return tk_err_nomem(err, "a page");
    memcpy(page->front.v + page->front.n, html, n);
    page->front.n += n;
    return TK_OK;
}

int tk_page_write(const struct tk_page *page, struct tk_output *out, struct tk_err *err)
{
    TK_GIVEN(err, page, out);
    struct tk_markup m;
    int rc = tk_markup_init(&m, err);
    if (rc == TK_OK)
        put_front(page, &m);
    if (rc == TK_OK && m.out.status == TK_OK)
        rc = tk_output_write(out, m.out.p, m.out.n, err);
    if (rc == TK_OK && page->front.n)
        rc = tk_output_write(out, page->front.v, page->front.n, err);
    if (rc == TK_OK)
        rc = tk_output_write(out, page->body.out.p, page->body.out.n, err);
    m.out.n = 0;
    if (rc == TK_OK)
        put_back(&m);
    if (rc == TK_OK && m.out.status == TK_OK)
        rc = tk_output_write(out, m.out.p, m.out.n, err);
    if (rc == TK_OK && m.out.status < 0)
        rc = tk_err_nomem(err, "a page");
    tk_markup_release(&m);
    return rc;
}
