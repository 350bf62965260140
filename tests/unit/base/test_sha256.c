/*
 * SHA-256 by examples of FIPS 180-4, HMAC by those of RFC 4231.
 */
#include "base/checksum.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

static void expect(const uint8_t code[TK_SHA256_BYTES], const char *wanted)
{
    char text[2 * TK_SHA256_BYTES + 1];
    for (size_t i = 0; i < TK_SHA256_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x", code[i]);
    ck_assert_str_eq(text, wanted);
}

START_TEST(examples_of_the_hash)
{
    static const struct {
        const char *text, *code;
    } v[] = {{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
             {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
             {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"}};
    uint8_t code[TK_SHA256_BYTES];
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        struct tk_sha256 h;
        tk_sha256_begin(&h);
        tk_sha256_add(&h, v[i].text, strlen(v[i].text));
        tk_sha256_end(&h, code);
        expect(code, v[i].code);
    }
}
END_TEST

START_TEST(pieces_are_one_text)
{
    uint8_t code[TK_SHA256_BYTES];
    struct tk_sha256 h;
    tk_sha256_begin(&h);
    for (unsigned i = 0; i < 1000000; i++)
        tk_sha256_add(&h, "a", 1);
    tk_sha256_end(&h, code);
    expect(code, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
END_TEST

START_TEST(examples_of_the_code)
{
    uint8_t key[131], code[TK_SHA256_BYTES];
    struct tk_hmac m;
    memset(key, 0x0b, 20);
    tk_hmac_key(&m, key, 20);
    tk_hmac_of(&m, "Hi There", 8, code);
    expect(code, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    tk_hmac_key(&m, "Jefe", 4);
    tk_hmac_of(&m, "what do ya want for nothing?", 28, code);
    expect(code, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(key, 0xaa, sizeof key); /* longer than a block */
    tk_hmac_key(&m, key, sizeof key);
    tk_hmac_of(&m, "Test Using Larger Than Block-Size Key - Hash Key First", 54, code);
    expect(code, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {examples_of_the_hash, pieces_are_one_text, examples_of_the_code};
    return run_tests("sha256", tests, sizeof tests / sizeof *tests, 1, (struct around){0});
}
