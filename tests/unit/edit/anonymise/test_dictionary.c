/*
 * What becomes of texts: which pieces turn into words, which stay, and what is found afterwards.
 */
#include "edit/anonymise/dictionary.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

static struct tk_anon anon;

static void begin(void)
{
    anon = (struct tk_anon){0};
    tk_hmac_key(&anon.key, "key", 3);
    must(tk_anon_classes_read(&anon.classes, NULL, NULL) == TK_OK);
}

static void end(void)
{
    tk_anon_release(&anon);
}

static void learn(enum tk_anon_class class, enum tk_anon_form form, const char *text)
{
    must(tk_anon_learn(&anon, class, form, (const uint8_t *)text, strlen(text)) == TK_OK);
}

/* The word of a text: by the key alone. */
static const char *word(const char *text)
{
    static char words[8][TK_ANON_LONGEST];
    static size_t next;
    char *out = words[next++ % 8];
    out[tk_anon_word_of(&anon.key, (const uint8_t *)text, strlen(text), false, out)] = 0;
    return out;
}

static void expect(enum tk_anon_class class, enum tk_anon_form form, const char *text, const char *wanted)
{
    struct tk_anon_text out = {0};
    tk_anon_rewrite(&anon, class, form, (const uint8_t *)text, strlen(text), &out);
    tk_anon_put(&out, "", 1);
    must(!out.failed);
    ck_assert_str_eq((const char *)out.bytes.v, wanted);
    tk_vec_release(&out.bytes);
}

static bool finds(const char *text)
{
    return tk_anon_find(&anon, TK_ANON_CLASSES, (const uint8_t *)text, strlen(text)) != NULL;
}

static bool finds_in_timer(const char *text)
{
    return tk_anon_find(&anon, TK_ANON_TIMERS, (const uint8_t *)text, strlen(text)) != NULL;
}

static const char *print(const char *format, const char *a, const char *b, const char *c)
{
    static char out[256];
    snprintf(out, sizeof out, format, a, b, c);
    return out;
}

START_TEST(paths_part_by_part)
{
    const char *path = "C:\\Users\\bob\\Secret/Source/Private/Boss.cpp";
    learn(TK_ANON_PATHS, TK_ANON_PARTS, path);
    expect(TK_ANON_PATHS, TK_ANON_PARTS, path,
           print("C:\\Users\\%s\\%s/Source/Private/%s.cpp", word("bob"), word("Secret"), word("Boss")));
    ck_assert(finds("who is Secret?"));
    ck_assert(!finds("who is Secrets? Source"));
    ck_assert(!finds("bob")); /* too short to be looked for */
}
END_TEST

START_TEST(formats_keep_conversions)
{
    const char *format = "Player %s took %5.2f%% of %*d";
    learn(TK_ANON_LOGS, TK_ANON_FORMAT, format);
    expect(TK_ANON_LOGS, TK_ANON_FORMAT, format,
           print("%s %%s took %%5.2f%%%% %s %%*d", word("Player"), word("of"), NULL));
}
END_TEST

START_TEST(addresses_are_one_piece)
{
    static const char *const v[] = {"http://build.example.com/a/b", "bob@example.com", "10.0.0.17:7777",
                                    "see 10.1.2.3 now"};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        learn(TK_ANON_LOGS, TK_ANON_PARTS, v[i]);
        expect(TK_ANON_LOGS, TK_ANON_PARTS, v[i], word(v[i]));
    }
    expect(TK_ANON_LOGS, TK_ANON_PARTS, "1.2.3", "1.2.3"); /* a version */
}
END_TEST

START_TEST(threads_keep_their_number)
{
    learn(TK_ANON_NAMES, TK_ANON_THREAD, "Baker 3");
    learn(TK_ANON_NAMES, TK_ANON_THREAD, "Baker 12");
    expect(TK_ANON_NAMES, TK_ANON_THREAD, "Baker 3", print("%s 3", word("Baker"), NULL, NULL));
    expect(TK_ANON_NAMES, TK_ANON_THREAD, "Baker 12", print("%s 12", word("Baker"), NULL, NULL));
    expect(TK_ANON_NAMES, TK_ANON_THREAD, "Foreground Worker #7", "Foreground Worker #7");
}
END_TEST

/* Each is a thread of the pool that the one before it names. */
START_TEST(threads_of_threads)
{
    char name[64] = "Zorkwork";
    for (size_t n = strlen(name); n + 5 < sizeof name; n += 5) {
        learn(TK_ANON_NAMES, TK_ANON_THREAD, name);
        strcpy(name + n, " 1111");
    }
    ck_assert_uint_gt(anon.entries.n, 8);
    for (size_t i = 0; i < anon.entries.n; i++)
        ck_assert_uint_le(anon.entries.v[i].n_word, sizeof anon.entries.v[i].word);
    expect(TK_ANON_NAMES, TK_ANON_THREAD, "Zorkwork 1111", print("%s 1111", word("Zorkwork"), NULL, NULL));
}
END_TEST

START_TEST(threads_of_many_tokens)
{
    char name[256] = "q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q."
                     "Zork.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q.q 12";
    learn(TK_ANON_NAMES, TK_ANON_THREAD, name);
    struct tk_anon_text out = {0};
    tk_anon_rewrite(&anon, TK_ANON_NAMES, TK_ANON_THREAD, (const uint8_t *)name, strlen(name), &out);
    ck_assert_uint_eq(out.bytes.n, TK_ANON_WORD + 3);
    ck_assert(memcmp(out.bytes.v + TK_ANON_WORD, " 12", 3) == 0);
    tk_vec_release(&out.bytes);
}
END_TEST

START_TEST(addresses_in_formats)
{
    const char *format = "Peer: 192.168.17.45 took %d ms";
    learn(TK_ANON_LOGS, TK_ANON_FORMAT, format);
    expect(TK_ANON_LOGS, TK_ANON_FORMAT, format,
           print("%s %%d %s", word("Peer: 192.168.17.45 took"), word("ms"), NULL));
    anon.classes = 1u << TK_ANON_LOGS; /* the address is of the log, too */
    expect(TK_ANON_LOGS, TK_ANON_FORMAT, "10.9.8.7", word("10.9.8.7"));
    expect(TK_ANON_LOGS, TK_ANON_PARTS, "at 10.9.8.7", word("at 10.9.8.7"));
}
END_TEST

START_TEST(addresses_of_colons)
{
    static const char *const v[] = {"fe80:1234:5678:9999", "fe80::1", "00:1a:2b:3c:4d:5e",
                                    "to 2001:db8::17."};
    static const char *const none[] = {"Add::Fade", "1:2", "12345:1:2", "1:2:3x"};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        struct tk_anon_pieces s;
        tk_anon_pieces_begin(&s, TK_ANON_NAMES, TK_ANON_PARTS, (const uint8_t *)v[i], strlen(v[i]));
        ck_assert_msg(s.address, "%s", v[i]);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct tk_anon_pieces s;
        tk_anon_pieces_begin(&s, TK_ANON_NAMES, TK_ANON_PARTS, (const uint8_t *)none[i], strlen(none[i]));
        ck_assert_msg(!s.address, "%s", none[i]);
    }
    learn(TK_ANON_NAMES, TK_ANON_PARTS, v[0]);
    expect(TK_ANON_NAMES, TK_ANON_PARTS, v[0], word(v[0]));
}
END_TEST

/* Numbers and words that everybody knows are people, hosts and command lines here. */
START_TEST(identities_of_public_words)
{
    learn(TK_ANON_PATHS, TK_ANON_PARTS, "C:/Users/1987/x.cpp");
    expect(TK_ANON_PATHS, TK_ANON_PARTS, "C:/Users/1987/x.cpp",
           print("C:/Users/%s/x.cpp", word("1987"), NULL, NULL));
    learn(TK_ANON_PATHS, TK_ANON_PARTS, "/home/Build/x");
    expect(TK_ANON_PATHS, TK_ANON_PARTS, "/home/Build/x", print("/home/%s/x", word("Build"), NULL, NULL));
    learn(TK_ANON_ADDRESSES, TK_ANON_WHOLE, "9.8.7.6");
    expect(TK_ANON_ADDRESSES, TK_ANON_WHOLE, "9.8.7.6", word("9.8.7.6"));
    learn(TK_ANON_USERS, TK_ANON_WHOLE, "2345");
    expect(TK_ANON_USERS, TK_ANON_WHOLE, "2345", word("2345"));
    learn(TK_ANON_COMMANDS, TK_ANON_COMMAND, "-log 1.2.3.4 -x");
    expect(TK_ANON_COMMANDS, TK_ANON_COMMAND, "-log 1.2.3.4 -x",
           print("-%s", word("log 1.2.3.4 -x"), NULL, NULL));
    ck_assert(finds("who is 2345?"));
    expect(TK_ANON_TIMERS, TK_ANON_PARTS, "Tick 2345", print("Tick %s", word("2345"), NULL, NULL));
}
END_TEST

/* The number of a thread that is somebody's name does not stand in any word. */
START_TEST(numbers_of_threads_that_are_names)
{
    learn(TK_ANON_NAMES, TK_ANON_THREAD, "Baker 2345");
    learn(TK_ANON_USERS, TK_ANON_WHOLE, "2345");
    const char *wanted = print("%s %s", word("Baker"), word("2345"), NULL);
    expect(TK_ANON_NAMES, TK_ANON_THREAD, "Baker 2345", wanted);
    expect(TK_ANON_TIMERS, TK_ANON_PARTS, "Baker 2345", print("Baker %s", word("2345"), NULL, NULL));
    expect(TK_ANON_NAMES, TK_ANON_THREAD, "Foreground Worker #2345",
           print("Foreground Worker #%s", word("2345"), NULL, NULL));
}
END_TEST

/* What printf does not know as a conversion is a text like any other. */
START_TEST(percent_signs_in_texts)
{
    const char *format = "Loss 5% 5551234567 of";
    learn(TK_ANON_LOGS, TK_ANON_FORMAT, format);
    expect(TK_ANON_LOGS, TK_ANON_FORMAT, format,
           print("%s%% %s", word("Loss 5"), word("5551234567 of"), NULL));
    format = "%-08.3f %*.*s %5Zork %hhu %.Zork %";
    learn(TK_ANON_LOGS, TK_ANON_FORMAT, format);
    expect(TK_ANON_LOGS, TK_ANON_FORMAT, format,
           print("%%-08.3f %%*.*s %%%s %%hhu %%.%s %%", word("5Zork"), word("Zork"), NULL));
}
END_TEST

/* Names of timers stay as a class: a word that is the name of a file, an asset or a boss stays in them, too.
 * That of a person, an address or the project does not. */
START_TEST(timers_stay_as_a_class)
{
    learn(TK_ANON_ASSETS, TK_ANON_PARTS, "/Game/Lagoon/Cave");
    learn(TK_ANON_LOGS, TK_ANON_PARTS, "the great boss");
    learn(TK_ANON_PATHS, TK_ANON_PARTS, "/home/robert/Zorker.cpp");
    expect(TK_ANON_TIMERS, TK_ANON_PARTS, "UWorld::Load Lagoon_2 Lagoon", "UWorld::Load Lagoon_2 Lagoon");
    expect(TK_ANON_TIMERS, TK_ANON_PARTS, "fight the great boss!", "fight the great boss!");
    expect(TK_ANON_TIMERS, TK_ANON_PARTS, "Zorker::Draw robert",
           print("Zorker::Draw %s", word("robert"), NULL, NULL));
    expect(TK_ANON_FUNCTIONS, TK_ANON_PARTS, "Zorker", word("Zorker"));
    learn(TK_ANON_PROJECT, TK_ANON_PARTS, "LagoonGame");
    expect(TK_ANON_TIMERS, TK_ANON_PARTS, "SlateUI Title = LagoonGame",
           print("SlateUI Title = %s", word("LagoonGame"), NULL, NULL));
    ck_assert(finds("Load Lagoon") && !finds_in_timer("Load Lagoon") && finds_in_timer("Tick robert"));
}
END_TEST

START_TEST(what_is_kept_is_kept_everywhere)
{
    static const char *const keep[] = {"Lag*"};
    anon.keep = keep;
    anon.n_keep = 1;
    learn(TK_ANON_ASSETS, TK_ANON_PARTS, "/Game/Lagoon/Cave");
    expect(TK_ANON_ASSETS, TK_ANON_PARTS, "/Game/Lagoon/Cave",
           print("/Game/Lagoon/%s", word("Cave"), NULL, NULL));
    ck_assert(!finds("Lagoon"));
    ck_assert(finds("Cave"));
}
END_TEST

/* With all classes also what is made of public words and short numbers goes; with one class less it stays. */
START_TEST(all_leaves_no_public_words)
{
    static const char *const texts[] = {"{\"json\":1}", "Profile.csv", "GameThread", "Wait %d"};
    static const char *const keep[] = {"Profile"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(TK_ANON_TIMERS, TK_ANON_FORMAT, texts[i], texts[i]);
    must(tk_anon_classes_read(&anon.classes, "all", NULL) == TK_OK);
    expect(TK_ANON_TIMERS, TK_ANON_PARTS, texts[0], print("{\"%s\":%s}", word("json"), word("1"), ""));
    expect(TK_ANON_PATHS, TK_ANON_PARTS, texts[1], print("%s.%s", word("Profile"), word("csv"), ""));
    expect(TK_ANON_NAMES, TK_ANON_THREAD, texts[2], word("GameThread"));
    expect(TK_ANON_NAMES, TK_ANON_THREAD, "Worker #3", print("%s #3", word("Worker"), "", ""));
    expect(TK_ANON_TIMERS, TK_ANON_FORMAT, texts[3], print("%s %%d", word("Wait"), "", ""));
    expect(TK_ANON_NAMES, TK_ANON_PARTS, word("json"), word("json")); /* as another edit left it */
    anon.keep = keep;
    anon.n_keep = 1;
    expect(TK_ANON_PATHS, TK_ANON_PARTS, texts[1], print("Profile.%s", word("csv"), "", ""));
}
END_TEST

START_TEST(twice_is_once)
{
    const char *once = print("%s/%s", word("Lagoon"), word("Cave"), NULL);
    learn(TK_ANON_ASSETS, TK_ANON_PARTS, once);
    ck_assert_uint_eq(anon.entries.n, 0);
    expect(TK_ANON_ASSETS, TK_ANON_PARTS, once, once);
}
END_TEST

START_TEST(classes_by_name)
{
    uint32_t classes;
    struct tk_err err = {0};
    ck_assert_int_eq(tk_anon_classes_read(&classes, "paths,users", &err), TK_OK);
    ck_assert_uint_eq(classes, 1u << TK_ANON_PATHS | 1u << TK_ANON_USERS);
    ck_assert_int_eq(tk_anon_classes_read(&classes, "all", &err), TK_OK);
    ck_assert_uint_eq(classes, (1u << TK_ANON_CLASSES) - 1);
    ck_assert_int_eq(tk_anon_classes_read(&classes, "paths,", &err), TK_EUSAGE);
    ck_assert_int_eq(tk_anon_classes_read(&classes, "path", &err), TK_EUSAGE);
    anon.classes = 1u << TK_ANON_USERS; /* only the name of the user */
    learn(TK_ANON_PATHS, TK_ANON_PARTS, "/home/robert/game");
    expect(TK_ANON_PATHS, TK_ANON_PARTS, "/home/robert/game",
           print("/home/%s/game", word("robert"), NULL, NULL));
}
END_TEST

START_TEST(identities)
{
    const uint8_t id[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    struct tk_anon_text one = {0}, two = {0};
    tk_anon_identity(&anon.key, id, sizeof id, &one);
    ck_assert_uint_eq(one.bytes.n, sizeof id);
    ck_assert(memcmp(one.bytes.v, id, sizeof id) != 0);
    tk_anon_identity(&anon.key, one.bytes.v, one.bytes.n, &two);
    ck_assert(two.bytes.n == one.bytes.n && memcmp(one.bytes.v, two.bytes.v, one.bytes.n) == 0);
    tk_vec_release(&one.bytes);
    tk_vec_release(&two.bytes);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {paths_part_by_part,
                                  formats_keep_conversions,
                                  addresses_are_one_piece,
                                  threads_keep_their_number,
                                  threads_of_threads,
                                  threads_of_many_tokens,
                                  addresses_in_formats,
                                  addresses_of_colons,
                                  identities_of_public_words,
                                  numbers_of_threads_that_are_names,
                                  percent_signs_in_texts,
                                  timers_stay_as_a_class,
                                  what_is_kept_is_kept_everywhere,
                                  all_leaves_no_public_words,
                                  twice_is_once,
                                  classes_by_name,
                                  identities};
    return run_tests("dictionary", tests, sizeof tests / sizeof *tests, 1, (struct around){begin, end});
}
