/*
 * Splits the command line as the C runtime does, into UTF-8, and sets up streams and the console.
 */
#include "os/windows/win32.h"

#include "os/command_line.h"

#include "base/text/path.h"
#include "os/windows/console.h"
#include "os/windows/wide.h"

#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(wchar_t c)
{
    return c == L' ' || c == L'\t';
}

/* Takes n backslashes; those before a quotation mark count half, and an odd one makes it a character. */
static const wchar_t *take_backslashes(const wchar_t *at, wchar_t **to, bool *quote)
{
    size_t n = 0;
    while (at[n] == L'\\')
        n++;
    const bool before_quote = at[n] == L'"';
    for (size_t i = 0; i < (before_quote ? n / 2 : n); i++)
        *(*to)++ = L'\\';
    *quote = before_quote && n % 2 == 0;
    if (before_quote && n % 2) {
        *(*to)++ = L'"';
        n++;
    }
    return at + n;
}

/* One word into `to`; returns what follows it. */
static const wchar_t *take_word(const wchar_t *at, wchar_t *to)
{
    bool quoted = false, quote;
    while (*at && (quoted || !is_blank(*at))) {
        if (*at == L'\\' || *at == L'"') {
            at = take_backslashes(at, &to, &quote);
            if (!quote)
                continue;
            at++;
            if (quoted && *at == L'"') /* two of them inside are one */
                *to++ = *at++;
            else
                quoted = !quoted;
        } else {
            *to++ = *at++;
        }
    }
    *to = 0;
    return at;
}

/* The name of the program knows no backslashes that are not its own. */
static const wchar_t *take_program(const wchar_t *at, wchar_t *to)
{
    bool quoted = false;
    for (; *at && (quoted || !is_blank(*at)); at++) {
        if (*at == L'"')
            quoted = !quoted;
        else
            *to++ = *at;
    }
    *to = 0;
    return at;
}

/* All words, in memory that stays until the end of the process. NULL: out of memory. */
static char **split(const wchar_t *line, int *count)
{
    const size_t n = wcslen(line);
    wchar_t *word = malloc((n + 1) * sizeof *word);
    char **words = calloc(n / 2 + 3, sizeof *words);
    int k = 0;
    bool good = word && words;
    if (good)
        line = take_program(line, word);
    while (good) {
        words[k] = tk_os_narrow_copy(word, wcslen(word));
        good = words[k++] != NULL;
        while (is_blank(*line))
            line++;
        if (!*line)
            break;
        line = take_word(line, word);
    }
    free(word);
    *count = k;
    if (good)
        return words;
    free(words);
    return NULL;
}

void tk_os_command_line(int *argc, char ***argv)
{
    int n;
    for (int i = 0; i < 3; i++)
        _setmode(i, _O_BINARY);
    tk_os_console_begin();
    atexit(tk_os_console_end);
    char **words = split(GetCommandLineW(), &n);
    if (words) {
        *argc = n;
        *argv = words;
    }
}

bool tk_os_shell_expands(void)
{
    return false;
}

bool tk_os_shows_utf8(void)
{
    return GetConsoleOutputCP() == CP_UTF8;
}

const char *tk_os_program_name(const char *path, unsigned *n)
{
    const char *name = path + tk_path_base(path);
    size_t length = strlen(name);
    if (length > 4 && _stricmp(name + length - 4, ".exe") == 0)
        length -= 4;
    *n = (unsigned)length;
    return name;
}
