/*
 * Blocks: JSON, deflated, in base64. See block.h.
 */
#include "page/block.h"

#include <stdlib.h>
#include <zlib.h>

static void put_base64(struct tk_buffer *b, const uint8_t *p, size_t n)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        const uint32_t v = (uint32_t)p[i] << 16 | (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) |
                           (i + 2 < n ? (uint32_t)p[i + 2] : 0);
        char *out = tk_buffer_room(b, 4);
        out[0] = alphabet[v >> 18];
        out[1] = alphabet[v >> 12 & 63];
        out[2] = i + 1 < n ? alphabet[v >> 6 & 63] : '=';
        out[3] = i + 2 < n ? alphabet[v & 63] : '=';
        b->n += 4;
    }
}

void tk_block_put(struct tk_markup *page, const char *id, struct tk_markup *data)
{
    uLongf n = compressBound((uLong)data->out.n);
    uint8_t *packed = malloc(n);
    if (data->out.status < 0 || !packed ||
        compress2(packed, &n, (const Bytef *)data->out.p, (uLong)data->out.n, 9) != Z_OK) {
        tk_buffer_fail(&page->out, data->out.status < 0 ? data->out.status : TK_ENOMEM);
    } else {
        tk_markup_format(page, "<script type=\"application/octet-stream\" id=\"%s\">", id);
        put_base64(&page->out, packed, n);
        tk_markup_put(page, "</script>\n");
    }
    free(packed);
    data->out.n = 0;
}
