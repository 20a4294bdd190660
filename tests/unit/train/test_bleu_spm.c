/*
 * tests/unit/train/test_bleu_spm.c - pieces of a model that is made here: known ones, runs of
 * unknown characters.
 */
#include <string.h>

#include "base/protobuf.h"
#include "tests/support/t.h"
#include "train/eval/bleu_spm.h"

/* A ModelProto's piece: text, score, type (2 is the unknown one). */
static void put_piece(struct t2_buf *model, const char *text, float score, int type)
{
    struct t2_buf piece = {NULL, 0, 0};
    uint32_t bits;

    memcpy(&bits, &score, sizeof bits);
    t2_buf_push(&piece, T2_TAG(1, T2_WIRE_BYTES));
    t2_buf_push(&piece, (uint8_t) strlen(text));
    t2_buf_puts(&piece, text);
    t2_buf_push(&piece, T2_TAG(2, T2_WIRE_FIXED32));
    for (int i = 0; i < 4; i++)
        t2_buf_push(&piece, (uint8_t) (bits >> (8 * i)));
    t2_buf_push(&piece, T2_TAG(3, T2_WIRE_VARINT));
    t2_buf_push(&piece, (uint8_t) type);
    t2_buf_push(model, T2_TAG(1, T2_WIRE_BYTES));
    t2_buf_push(model, (uint8_t) piece.len_bytes);
    t2_buf_append(model, piece.data, piece.len_bytes);
    t2_buf_release(&piece);
}

static void test_pieces(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf file = {NULL, 0, 0}, got = {NULL, 0, 0};
    struct tok_encoder *model;

    (void) state;
    put_piece(&file, "<unk>", 0, 2);
    put_piece(&file, "<s>", 0, 3);
    put_piece(&file, "</s>", 0, 3);
    put_piece(&file, "\u2581the", -1, 1);
    put_piece(&file, "\u2581", -2, 1);
    put_piece(&file, "t", -3, 1);
    put_piece(&file, "e", -3, 1);
    t_write_file(t_tmp_path("model"), file.data, file.len_bytes);
    assert_int_equal(ev_spm_load(t_tmp_path("model"), &model, &err), T2_OK);
    assert_int_equal(ev_spm_cut(model, t2_slice_of("the  t\u4e2dxe"), &got, &err), T2_OK);
    assert_string_equal(t2_buf_cstr(&got), "\u2581the \u2581 t \u4e2dx e");
    t2_buf_clear(&got);
    assert_int_equal(ev_spm_cut(model, t2_slice_of(""), &got, &err), T2_OK);
    assert_int_equal(got.len_bytes, 0);
    tok_free(model);
    t2_buf_release(&file);
    t2_buf_release(&got);
}

T_MAIN(cmocka_unit_test(test_pieces))
