/* Tests of train/exchange/model_file_sides.c: what is described, what is read, and what differs. */
#include "train/exchange/model_file_sides.h"

#include <string.h>

#include "tests/support/t.h"

static struct t2_err err;

enum { N_KEYS = 6 };
static const char *const keys[N_KEYS] = {"inputs",  "inputs_offset",  "inputs_vocab",
                                         "targets", "targets_offset", "targets_vocab"};
static const char text[] = "'<pad>_'\n'<EOS>_'\n'a_'\n'b_'\n'a'\n'b'\n'_'\n'\\'\n'0'\n";
enum { TEXT_IDS = 9 };

/* A file with such a description and `bytes` as both vocabularies; NULL: without. */
static struct ckpt_file *file_of(const char *const *values, const char *bytes)
{
    const char *path = t_tmp_path("sides.safetensors");
    const int64_t n = bytes ? (int64_t) strlen(bytes) : 0;
    const struct ckpt_tensor tensors[] = {{.name = "vocabulary/inputs",
                                           .type = CKPT_U8,
                                           .rank = 1,
                                           .dims = {n},
                                           .data = bytes,
                                           .n_bytes = (size_t) n},
                                          {.name = "vocabulary/targets",
                                           .type = CKPT_U8,
                                           .rank = 1,
                                           .dims = {n},
                                           .data = bytes,
                                           .n_bytes = (size_t) n}};
    struct ckpt_file *file = NULL;

    if (ckpt_write(path, tensors, bytes ? 2 : 0, keys, values, N_KEYS, NULL, &err) != T2_OK ||
        ckpt_open(path, &file, &err) != T2_OK)
        fail_msg("%s", err.message);
    return file;
}

static void test_there(void **state)
{
    const char *const files[] = {"file", "0", "9", "file", "0", "9"};
    const char *const one[] = {"", "", "", "bytes", "0", "258"};
    struct ckpt_file *file = file_of(files, text);
    struct xch_sides s;

    (void) state;
    assert_int_equal(xch_sides_begin(file, "x", &s, &err), T2_OK);
    assert_true(s.side[XCH_INPUTS].n == TEXT_IDS && s.side[XCH_TARGETS].n == TEXT_IDS);
    assert_int_equal(xch_sides_wait(&s, &err), T2_OK);
    assert_int_equal(tok_size(s.side[XCH_INPUTS].tok), TEXT_IDS);
    assert_int_equal(tok_size(s.side[XCH_TARGETS].tok), TEXT_IDS);
    xch_sides_end(&s);
    assert_int_equal(xch_sides_begin(file, "x", &s, &err), T2_OK);
    xch_sides_end(&s); /* whatever the thread was doing */
    ckpt_close(file);

    file = file_of(one, NULL);
    assert_int_equal(xch_sides_begin(file, "x", &s, &err), T2_OK);
    assert_false(s.side[XCH_INPUTS].is_there);
    assert_int_equal(xch_sides_wait(&s, &err), T2_OK);
    assert_null(s.side[XCH_INPUTS].tok);
    assert_int_equal(tok_size(s.side[XCH_TARGETS].tok), 258);
    xch_sides_end(&s);
    ckpt_close(file);
}

static void refused(const char *const *values, const char *bytes, const char *message)
{
    struct ckpt_file *file = file_of(values, bytes);
    enum t2_status st;
    struct xch_sides s;

    st = xch_sides_begin(file, "x", &s, &err);
    if (st == T2_OK)
        st = xch_sides_wait(&s, &err);
    assert_int_equal(st, T2_EFORMAT);
    t_assert_contains(err.message, message);
    xch_sides_end(&s);
    ckpt_close(file);
}

static void test_refused(void **state)
{
    const char *values[] = {"file", "0", "9", "file", "0", "10"};

    (void) state;
    refused(values, text, "the vocabulary of the targets has 9 ids, not 10");
    values[5] = "9";
    refused(values, "\xff\n", "not UTF-8");
    values[2] = "100000";
    refused(values, text, "bytes, which are not 100000 ids");
    values[2] = "-1";
    refused(values, text, "metadata 'inputs_vocab' is missing or no number");
    values[2] = "0";
    refused(values, text, "the vocabulary of the inputs has 9 ids, not 0");
    values[2] = "9";
    values[1] = "3";
    refused(values, text, "metadata 'inputs_offset' is missing or no number from 0 to 2");
    values[1] = "0";
    refused(values, NULL, "the vocabulary of the inputs is missing");
    values[0] = "words";
    refused(values, text, "the vocabulary of the inputs is missing");
    values[0] = values[3] = "";
    refused(values, text, "the vocabulary of the targets is missing");
}

T_MAIN(cmocka_unit_test(test_there), cmocka_unit_test(test_refused))
