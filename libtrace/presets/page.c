/*
 * Writes a file of another tool cell by cell. The presets insights and summarize write through it into an
 * output of io/output.
 */
#include "presets/page.h"

#include "base/err.h"
#include "base/text/text.h"
#include "sink/write/safe_text.h"

int tk_page_open(struct tk_page *page, struct tk_output_set *set, const char *path, bool force,
                 char separator, struct tk_err *err)
{
    *page = (struct tk_page){.separator = separator};
    int rc = tk_output_open_in(&page->output, set, path, force, tk_compressing_of(path), err);
    if (rc == TK_OK)
        rc = tk_buffer_init(&page->out, page->output, err);
    if (rc == TK_OK)
        rc = tk_buffer_init_scratch(&page->clean, &page->out);
    if (rc < 0)
        tk_page_discard(page);
    page->out.err = err;
    return rc;
}

static void begin_cell(struct tk_page *page)
{
    if (page->begun)
        tk_buffer_char(&page->out, page->separator);
    page->begun = true;
}

void tk_page_u64(struct tk_page *page, uint64_t v)
{
    begin_cell(page);
    tk_buffer_u64(&page->out, v);
}

void tk_page_i64(struct tk_page *page, int64_t v)
{
    begin_cell(page);
    tk_buffer_i64(&page->out, v);
}

void tk_page_fixed(struct tk_page *page, double v, unsigned decimals)
{
    char text[TK_PUT_FIXED];
    begin_cell(page);
    tk_buffer_put(&page->out, text, tk_put_fixed(text, v, decimals));
}

void tk_page_general(struct tk_page *page, double v, unsigned digits)
{
    char text[TK_PUT_FIXED];
    begin_cell(page);
    tk_buffer_put(&page->out, text, tk_put_general(text, v, digits));
}

void tk_page_c(struct tk_page *page, const char *s)
{
    begin_cell(page);
    tk_buffer_text(&page->out, s);
}

void tk_page_text(struct tk_page *page, struct tk_str s)
{
    begin_cell(page);
    s = s.p ? tk_safe_text_clean(&page->clean, s) : (struct tk_str){.p = ""};
    if (s.n && memchr(s.p, page->separator, s.n))
        tk_buffer_quoted(&page->out, s);
    else
        tk_buffer_put(&page->out, s.p, s.n);
}

void tk_page_head(struct tk_page *page, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        tk_page_c(page, names[i]);
    tk_page_end(page);
}

void tk_page_end(struct tk_page *page)
{
    tk_buffer_char(&page->out, '\n');
    page->begun = false;
}

int tk_page_status(const struct tk_page *page)
{
    return page->out.status;
}

int tk_page_commit(struct tk_page *page, struct tk_err *err)
{
    page->out.err = err;
    int rc = tk_page_status(page);
    if (rc == TK_OK)
        rc = tk_buffer_flush(&page->out);
    if (rc == TK_OK) {
        rc = tk_output_commit(page->output, err);
        page->output = NULL;
    } else if (rc == TK_ENOMEM) {
        rc = tk_err_nomem(err, "a file");
    }
    tk_page_discard(page);
    return rc;
}

void tk_page_discard(struct tk_page *page)
{
    tk_buffer_release(&page->out);
    tk_buffer_release(&page->clean);
    tk_output_discard(page->output);
    *page = (struct tk_page){0};
}
