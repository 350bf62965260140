/*
 * Columns of the tables that the format fills; the sections say the rows, each in its file.
 */
#include "format/tracy/walk/own_tables.h"

#include <stddef.h>

#define TABLE(symbol, text, what, about)                                                                     \
    const struct tk_table tk_tracy_table_##symbol = {.name = text,                                           \
                                                     .flags = what,                                          \
                                                     .help = about,                                          \
                                                     .columns = symbol##_columns,                            \
                                                     .n_columns = sizeof symbol##_columns /                  \
                                                                  sizeof *symbol##_columns};

static const struct tk_column gpu_notes_columns[] = {
    {"context_id", TK_UINT, 0, NULL, "number of the GPU context"},
    {"name", TK_TEXT, 0, NULL, "its name"},
    {"query_id", TK_UINT, 0, NULL, "which of its queries"},
    {"note_id", TK_INT, TK_COL_EXTRA, NULL, "id of the measured quantity"},
    {"what", TK_TEXT, 0, NULL, "its name"},
    {"value", TK_REAL, 0, NULL, "the value"},
};
TABLE(gpu_notes, "gpu_notes", TK_TABLE_EACH, "measurements recorded with GPU zones")

static const struct tk_column symbols_columns[] = {
    {"address", TK_HEX, 0, NULL, "start address in the process"},
    {"bytes", TK_SIZE, 0, NULL, "size of its code"},
    {"name", TK_TEXT, 0, NULL, "the function"},
    {"file", TK_TEXT, 0, NULL, "source file"},
    {"line", TK_UINT, 0, NULL, "line in it"},
    {"image", TK_TEXT, 0, NULL, "executable or library"},
    {"inline", TK_BOOL, TK_COL_EXTRA, NULL, "is it an inlined call?"},
    {"call_file", TK_TEXT, TK_COL_EXTRA, NULL, "for an inlined call: file of the call"},
    {"call_line", TK_UINT, TK_COL_EXTRA, NULL, "line of the call"},
};
TABLE(symbols, "symbols", 0, "functions in samples and callstacks")

static const struct tk_column hardware_samples_columns[] = {
    {"time", TK_TIME, 0, NULL, "when it was taken"},
    {"address", TK_HEX, 0, NULL, "what was executed"},
    {"event", TK_TEXT, 0, NULL, "what the processor counted"},
};
TABLE(hardware_samples, "hardware_samples", TK_TABLE_EACH, "hardware counter samples, by address and event")

static const struct tk_column frame_images_columns[] = {
    {"image_id", TK_UINT, 0, NULL, "its number"},
    {"width", TK_UINT, 0, "pixels", "width"},
    {"height", TK_UINT, 0, "pixels", "height"},
    {"flipped", TK_BOOL, 0, NULL, "is it upside down?"},
    {"bytes", TK_SIZE, 0, NULL, "bytes of its blocks"},
    {"data", TK_BYTES, TK_COL_EXTRA, NULL, "its pixels as BC1 blocks, row by row"},
};
TABLE(frame_images, "frame_images", TK_TABLE_EACH, "frame images")

static const struct tk_column source_files_columns[] = {
    {"file", TK_TEXT, 0, NULL, "its name"},
    {"bytes", TK_SIZE, 0, NULL, "size"},
    {"text", TK_TEXT, TK_COL_EXTRA, NULL, "its content"},
};
TABLE(source_files, "source_files", 0, "source files stored in the capture")

static const struct tk_column cpu_use_columns[] = {
    {"system_id", TK_INT, 0, NULL, "thread id of the operating system"},
    {"thread_id", TK_UINT, 0, NULL, "id of the thread; empty for other processes"},
    {"thread", TK_TEXT, 0, NULL, "name of the thread"},
    {"name", TK_TEXT, TK_COL_EXTRA, NULL, "system name, for threads of other processes"},
    {"process_id", TK_UINT, TK_COL_EXTRA, NULL, "process id, if recorded"},
    {"running", TK_DURATION, 0, NULL, "time on a core"},
    {"regions", TK_UINT, 0, NULL, "number of times on a core"},
    {"migrations", TK_UINT, 0, NULL, "number of migrations to another core"},
};
TABLE(cpu_use, "cpu_use", 0, "CPU use of threads during the capture")

const struct tk_table *const tk_tracy_row_tables[] = {
    &tk_tracy_table_gpu_notes,
    &tk_tracy_table_symbols,
    &tk_tracy_table_hardware_samples,
    &tk_tracy_table_frame_images,
    &tk_tracy_table_source_files,
    &tk_tracy_table_cpu_use,
    NULL,
};
