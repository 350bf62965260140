/*
 * Partitions: what a capture is called in a folder that many captures are exported to.
 */
#ifndef TK_CMD_ARGS_EXPORT_PARTITION_H
#define TK_CMD_ARGS_EXPORT_PARTITION_H

#include <stddef.h>

/*
 * The name of the file without folder and endings (.utrace, .tracy, of compression), of letters and digits of
 * ASCII, '.', '_' and '-' alone: "my game.utrace.zst" is "my_game". room: of the name with its NUL; longer
 * ones are cut.
 */
void tk_partition_name(const char *path, char *name, size_t room);

#endif
