/*
 * test_named_encoders.c - which word opens what.
 */
#include "base/alloc.h"
#include "base/str.h"
#include "tests/unit/tokenizer/asked_encoders.h"

static void check_kind(const char *word, const char *kind)
{
    struct tok_encoder *e = t_opened(word);

    assert_string_equal(tok_kind(e), kind);
    tok_free(e);
}

static void check_refused(const char *word, enum t2_status status)
{
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;

    assert_int_equal(tok_open(word, &e, &err), status);
    assert_null(e);
}

static void test_words(void **state)
{
    const char *path = t_tmp_path("list");
    char *tokens = t2_asprintf("tokens:%s", path);

    (void) state;
    t_write_file(path, "'<pad>_'\n'<EOS>_'\n", 18);
    check_kind("bytes", "bytes");
    check_kind("integers", "integers");
    check_kind("dna:3", "DNA");
    check_kind("delimited_dna:1", "DNA");
    check_kind(path, "subwords");
    check_kind(tokens, "tokens");
    check_refused("dna:0", T2_EUSAGE);
    check_refused("dna:9", T2_EUSAGE);
    check_refused("dna:x", T2_EUSAGE);
    check_refused("labels:nowhere", T2_ENOTFOUND);
    check_refused("nowhere", T2_ENOTFOUND);
    t2_free(tokens);
}

static void test_bytes_eos(void **state)
{
    struct tok_encoder *e = t_opened("bytes_eos");

    (void) state;
    t_check_ids(e, "ab", "99 100 1");
    t_check_ids(e, "", "1");
    tok_free(e);
}

T_MAIN(cmocka_unit_test(test_words), cmocka_unit_test(test_bytes_eos))
