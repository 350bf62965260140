/*
 * Fills the caller's struct of causes. Every function that can fail reports through it.
 */
#include "base/err.h"

#include "base/bits.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Copies public structs of any known size. The functions of tracekit.h take their structs with it.
 */

int tk_struct_size_take(void *to, size_t size, const void *from, const char *what, struct tk_err *err)
{
    size_t known = size;
    if (from)
        memcpy(&known, from, sizeof known);
    if (known == 0)
        return tk_err_set(err, TK_EUSAGE, "the size of %s is 0 (see TK_INIT)", what);
    if (from)
        memcpy(to, from, known < size ? known : size);
    memcpy(to, &size, sizeof size);
    return TK_OK;
}

/*
 * Queries the processor by cpuid. Decoders choose their instructions by it.
 */

#if defined(__GNUC__) && defined(__x86_64__)

#include <cpuid.h>

/* "AuthenticAMD", as registers hold it */
enum { AMD_B = 0x68747541, AMD_D = 0x69746e65, AMD_C = 0x444d4163, ZEN_1_2 = 0x17, BMI2 = 1 << 8 };

static unsigned family(unsigned version)
{
    const unsigned base = version >> 8 & 15;
    return base == 15 ? base + (version >> 20 & 255) : base;
}

static bool ask_pext(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & BMI2))
        return false;
    __cpuid(0, a, b, c, d);
    const bool amd = b == AMD_B && d == AMD_D && c == AMD_C;
    __cpuid(1, a, b, c, d);
    return !(amd && family(a) == ZEN_1_2);
}

bool tk_cpu_has_pext(void)
{
    static _Atomic int known; /* 0: not queried yet. Virtual machines take microseconds for cpuid */
    int answer = known;
    if (!answer)
        known = answer = ask_pext() ? 2 : 1;
    return answer == 2;
}

#else

bool tk_cpu_has_pext(void)
{
    return false;
}

#endif

/* A text that did not fit must not end inside a UTF-8 character. */
static void cut_at_character(char *text, size_t capacity)
{
    size_t n = strlen(text);
    if (n + 1 < capacity)
        return;
    size_t tail = n;
    while (tail > 0 && n - tail < 3 && ((unsigned char)text[tail - 1] & 0xc0) == 0x80)
        tail--;
    if (tail == 0)
        return;
    unsigned char lead = (unsigned char)text[tail - 1];
    size_t want = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    if (want > 1 && n - tail + 1 < want)
        text[tail - 1] = '\0';
}

static void put_text_err(char text[TK_ERR_TEXT], const char *fmt, va_list ap)
{
    if (vsnprintf(text, TK_ERR_TEXT, fmt, ap) < 0)
        text[0] = '\0';
    cut_at_character(text, TK_ERR_TEXT);
}

int tk_err_vset(struct tk_err *err, int code, const char *fmt, va_list ap)
{
    if (!err)
        return code;
    err->code = code;
    err->n = 1;
    put_text_err(err->text[0], fmt, ap);
    return code;
}

int tk_err_set(struct tk_err *err, int code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    tk_err_vset(err, code, fmt, ap);
    va_end(ap);
    return code;
}

int tk_err_add(struct tk_err *err, const char *fmt, ...)
{
    if (!err)
        return TK_EIO;
    if (err->n >= TK_ERR_CAUSES)
        err->n = TK_ERR_CAUSES - 1;
    va_list ap;
    va_start(ap, fmt);
    put_text_err(err->text[err->n++], fmt, ap);
    va_end(ap);
    return err->code;
}

int tk_err_left_out(struct tk_err *err, const char *option)
{
    return tk_err_set(err, TK_EUSAGE, "this build is without that part: configure it with -DTK_WITH_%s=ON",
                      option);
}

void tk_err_because(struct tk_err *err, const char *reason)
{
    if (!err || err->n == 0)
        return;
    char *text = err->text[err->n - 1];
    size_t n = strlen(text);
    snprintf(text + n, TK_ERR_TEXT - n, ": %s", reason);
    /* an abbreviation stays as it is */
    if (n + 2 < TK_ERR_TEXT && islower((unsigned char)reason[0] ? (unsigned char)reason[1] : 0))
        text[n + 2] = (char)tolower((unsigned char)text[n + 2]);
    cut_at_character(text, TK_ERR_TEXT);
}

const char *tk_err_text(const struct tk_err *err, int status)
{
    static const char *const sentences[] = {"no error",
                                            [-TK_EUSAGE] = "invalid request",
                                            [-TK_EMATCH] = "nothing matches",
                                            [-TK_EIO] = "the input cannot be read",
                                            [-TK_EFORMAT] = "the input is not a readable capture",
                                            [-TK_EOUTPUT] = "the output cannot be written",
                                            [-TK_EPIPE] = "the reader of the output has closed it",
                                            [-TK_ENOMEM] = "out of memory",
                                            [-TK_ELIMIT] = "a limit was exceeded",
                                            [-TK_EDAMAGE] = "the capture is damaged",
                                            [-TK_ECANCELED] = "it was stopped"};
    const int most = (int)(sizeof sentences / sizeof *sentences);
    if (err && err->n)
        return err->text[err->n - 1];
    return status > -most && status <= 0 ? sentences[-status] : sentences[0];
}

struct tk_err *tk_err_new(void)
{
    return calloc(1, sizeof(struct tk_err));
}

void tk_err_free(struct tk_err *err)
{
    free(err);
}

int tk_err_status(const struct tk_err *err)
{
    return err ? err->code : TK_OK;
}

size_t tk_err_count(const struct tk_err *err)
{
    return err ? err->n : 0;
}

const char *tk_err_cause(const struct tk_err *err, size_t i)
{
    return i < tk_err_count(err) ? err->text[i] : NULL;
}
