/*
 * tests/unit/tfrec/test_open_vocab.c - when the ids of records are a model's own, and when raised.
 */
#include "tfrec/open_vocab.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "tests/support/t.h"
#include "tests/unit/tokenizer/foreign_vocabs.h"

static int32_t offset_of(const char *path, const char *record_file)
{
    struct tfr_input_file file = {.path = (char *) (uintptr_t) record_file};
    struct tfr_inputs in = {.files = &file, .n = 1};
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e = NULL;
    int32_t offset;

    if (rec_open_vocab(path, record_file ? &in : NULL, &e, &err) != T2_OK)
        fail_msg("%s", err.message);
    offset = tok_offset(e);
    tok_free(e);
    return offset;
}

static void write_manifest(const char *name, const char *sha256, int id_offset)
{
    struct t2_buf text = {NULL, 0, 0};

    t2_buf_printf(&text,
                  "{\"format\": \"t2t.c data set\", \"format_version\": 1, \"problem\": \"x\", "
                  "\"vocabularies\": {\"targets\": {\"sha256\": \"%s\", \"id_offset\": %d}}, "
                  "\"features\": [], \"splits\": {}, \"data_sha256\": \"\"}",
                  sha256, id_offset);
    t_write_file(t_tmp_path(name), t2_buf_cstr(&text), text.len_bytes);
    t2_buf_release(&text);
}

static void test_by_name(void **state)
{
    (void) state;
    t_write_file(t_tmp_path("vocab.x.11.subword-nmt"), t_nmt_codes, strlen(t_nmt_codes));
    t_write_file(t_tmp_path("codes"), t_nmt_codes, strlen(t_nmt_codes));
    t_write_file(t_tmp_path("vocab.x.tokens"), "a\nb\n", 4);
    assert_int_equal(offset_of(t_tmp_path("vocab.x.11.subword-nmt"), NULL), 2);
    assert_int_equal(offset_of(t_tmp_path("codes"), NULL), 0);
    assert_int_equal(offset_of(t_tmp_path("vocab.x.tokens"), NULL), 0);
}

static void test_by_manifest(void **state)
{
    char sha256[65], other[65];
    char *codes = t2_strdup(t_tmp_path("model"));
    char *records = t2_strdup(t_tmp_path("x-train-00000-of-00001"));

    (void) state;
    t_write_file(codes, t_nmt_codes, strlen(t_nmt_codes));
    t2_sha256_of(t_nmt_codes, strlen(t_nmt_codes), sha256);
    t2_sha256_of("x", 1, other);
    assert_int_equal(offset_of(codes, records), 0);
    write_manifest("a.manifest.json", other, 2);
    t_write_file(t_tmp_path("b.manifest.json"), "{", 1);
    assert_int_equal(offset_of(codes, records), 0);
    write_manifest("c.manifest.json", sha256, 0);
    assert_int_equal(offset_of(codes, records), 0);
    write_manifest("d.manifest.json", sha256, 2);
    assert_int_equal(offset_of(codes, records), 2);
    assert_int_equal(offset_of(codes, "elsewhere"), 0);
    assert_int_equal(offset_of(codes, "-"), 0);
    t2_free(codes);
    t2_free(records);
}

static void check_ends(const char *text, int64_t want_pad, int64_t want_eos)
{
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e = NULL;
    int64_t pad, eos;

    assert_int_equal(tok_parse("v", text, strlen(text), &e, &err), T2_OK);
    rec_vocab_ends(e, &pad, &eos);
    assert_int_equal(pad, want_pad);
    assert_int_equal(eos, want_eos);
    tok_free(e);
}

static void test_ends(void **state)
{
    (void) state;
    check_ends("a\nb\n", TOK_PAD, TOK_EOS); /* data of T2T with a list that does not say so */
    check_ends("'<pad>_'\n'<EOS>_'\n", TOK_PAD, TOK_EOS);
    check_ends(t_nmt_codes, -1, -1);
    check_ends(t_wordpiece_json, -1, 2);
}

T_MAIN(cmocka_unit_test(test_by_name), cmocka_unit_test(test_by_manifest),
       cmocka_unit_test(test_ends))
