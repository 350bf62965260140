/*
 * Tests of names of Rust: examples that are published with RFC 2603 and with the demangler of the Rust
 * project, and names that are none, or would not end.
 */
#include "run.h"
#include "symbols/files/files_in.h"

#include <stdio.h>
#include <string.h>

static const char *demangled(const char *name)
{
    static struct tk_rust_name out;
    static char text[TK_RUST_MOST_TEXT + 1];
    if (!tk_rust_demangle(&out, name, strlen(name)))
        return name;
    snprintf(text, sizeof text, "%.*s", (int)out.n, out.text);
    return text;
}

static const struct {
    const char *name, *text;
} examples[] = {
    {"_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"},
    {"_RNvCskwGfYPst2Cb_3foo16example_function", "foo::example_function"},
    {"_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>"},
    {"_RNvC6_123foo3bar", "123foo::bar"},
    {"_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
     "utf8_idents::საჭმელად_გემრიელი_სადილი"},
    {"_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_", "cc::spawn::{closure#0}::{closure#0}"},
    {"_RNCINkXs25_NgCsbmNqQUJIY6D_4core5sliceINyB9_4IterhENuNgNoBb_4iter8iterator8Iterator9rpositionNCNgNpB9_"
     "6memchr7memrchrs_0E0Bb_",
     "<core::slice::Iter<u8> as core::iter::iterator::Iterator>::rposition::"
     "<core::slice::memchr::memrchr::{closure#1}>::{closure#0}"},
    {"_RINbNbCskIICzLVDPPb_5alloc5alloc8box_freeDINbNiB4_5boxed5FnBoxuEp6OutputuEL_ECs1iopQbuBiw2_3std",
     "alloc::alloc::box_free::<dyn alloc::boxed::FnBox<(), Output = ()>>"},
    {"_RMC0INtC8arrayvec8ArrayVechKj7b_E", "<arrayvec::ArrayVec<u8, 123>>"},
    {"_RMC0INtCs4fqI2P2rA04_13const_generic8UnsignedKhb_E", "<const_generic::Unsigned<11>>"},
    {"_RMC0INtCs4fqI2P2rA04_13const_generic6SignedKs98_E", "<const_generic::Signed<152>>"},
    {"_RMC0INtCs4fqI2P2rA04_13const_generic6SignedKanb_E", "<const_generic::Signed<-11>>"},
    {"_RMC0INtCs4fqI2P2rA04_13const_generic4BoolKb0_E", "<const_generic::Bool<false>>"},
    {"_RMC0INtCs4fqI2P2rA04_13const_generic4BoolKb1_E", "<const_generic::Bool<true>>"},
    {"_RMC0INtCs4fqI2P2rA04_13const_generic4CharKc76_E", "<const_generic::Char<'v'>>"},
    {"_RMC0INtCs4fqI2P2rA04_13const_generic4CharKca_E", "<const_generic::Char<'\\n'>>"},
    {"_RMC0INtCs4fqI2P2rA04_13const_generic4CharKc2202_E", "<const_generic::Char<'∂'>>"},
    {"_RNvNvMCs4fqI2P2rA04_13const_genericINtB4_3FooKpE3foo3FOO", "<const_generic::Foo<_>>::foo::FOO"},
    {"_RC3foo.llvm.9D1C9369", "foo"},
    {"_ZN3foo17h05af221e174051e9E", "foo"},
    {"_ZN3foo17h05af221e174051e9E.llvm.9D1C9369", "foo"},
    {"_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
     "<Test + 'static as foo::Bar<Test>>::bar"},
    /* types, by the grammar */
    {"_RINvC1a1fRhQlPtOyAmj3_SaTxETxcEFUKCbzEuE",
     "a::f::<&u8, &mut i32, *const u16, *mut u64, [u32; 3], [i8], (i64,), (i64, char), "
     "unsafe extern \"C\" fn(bool, !)>"},
    {"_RINvC1a1fFG_RL0_hEbE", "a::f::<for<'a> fn(&'a u8) -> bool>"},
};

START_TEST(published_examples)
{
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++)
        ck_assert_str_eq(demangled(examples[i].name), examples[i].text);
}
END_TEST

/* Each beginning of a name, and each name with one byte changed, is another name or none; never read beyond.
 */
START_TEST(damaged_ones)
{
    struct tk_rust_name out;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        const size_t n = strlen(examples[i].name);
        for (size_t k = 0; k < n; k++) {
            char *copy = malloc(n);
            ck_assert_ptr_nonnull(copy);
            memcpy(copy, examples[i].name, n);
            copy[k] = 'B';
            tk_rust_demangle(&out, copy, n);
            char *cut = realloc(copy, k + 1);
            tk_rust_demangle(&out, cut, k);
            ck_assert_uint_le(out.n, sizeof out.text);
            free(cut);
        }
    }
}
END_TEST

START_TEST(others_stay)
{
    static const char *const names[] = {
        "",
        "_",
        "_R",
        "_Run",
        "_RNvC3foo",
        "_R1NvC3foo3bar",
        "_RC3foo~",
        "main",
        "_ZN3fooE",
        "_ZN3foo3barEv",
        "_ZNSt6vectorIiSaIiEE9push_backERKi",
        "_RNvB_3bar",
        "_RNvC99999999999999999999a3bar",
        "_RINvC1a1fwE",
        "_ZN3fo$XX$17h05af221e174051e9E",
        "_RNvC3foou3___",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        ck_assert_str_eq(demangled(names[i]), names[i]);
}
END_TEST

/* Depth of types, and back references that double the text each: 2 to the power of 60 of them. */
START_TEST(no_end)
{
    char deep[4000], many[1024];
    memset(deep, 'S', sizeof deep);
    memcpy(deep, "_RINvC1a1f", 10);
    memcpy(deep + sizeof deep - 3, "hE", 3);
    ck_assert_str_eq(demangled(deep), deep);
    size_t n = (size_t)snprintf(many, sizeof many, "_RINvC1a1fThhE"); /* E of the arguments follows */
    size_t before = 8;                                                /* where the tuple is, behind _R */
    for (int i = 0; i < 40; i++) {
        const size_t here = n - 2;
        const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        char back[8];
        const size_t v = before - 1;
        if (v < 62)
            snprintf(back, sizeof back, "B%c_", digits[v]);
        else
            snprintf(back, sizeof back, "B%c%c_", digits[v / 62], digits[v % 62]);
        n += (size_t)snprintf(many + n, sizeof many - n, "T%s%sE", back, back);
        before = here;
        if (i == 1) { /* it is a name as long as it is short */
            memcpy(many + n, "E", 2);
            ck_assert_str_eq(demangled(many), "a::f::<(u8, u8), ((u8, u8), (u8, u8)), "
                                              "(((u8, u8), (u8, u8)), ((u8, u8), (u8, u8)))>");
        }
    }
    snprintf(many + n, sizeof many - n, "E");
    ck_assert_str_eq(demangled(many), many);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {published_examples, damaged_ones, others_stay, no_end};
    return RUN_TESTS("names of Rust", tests);
}
