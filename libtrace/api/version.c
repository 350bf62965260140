/*
 * Versions: of the library and of those that it runs with; and the list of outcomes.
 */
#include "judge/outcomes.h"
#include "os/thread.h"
#include "tracekit/errors.h"

#include <cjson/cJSON.h>
#include <lz4.h>
#include <sqlite3.h>
#include <stdio.h>
#include <zlib.h>
#include <zstd.h>

const char *tk_version(void)
{
    return TK_VERSION;
}

uint32_t tk_version_number(void)
{
    return TK_VERSION_NUMBER;
}

static char libraries[160];

static void list_libraries(void)
{
    snprintf(libraries, sizeof libraries, "lz4 %s, zstd %s, zlib %s, sqlite %s, cJSON %s",
             LZ4_versionString(), ZSTD_versionString(), zlibVersion(), sqlite3_libversion(), cJSON_Version());
}

const char *tk_version_libraries(void)
{
    static struct tk_os_once once;
    tk_os_once(&once, list_libraries);
    return libraries;
}

const struct tk_outcome *tk_outcome_at(size_t i)
{
    return i < TK_OUTCOMES ? &tk_outcomes[i] : NULL;
}
