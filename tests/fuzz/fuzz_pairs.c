/*
 * Two tables of one open capture, one behind the other: the rows of the second are those that it has alone.
 * The input is a line with the names of both, and behind it a capture of any format. A word that names no
 * table stands for one of them.
 */
#include "rig.h"

#include <string.h>

enum { MOST_WORD = 40 };

/* The next word, which ends before a blank or the end of the line. */
static void take_word(struct fuzz_in *in, char word[MOST_WORD])
{
    size_t n = 0;
    while (in->n && *in->p != ' ' && *in->p != '\n') {
        const uint8_t c = fuzz_u8(in);
        if (n + 1 < MOST_WORD)
            word[n++] = (char)c;
    }
    word[n] = '\0';
    fuzz_u8(in);
}

static const char *table_of(const char *word)
{
    size_t n, sum = 0;
    const struct tk_table *const *tables = tk_tables(&n);
    if (tk_table_find(word))
        return tk_table_find(word)->name;
    for (; *word; word++)
        sum = sum * 31 + (unsigned char)*word;
    return tables[sum % n]->name;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = {data, size};
    char first[MOST_WORD], second[MOST_WORD];
    take_word(&in, first);
    take_word(&in, second);
    fuzz_pair(in.p, in.n, table_of(first), table_of(second));
    return 0;
}
