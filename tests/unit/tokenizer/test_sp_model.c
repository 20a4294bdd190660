/*
 * tests/unit/tokenizer/test_sp_model.c - the protobuf of SentencePiece models, whole, odd and
 * broken.
 */
#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/unit/tokenizer/foreign_models.h"
#include "tokenizer/encoder_kinds.h"
#include "tokenizer/sentencepiece.h"

#define BROKEN "'v' is not a whole SentencePiece model: its protobuf is broken"

static void put_small(struct t2_buf *file)
{
    fm_put_specials(file);
    fm_put_piece(file, "a", -2.5F, FM_NORMAL);
}

static const struct tok_sp_model *model_of(const struct tok_encoder *e)
{
    return e->model;
}

static void test_defaults(void **state)
{
    struct t2_buf file = {0};
    struct tok_encoder *e;
    const struct tok_sp_model *m;

    (void) state;
    put_small(&file);
    e = fm_parse(&file);
    m = model_of(e);
    assert_int_equal(m->model_type, TOK_SP_UNIGRAM);
    assert_true(m->normalizer.add_dummy_prefix && m->normalizer.remove_extra_whitespaces &&
                m->normalizer.escape_whitespaces);
    assert_false(m->treat_whitespace_as_suffix || m->byte_fallback);
    assert_int_equal(m->normalizer.units.len_bytes, 0);
    assert_true(m->scores[3] == -2.5F && m->min_score == -2.5F);
    assert_int_equal(m->types[0], TOK_SP_UNKNOWN);
    assert_int_equal(m->types[3], TOK_SP_NORMAL);
    assert_int_equal(m->pad, -1);
    assert_int_equal(m->bos, 1);
    assert_int_equal(m->eos, 2);
    tok_free(e);
    t2_buf_release(&file);
}

static void test_fields(void **state)
{
    struct t2_buf file = {0}, body = {0};
    struct tok_encoder *e;
    const struct tok_sp_model *m;

    (void) state;
    put_small(&file);
    wb_number(&body, 1, 7); /* trainer fields that are of no interest, of each wire type */
    wb_bytes(&body, 2, "x", 1);
    wb_tag(&body, 99, 5);
    t2_buf_append(&body, "1234", 4);
    wb_tag(&body, 98, 1);
    t2_buf_append(&body, "12345678", 8);
    wb_tag(&body, 97, 3);
    wb_tag(&body, 97, 4);
    wb_number(&body, 3, 2);
    wb_number(&body, 24, 1);
    wb_number(&body, 41, 3);
    wb_number(&body, 42, UINT64_MAX); /* -1: none */
    wb_number(&body, 43, 4);          /* no piece */
    wb_message(&file, 2, &body);
    wb_number(&body, 3, 0);
    wb_number(&body, 4, 0);
    wb_number(&body, 5, 0);
    wb_message(&file, 3, &body);
    wb_bytes(&file, 4, "self test", 9);
    e = fm_parse(&file);
    m = model_of(e);
    assert_int_equal(m->model_type, TOK_SP_BPE);
    assert_true(m->treat_whitespace_as_suffix);
    assert_int_equal(m->bos, 3);
    assert_int_equal(m->eos, -1);
    assert_int_equal(m->pad, -1);
    assert_false(m->normalizer.add_dummy_prefix || m->normalizer.remove_extra_whitespaces ||
                 m->normalizer.escape_whitespaces);
    tok_free(e);
    t2_buf_release(&body);
    t2_buf_release(&file);
}

static void test_looks_like(void **state)
{
    struct t2_buf file = {0};

    (void) state;
    put_small(&file);
    assert_true(tok_sp_looks_like(file.data, file.len_bytes));
    assert_false(tok_sp_looks_like("", 0));
    assert_false(tok_sp_looks_like("\n", 1));
    assert_false(tok_sp_looks_like("\n\x05\x0A\x09"
                                   "abc",
                                   7)); /* a text longer than its piece */
    assert_false(tok_sp_looks_like("\n\x01\x0A", 3));
    assert_false(tok_sp_looks_like("the_\n", 5));
    t2_buf_release(&file);
}

/* A file that ends early is refused, or it ended at a field: then what was read is complete. */
static void test_truncated(void **state)
{
    struct t2_buf file = {0}, map = {0};
    size_t n_accepted = 0;

    (void) state;
    put_small(&file);
    fm_put_trainer(&file, FM_BPE, 24, 1);
    t2_buf_append(&map, "\4\0\0\0\0\0\0\0x", 10);
    fm_put_normalizer(&file, &map, true, true, true);
    for (size_t n = 0; n < file.len_bytes; n++) {
        struct t2_err err = T2_ERR_INIT;
        struct tok_encoder *e = NULL;
        uint8_t *copy = t_guarded_alloc(n);

        memcpy(copy, file.data, n);
        if (tok_sp_looks_like(copy, n)) {
            if (tok_sp_parse("v", copy, n, &e, &err) == T2_OK) {
                n_accepted++;
                tok_free(e);
            } else {
                assert_int_equal(err.status, T2_EFORMAT);
                assert_string_equal(err.message, BROKEN);
            }
        }
        t_guarded_free(copy, n);
    }
    assert_int_equal(n_accepted, 5); /* after each of four pieces, and after the trainer */
    t2_buf_release(&map);
    t2_buf_release(&file);
}

/* The small model and bytes after it. */
static void refused(const void *more, size_t n, const char *message)
{
    struct t2_buf file = {0};

    put_small(&file);
    t2_buf_append(&file, more, n);
    fm_refused(&file, T2_EFORMAT, message);
    t2_buf_release(&file);
}

#define REFUSED(more, message) refused((more), sizeof(more) - 1, (message))

static void test_broken(void **state)
{
    (void) state;
    REFUSED("\x0A", BROKEN);                                     /* a tag without a length */
    REFUSED("\x0A\x05\x0A\x01", BROKEN);                         /* longer than the file */
    REFUSED("\x0A\xFF\xFF\xFF\xFF\x0F", BROKEN);                 /* 4 GiB */
    REFUSED("\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F", BROKEN); /* more */
    REFUSED("\x0A\x02\x0A\x09", BROKEN);                         /* longer than its piece */
    REFUSED("\x0A\x03\x15\x01\x02", BROKEN);                     /* half a float */
    REFUSED("\x12\x02\x18\xFF", BROKEN);                         /* half a number */
    REFUSED("\x1A\x03\x18\x01\x07", BROKEN);                     /* wire type 7 */
    REFUSED("\x02", BROKEN);                                     /* field 0 */
    REFUSED("\x08\x01", "'v': piece 4 is empty");                /* pieces of type varint */
    REFUSED("\x0A\x03\x0A\x01\xFF", "'v': piece 4 is not UTF-8");
    REFUSED("\x12\x04\xE2\x02\x01\xFF", "'v': unk_surface is not UTF-8");
    REFUSED("\x1A\x05\x12\x03\x00\x00\x00", BROKEN);     /* a map without its size */
    REFUSED("\x1A\x06\x12\x04\x04\x00\x00\x00", BROKEN); /* a size beyond the map */
    REFUSED("\x1A\x06\x12\x04\xFF\xFF\xFF\xFF", BROKEN);
    REFUSED("\x1A\x08\x12\x06\x02\x00\x00\x00  ", BROKEN); /* half a unit */
}

static void test_unknown_types(void **state)
{
    struct t2_buf file = {0};
    struct tok_encoder *e;

    (void) state;
    put_small(&file);
    fm_put_piece(&file, "b", -1, 77); /* of no type that is known: never cut */
    e = fm_parse(&file);
    assert_int_equal(model_of(e)->types[4], 0);
    FM_IDS(e, "ab", "0 3 0");
    tok_free(e);
    t2_buf_clear(&file);
    put_small(&file);
    fm_put_trainer(&file, 1000000, 0, 0);
    fm_refused(&file, T2_EUNSUPPORTED,
               "'v': a SentencePiece model of type 0; unigram (1) and BPE (2) are known");
    t2_buf_release(&file);
}

/* Memory for a line is bounded by the map. */
static void test_long_replacement(void **state)
{
    struct t2_buf file = {0}, map = {0};
    struct tok_encoder *e;
    char long_one[1026];

    (void) state;
    memset(long_one, 'x', sizeof long_one);
    t2_buf_append(&map, "\4\0\0\0\0\0\0\0", 8);
    t2_buf_append(&map, "a\0", 2);
    t2_buf_append(&map, long_one, 1024);
    put_small(&file);
    fm_put_normalizer(&file, &map, true, true, true);
    e = fm_parse(&file); /* it ends the map, without a NUL */
    tok_free(e);
    t2_buf_clear(&file);
    put_small(&file);
    t2_buf_push(&map, 'x');
    fm_put_normalizer(&file, &map, true, true, true);
    fm_refused(&file, T2_EFORMAT,
               "'v': the character map has a replacement of 1025 bytes; 1024 are taken");
    t2_buf_release(&map);
    t2_buf_release(&file);
}

T_MAIN(cmocka_unit_test(test_defaults), cmocka_unit_test(test_fields),
       cmocka_unit_test(test_looks_like), cmocka_unit_test(test_truncated),
       cmocka_unit_test(test_broken), cmocka_unit_test(test_unknown_types),
       cmocka_unit_test(test_long_replacement))
