/*
 * See pattern_file.h.
 */
#include "args/pattern_file.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST_TEXT (1u << 20)

bool tk_pattern_file_read(const char *path, const char **out, char message[TK_OPT_MESSAGE])
{
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(MOST_TEXT + 1) : NULL;
    size_t n = text ? fread(text, 1, MOST_TEXT + 1, file) : 0;
    bool good = text && !ferror(file) && n <= MOST_TEXT;
    if (file)
        fclose(file);
    if (good) {
        text[n] = 0;
        *out = text;
        return true;
    }
    free(text);
    snprintf(message, TK_OPT_MESSAGE, "the patterns of '%.120s' cannot be read", path);
    return false;
}
