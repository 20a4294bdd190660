/*
 * tests/unit/tokenizer/test_sp_write.c - a model that was written is read as it was meant.
 */
#include "tokenizer/sp_write.h"

#include "tests/unit/tokenizer/foreign_models.h"

static void test_there_and_back(void **state)
{
    struct t2_buf file = {NULL, 0, 0};
    const struct tok_sp_model *m;
    struct tok_encoder *e;

    (void) state;
    tok_sp_put_piece(&file, t2_slice_of("<unk>"), 0, TOK_SP_UNKNOWN);
    tok_sp_put_piece(&file, t2_slice_of("</s>"), 0, TOK_SP_CONTROL);
    tok_sp_put_piece(&file, t2_slice_of("ab"), -1.5F, TOK_SP_NORMAL);
    tok_sp_put_trainer(&file, &(struct tok_sp_trainer){.type = TOK_SP_UNIGRAM,
                                                       .n = 3,
                                                       .unknown = 0,
                                                       .bos = -1,
                                                       .eos = 1,
                                                       .pad = -1});
    tok_sp_put_normalizer(&file, &(struct tok_sp_normal){.remove_extra_whitespaces = true});
    e = fm_parse(&file);
    m = tok_sp_model_of(e);
    assert_int_equal(m->n, 3);
    assert_int_equal(m->model_type, TOK_SP_UNIGRAM);
    assert_int_equal(m->unknown, 0);
    assert_int_equal(m->bos, -1);
    assert_int_equal(m->eos, 1);
    assert_int_equal(m->types[1], TOK_SP_CONTROL);
    assert_true(m->scores[2] == -1.5F);
    assert_true(m->normalizer.remove_extra_whitespaces && !m->normalizer.add_dummy_prefix);
    assert_false(m->byte_fallback);
    tok_free(e);
    t2_buf_release(&file);
}

T_MAIN(cmocka_unit_test(test_there_and_back))
