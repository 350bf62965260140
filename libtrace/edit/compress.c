/*
 * Names of compressions. See compress.h.
 */
#include "edit/compress.h"

#include <stdlib.h>
#include <string.h>

int tk_edit_compress_read(struct tk_edit_request *request, const char *text, struct tk_err *err)
{
    if (!text)
        return TK_OK;
    request->repack = true;
    request->plain = strcmp(text, "raw") == 0;
    if (request->plain || strcmp(text, "lz4") == 0)
        return TK_OK;
    if (strncmp(text, "lz4hc", 5) == 0 && (text[5] == 0 || text[5] == ':')) {
        char *end = NULL;
        const long level = text[5] ? strtol(text + 6, &end, 10) : 9;
        if (level >= 1 && level <= 12 && (!end || (*end == 0 && end != text + 6))) {
            request->level = (int)level;
            return TK_OK;
        }
        return tk_err_set(err, TK_EUSAGE, "'%s': the levels of lz4hc are 1 to 12", text);
    }
    return tk_err_set(err, TK_EUSAGE,
                      "'%s' is not a compression of a .utrace: choose from raw, lz4 or lz4hc:1 to lz4hc:12",
                      text);
}
