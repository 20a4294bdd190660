#include <string.h>

#include "tests/support/t.h"
#include "tokenizer/encoder.h"

static void assert_decodes(const struct tok_encoder *e, const int32_t *ids, size_t n,
                           const char *want)
{
    struct t2_buf text = {0};

    tok_decode(e, ids, n, &text);
    assert_string_equal(t2_buf_cstr(&text), want);
    t2_buf_release(&text);
}

static void test_bytes(void **state)
{
    static const int32_t special[] = {0, 'a' + 2, 1, 258, -1, 1000000, 'b' + 2};
    static const int32_t broken[] = {0xE2 + 2, 0x82 + 2, 'x' + 2};
    struct tok_encoder *e = tok_bytes_new();
    struct t2_err err = T2_ERR_INIT;
    struct tok_ids ids = {0};
    uint8_t all[256];
    char hex[65];

    (void) state;
    for (int i = 0; i < 256; i++)
        all[i] = (uint8_t) i;
    assert_int_equal(tok_size(e), 258);
    assert_string_equal(tok_kind(e), "bytes");
    tok_ids_push(&ids, 5);
    assert_int_equal(tok_encode(e, NULL, all, 256, &ids, &err), T2_OK);
    assert_int_equal(ids.n, 257); /* appended */
    for (int i = 0; i < 256; i++) {
        assert_int_equal(ids.items[1 + i], i + 2);
        assert_int_equal(tok_entry(e, i + 2).len_bytes, 1);
        assert_int_equal(tok_entry(e, i + 2).data[0], i);
    }
    assert_decodes(e, special, 7, "<pad>a<EOS>b");
    assert_decodes(e, broken, 3, "\xEF\xBF\xBDx");
    assert_decodes(e, NULL, 0, "");
    assert_int_equal(tok_entry(e, 258).len_bytes, 0);
    assert_int_equal(tok_entry(e, -1).len_bytes, 0);
    tok_sha256(e, hex); /* of nothing */
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_int_equal(tok_save(e, "x/vocab", &err), T2_EUSAGE);
    assert_string_equal(err.message, "'x/vocab': a vocabulary of bytes has no file of its own");
    tok_ids_release(&ids);
    tok_free(e);
    tok_free(NULL);
}

T_MAIN(cmocka_unit_test(test_bytes))
