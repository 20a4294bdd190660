#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "tests/support/t.h"
#include "tokenizer/encoder.h"

static const char *write_vocab(const char *content, size_t n)
{
    const char *path = t_tmp_path("vocab");

    t_write_file(path, content, n);
    return path;
}

static struct tok_encoder *load(const char *content, size_t n, const char *kind)
{
    const char *path = write_vocab(content, n);
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;
    char hex[65], want[65];

    if (tok_load(path, &e, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_string_equal(tok_kind(e), kind);
    tok_sha256(e, hex);
    t2_sha256_of(content, n, want);
    assert_string_equal(hex, want); /* of the file as it is */
    return e;
}

#define LOAD(content, kind) load(content, sizeof(content) - 1, kind)

static void assert_entries(struct tok_encoder *e, const char *const *want, size_t n)
{
    assert_int_equal(tok_size(e), n);
    for (size_t i = 0; i < n; i++) {
        struct t2_slice entry = tok_entry(e, (int32_t) i);

        if (!t2_slice_eq(entry, t2_slice_of(want[i])))
            fail_msg("entry %zu is '%.*s', not '%s'", i, (int) entry.len_bytes,
                     (const char *) entry.data, want[i]);
    }
    tok_free(e);
}

#define ENTRIES(e, ...)                                                                            \
    do {                                                                                           \
        static const char *const want_[] = {__VA_ARGS__};                                          \
        assert_entries((e), want_, sizeof(want_) / sizeof(want_[0]));                              \
    } while (0)

#define ESCAPES "\\\n_\nu\n;\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n"

static void test_quoted(void **state)
{
    (void) state;
    ENTRIES(LOAD("'<pad>_'\n'<EOS>_'\n' _'\n'''\n'\\'\n'a'  \n\"b\"\n", "subwords"), "<pad>_",
            "<EOS>_", " _", "'", "\\", "a", "b");
    ENTRIES(LOAD("'<pad>'\n'x '", "subwords"), "<pad>", "x "); /* no LF at the end */
    /* a line feed as an entry takes two lines, which come back empty; a CR vanishes */
    ENTRIES(LOAD("'a_'\n'\n'\n'\r'\n'\rb'\n'b'\n", "subwords"), "a_", "", "", "", "b", "b");
    ENTRIES(LOAD("'\xE2\x80\xA8'\n'\xC2\x85'\n'\xED\xA0\x80'\n'\xEF\xBB\xBF'\n", "subwords"),
            "\xE2\x80\xA8", "\xC2\x85", "\xED\xA0\x80", "\xEF\xBB\xBF");
}

static void test_plain(void **state)
{
    (void) state;
    ENTRIES(LOAD("<pad>_\n<EOS>_\n a\nb \n'\n", "subwords"), "<pad>_", "<EOS>_", " a", "b", "");
    ENTRIES(LOAD("<pad>\n<EOS>\nthe_\n" ESCAPES, "subwords"), "<pad>", "<EOS>", "the_", "\\", "_",
            "u", ";", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
}

static void test_tokens(void **state)
{
    (void) state;
    ENTRIES(LOAD("<pad>\n<EOS>\n<UNK>\n the\t\n", "tokens"), "<pad>", "<EOS>", "<UNK>", "the");
    ENTRIES(LOAD("the\n'quoted'\n", "tokens"), "the", "'quoted'");
    ENTRIES(LOAD("'\nthe\n", "tokens"), "'", "the"); /* one quote character is a word */
    ENTRIES(LOAD("<pad>\n" ESCAPES "a\n", "tokens"), "<pad>", "\\", "_", "u", ";", "0", "1", "2",
            "3", "4", "5", "6", "7", "8", "9", "a"); /* a list of characters */
    ENTRIES(LOAD(ESCAPES "the_\n", "tokens"), "\\", "_", "u", ";", "0", "1", "2", "3", "4", "5",
            "6", "7", "8", "9", "the_"); /* without <pad> */
}

static void assert_refused(const char *content, size_t n, enum t2_status status,
                           const char *message)
{
    const char *path = write_vocab(content, n);
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e = (struct tok_encoder *) (void *) &err;
    char want[4300];

    assert_int_equal(tok_load(path, &e, &err), status);
    assert_null(e);
    snprintf(want, sizeof want, "'%s': %s", path, message);
    assert_string_equal(err.message, want);
}

#define REFUSED(content, status, message)                                                          \
    assert_refused(content, sizeof content - 1, status, message)

static void test_refused(void **state)
{
    (void) state;
    REFUSED("", T2_EFORMAT, "the vocabulary file is empty");
    REFUSED("'a'\n'b'\nc\n", T2_EFORMAT,
            "line 3 is not in quotes, but line 1 is: this is no vocabulary file");
    REFUSED("'a'\n\n'b'\n", T2_EFORMAT,
            "line 2 is not in quotes, but line 1 is: this is no vocabulary file");
    REFUSED("<pad>\n<EOS>\ntwo words\n", T2_EFORMAT,
            "line 3 is not one word: this is neither a subword vocabulary nor a list of words");
    REFUSED("<unk>\t0\nthe\t-3.5\n", T2_EUNSUPPORTED,
            "SentencePiece's list of pieces and scores (.vocab), which does not say how a text is "
            "normalised; take the .model, or `t2t-vocab convert --from=spm-vocab "
            "--to=sentencepiece`, which says what it assumes");
    REFUSED("<unk>\t0\nthe\t1\n", T2_EUNSUPPORTED,
            "entries with their ids, as lingvo's token files; a list of words has one word a line, "
            "and its number is the id");
    REFUSED("the\t-3.5\ncat\n", T2_EFORMAT,
            "line 1 is not one word: this is neither a subword vocabulary nor a list of words");
    REFUSED("a\nb\0c\n", T2_EFORMAT,
            "line 2 is not one word: this is neither a subword vocabulary nor a list of words");
    REFUSED("'a'\n'\xFF'\n", T2_EFORMAT, "line 2 is not UTF-8: this is no vocabulary file");
    REFUSED("a\nb\n\xC3", T2_EFORMAT, "line 3 is not UTF-8: this is no vocabulary file");
    REFUSED("### SubwordTextEncoder\n### Metadata: {}\n'a'\n", T2_EUNSUPPORTED,
            "line 1 is a TensorFlow Datasets header: another kind of encoder");
}

static void test_files_that_are_none(void **state)
{
    const char *path = t_tmp_path("folder");
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;

    (void) state;
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(tok_load(path, &e, &err), T2_EIO);
    t_assert_contains(err.message, path);
    path = t_tmp_path("absent");
    assert_int_equal(tok_load(path, &e, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, path);
}

/* What is loaded is written as it was: quoted, plain, tokens. */
static void test_save(void **state)
{
    static const char *const files[] = {"'<pad>_'\n'<EOS>_'\n' _'\n'''\n'\xC3\xA9'\n",
                                        "<pad>_\n<EOS>_\n a\n", "<pad>\n<EOS>\n<UNK>\nthe\n"};

    (void) state;
    for (size_t i = 0; i < 3; i++) {
        const char *copy = t_tmp_path("copy");
        struct t2_err err = T2_ERR_INIT;
        struct tok_encoder *e;
        char *written;
        size_t n;

        assert_int_equal(tok_load(write_vocab(files[i], strlen(files[i])), &e, &err), T2_OK);
        assert_int_equal(tok_save(e, copy, &err), T2_OK);
        written = t_read_file(copy, &n);
        assert_string_equal(written, files[i]);
        assert_int_equal(n, strlen(files[i]));
        free(written);
        tok_free(e);
    }
}

static void test_save_fails(void **state)
{
    struct t2_slice entries[] = {t2_slice_of("<pad>_"), t2_slice_of("<EOS>_"), t2_slice_of("\n")};
    struct tok_encoder *e = tok_subwords_new(entries, 3);
    const char *path = "/dev/null/vocab";
    struct t2_err err = T2_ERR_INIT;
    char hex[65], want[65];

    (void) state;
    tok_sha256(e, hex);
    t2_sha256_of("'<pad>_'\n'<EOS>_'\n'\n'\n", 22, want); /* of what would be written */
    assert_string_equal(hex, want);
    assert_int_not_equal(tok_save(e, path, &err), T2_OK);
    t_assert_contains(err.message, path);
    tok_free(e);
}

T_MAIN(cmocka_unit_test(test_quoted), cmocka_unit_test(test_plain), cmocka_unit_test(test_tokens),
       cmocka_unit_test(test_refused), cmocka_unit_test(test_files_that_are_none),
       cmocka_unit_test(test_save), cmocka_unit_test(test_save_fails))
