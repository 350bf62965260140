/*
 * Draws bars and histograms of numeric cells in one line. The format `table` calls it while it lays out a
 * row.
 */
#include "sink/write/bars.h"

#define EIGHTHS 8u

void tk_bars_bar(struct tk_buffer *b, size_t n, size_t most, size_t width, bool ascii)
{
    static const char *const parts[EIGHTHS] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const size_t steps = ascii ? 1 : EIGHTHS;
    size_t length = (n * width * steps + most / 2) / most;
    if (n && length == 0)
        length = 1;
    if (ascii) {
        tk_buffer_fill(b, '#', length);
        return;
    }
    for (size_t i = 0; i < length / EIGHTHS; i++)
        tk_buffer_text(b, "█");
    tk_buffer_text(b, parts[length % EIGHTHS]);
}
