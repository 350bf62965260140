/*
 * What becomes of texts: which pieces turn into words, which stay, and what is found afterwards.
 */
#include "anonymise/dictionary.h"
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
    return tk_anon_find(&anon, (const uint8_t *)text, strlen(text)) != NULL;
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

START_TEST(timers_stay_but_for_words)
{
    learn(TK_ANON_ASSETS, TK_ANON_PARTS, "/Game/Maps/Lagoon.Lagoon");
    learn(TK_ANON_LOGS, TK_ANON_PARTS, "the great boss");
    expect(TK_ANON_TIMERS, TK_ANON_PARTS, "UWorld::Load Lagoon_2 Lagoon",
           print("UWorld::Load Lagoon_2 %s", word("Lagoon"), NULL, NULL));
    expect(TK_ANON_TIMERS, TK_ANON_PARTS, "fight the great boss!",
           print("fight %s!", word("the great boss"), NULL, NULL));
    expect(TK_ANON_TIMERS, TK_ANON_PARTS, "the great bosses", "the great bosses");
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
                                  timers_stay_but_for_words,
                                  what_is_kept_is_kept_everywhere,
                                  twice_is_once,
                                  classes_by_name,
                                  identities};
    return run_tests("dictionary", tests, sizeof tests / sizeof *tests, 1, (struct around){begin, end});
}
