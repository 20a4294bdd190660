/* What is the same for all variants is in test_word_scan.c, which runs the one in use: this one
 * where there is AVX-512, so here is only what T2_CPU must not hide. */
#include "tests/unit/tokenizer/scan_texts.h"

#include <string.h>

static void test_same_as_plain(void **state)
{
#ifdef TOK_SCAN_AVX512
    struct tok_scan fast, plain;
    uint8_t text[2000];

    (void) state;
    if (!tok_scan_has_avx512())
        t_skip("no AVX-512 with VBMI2 here");
    st_check_classify(&tok_scan_avx512);
    for (uint64_t seed = 0; seed < 2000; seed++) {
        size_t n = st_random_text(seed, text, 4 + seed % (sizeof text - 4), seed % 3);

        tok_scan_init(&fast, text, n, seed % 2);
        tok_scan_init(&plain, text, n, seed % 2);
        fast.ops = &tok_scan_avx512;
        plain.ops = &tok_scan_plain;
        while (tok_scan_next(&fast)) {
            assert_true(tok_scan_next(&plain));
            assert_int_equal(fast.n_words, plain.n_words);
            assert_int_equal(fast.n_lines, plain.n_lines);
            assert_memory_equal(fast.starts, plain.starts, fast.n_words * sizeof *fast.starts);
            assert_memory_equal(fast.ends, plain.ends, fast.n_words * sizeof *fast.ends);
            assert_memory_equal(fast.lines, plain.lines, fast.n_lines * sizeof *fast.lines);
        }
        assert_false(tok_scan_next(&plain));
    }
#else
    (void) state;
    t_skip("built without AVX-512");
#endif
}

T_MAIN(cmocka_unit_test(test_same_as_plain))
