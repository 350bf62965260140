/*
 * Versions: of the library and of those that it runs with.
 */
#include "tracekit.h"

#include <cjson/cJSON.h>
#include <lz4.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <zlib.h>
#include <zstd.h>

const char *tk_version(void)
{
    return TK_VERSION;
}

const char *tk_version_libraries(void)
{
    static char text[160];
    static atomic_int state; /* 0: nobody has asked, 1: somebody writes the text, 2: it is there */
    int expected = 0;
    if (atomic_compare_exchange_strong(&state, &expected, 1)) {
        snprintf(text, sizeof text, "lz4 %s, zstd %s, zlib %s, sqlite %s, cJSON %s", LZ4_versionString(),
                 ZSTD_versionString(), zlibVersion(), sqlite3_libversion(), cJSON_Version());
        atomic_store(&state, 2);
    }
    while (atomic_load(&state) != 2)
        continue;
    return text;
}
