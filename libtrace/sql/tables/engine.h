/*
 * SQLite as this room calls it: the library that is linked, or in the loadable extension the one of the
 * program that loads it. The first header of each file that calls SQLite.
 */
#ifndef TK_SQL_ROWS_ENGINE_H
#define TK_SQL_ROWS_ENGINE_H

#ifdef TK_SQL_EXTENSION
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#else
#include <sqlite3.h>
#endif

/* From this version on a module is told constants, lists and groups. */
#define TK_SQL_TOLD 3038000

#endif
