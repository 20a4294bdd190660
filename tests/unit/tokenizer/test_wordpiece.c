/*
 * Tests of tokenizer/wordpiece.c: words, pieces, text of pieces; rows of the original's are in
 * test_question_rows.c.
 */
#include <string.h>

#include "tests/support/t.h"
#include "tokenizer/wordpiece.h"

static struct t2_err err;

static const char *file_of(const char *text)
{
    const char *path = t_tmp_path("vocab.txt");

    t_write_file(path, text, strlen(text));
    return path;
}

static void test_texts(void **state)
{
    struct tok_wordpiece w;
    struct tok_ids ids = {0};
    struct t2_buf text = {0};
    static const int32_t want[] = {4, 5, 6, 1, 7};
    const struct t2_slice in = t2_slice_of("Caf\xC3\xA9[SEP] #");

    (void) state;
    if (tok_wordpiece_load(file_of("[PAD]\n[UNK]\n[CLS]\n[SEP]\nca\n##fe\n[\n]\n#\n"), false, &w,
                           &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(w.cls, 2);
    assert_int_equal(w.sep, 3);
    assert_int_equal(tok_wordpiece_size(&w), 9);
    assert_int_equal(tok_wordpiece_ids(&w, in, &ids, &err), T2_OK);
    assert_int_equal(ids.n, 6); /* a mark in a text is a text */
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(ids.items[i], want[i]);
    assert_int_equal(tok_wordpiece_words(&w, in, &text, &err), T2_OK);
    assert_string_equal(t2_buf_cstr(&text), "cafe [ sep ] #");
    t2_buf_clear(&text);
    tok_wordpiece_text(&w, ids.items, ids.n, &text);
    assert_string_equal(t2_buf_cstr(&text), "cafe [ [UNK] ] #");
    t2_buf_release(&text);
    tok_ids_release(&ids);
    tok_wordpiece_release(&w);
}

static void refused(const char *vocab, const char *said)
{
    struct tok_wordpiece w;

    assert_int_equal(tok_wordpiece_load(file_of(vocab), false, &w, &err), T2_EUNSUPPORTED);
    if (!strstr(err.message, said))
        fail_msg("'%s' does not say '%s'", err.message, said);
    err = (struct t2_err) T2_ERR_INIT;
    tok_wordpiece_release(&w);
}

static void test_refusals(void **state)
{
    (void) state;
    refused("a\nb\n", "no entry [UNK]");
    refused("[UNK]\n[SEP]\n##a\n", "has no entry [CLS]");
    refused("<pad>_\n<EOS>_\na_\n", "not BERT's vocab.txt");
}

T_MAIN(cmocka_unit_test(test_texts), cmocka_unit_test(test_refusals))
