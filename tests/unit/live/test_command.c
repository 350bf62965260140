/* Lines for the control port, as the paper has them (live 4.2, 8.3), and words that no line can carry. */
#include "live/access.h"
#include "run.h"

#include <string.h>

static char line[TK_CONTROL_LINE + 1];
static struct tk_err err;

START_TEST(lines)
{
    ck_assert_int_eq(tk_control_line(line, TK_CONTROL_SEND_TO, "127.0.0.1", &err), TK_OK);
    ck_assert_str_eq(line, "SendTo 127.0.0.1\n");
    ck_assert_int_eq(tk_control_line(line, TK_CONTROL_ENABLE, "Live,Other", &err), TK_OK);
    ck_assert_str_eq(line, "ToggleChannels Live,Other 1\n");
    ck_assert_int_eq(tk_control_line(line, TK_CONTROL_DISABLE, "Live", &err), TK_OK);
    ck_assert_str_eq(line, "ToggleChannels Live 0\n");
    ck_assert_int_eq(tk_control_line(line, TK_CONTROL_STOP, NULL, &err), TK_OK);
    ck_assert_str_eq(line, "Stop\n");
    ck_assert_int_eq(tk_control_line(line, TK_CONTROL_WRITE_TO, "/tmp/x.utrace", &err), TK_OK);
    ck_assert_str_eq(line, "WriteTo /tmp/x.utrace\n");
}
END_TEST

START_TEST(words_that_cannot_be_sent)
{
    static const char *const bad[] = {"", "a b", " a", "a ", "a\tb", "a\nStop", "a\rb", "\x7f"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_int_eq(tk_control_line(line, TK_CONTROL_SEND_TO, bad[i], &err), TK_EUSAGE);
}
END_TEST

START_TEST(the_longest_line)
{
    char word[600];
    memset(word, 'x', sizeof word);
    word[512 - 8] = '\0'; /* "SendTo ", and the end of the line */
    ck_assert_int_eq(tk_control_line(line, TK_CONTROL_SEND_TO, word, &err), TK_OK);
    ck_assert_uint_eq(strlen(line), 512);
    word[512 - 8] = 'x';
    word[512 - 7] = '\0';
    ck_assert_int_eq(tk_control_line(line, TK_CONTROL_SEND_TO, word, &err), TK_EUSAGE);
}
END_TEST

START_TEST(ids_of_channels)
{
    static const struct {
        const char *name;
        uint32_t id; /* wire 6 */
    } known[] = {{"CpuChannel", 0xF94AF989}, {"cpu", 0xF94AF989},  {"FrameChannel", 0xD20A71A6},
                 {"LogChannel", 0x3F515151}, {"Logs", 0x3F515151}, {"Other", 3363671541u}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_uint_eq(tk_control_channel_id(known[i].name, strlen(known[i].name)), known[i].id);
    /* live 4.3: spellings of one channel, and those that are none */
    ck_assert_uint_eq(tk_control_channel_id("LIVES", 5), tk_control_channel_id("Live", 4));
    ck_assert_uint_ne(tk_control_channel_id("Livechannel", 11), tk_control_channel_id("Live", 4));
    ck_assert_uint_ne(tk_control_channel_id("LiveChannels", 12), tk_control_channel_id("Live", 4));
    ck_assert_uint_ne(tk_control_channel_id("Livess", 6), tk_control_channel_id("Live", 4));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {lines, words_that_cannot_be_sent, the_longest_line, ids_of_channels};
    return RUN_TESTS("live-command", tests);
}
