/*
 * tests/unit/datagen/problems/test_dialog_raw.c - raw data of the dialog problems to pairs, by
 * split.
 */
#include "base/file.h"
#include "datagen/problems/dialog_text.h"
#include "tests/unit/datagen/problems/samples.h"

static const struct dg_source_file file = {.name = "raw.zip"};
static const struct dg_source source = {.file = &file, .sign = "there"};

static void s_put_words(struct dg_ranked_words *words, struct t2_buf *out)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice word;
    uint64_t count;

    assert_int_equal(dg_ranked_words_rank(words, &err), T2_OK);
    while (dg_ranked_words_next(words, &word, &count, &err) == T2_OK)
        t2_buf_printf(out, " %.*s=%d", (int) word.len_bytes, (const char *) word.data, (int) count);
}

/* "source>target" of a split, then " words: word=n ...". */
static char *pairs(dg_dialog_reader read, enum dg_split split)
{
    struct dg_options o = s_options();
    struct dg_dialogs d = {.words = dg_ranked_words_new(&o, DG_EQUALS_BY_FIRST)};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf out = {0};
    enum t2_status st;
    char *text[2];
    size_t n;

    for (int side = 0; side < 2; side++)
        assert_int_equal(t2_out_new(t_tmp_path(side ? "target" : "source"), &d.out[split][side],
                                    &err),
                         T2_OK);
    st = read(&source, &o, &d, &err);
    for (int side = 0; side < 2; side++) {
        assert_int_equal(t2_out_commit(d.out[split][side], &err), T2_OK);
        text[side] = t_read_file(t_tmp_path(side ? "target" : "source"), &n);
    }
    t2_buf_printf(&out, "%s>%s:", text[0], text[1]);
    s_put_words(d.words, &out);
    if (st != T2_OK)
        t2_buf_printf(&out, "!%s", err.message);
    free(text[0]);
    free(text[1]);
    dg_ranked_words_free(d.words);
    return t2_buf_detach(&out);
}

static void check(dg_dialog_reader read, enum dg_split split, const char *expected)
{
    char *got = pairs(read, split);

    assert_string_equal(got, expected);
    t2_free(got);
}

static void test_splits(void **state)
{
    (void) state;
    assert_int_equal(dg_dialog_split(80), DG_TRAIN);
    assert_int_equal(dg_dialog_split(81), DG_DEV);
    assert_int_equal(dg_dialog_split(90), DG_DEV);
    assert_int_equal(dg_dialog_split(91), DG_TEST);
}

static void test_cornell(void **state)
{
    static const char sep[] = " +++$+++ ";
    struct t2_buf lines = {0};
    char *got;

    (void) state;
    s_put("there", "");
    for (int i = 1; i <= 3; i++)
        t2_buf_printf(&lines, "L%d%su%sm%sBOB%sLine %d\r\n", i, sep, sep, sep, sep, i);
    t2_buf_printf(&lines, "L1045%su%sm%sBOB%s\n", sep, sep, sep, sep);
    s_put("cornell movie-dialogs corpus/movie_lines.txt", t2_buf_cstr(&lines));
    t2_buf_clear(&lines);
    t2_buf_printf(&lines, "u%su%sm%s['L1', 'L1045', 'L2', 'L3']\n", sep, sep, sep);
    s_put("cornell movie-dialogs corpus/movie_conversations.txt", t2_buf_cstr(&lines));
    check(dg_read_cornell, DG_TRAIN, "\nline 2\n>line 2\nline 3\n: line=1 2=1");
    s_put("cornell movie-dialogs corpus/movie_conversations.txt", "u +++$+++ x\n");
    got = pairs(dg_read_cornell, DG_DEV);
    t_assert_contains(got, "movie_conversations.txt': line 1: fewer than four fields");
    t2_free(got);
    t2_buf_release(&lines);
}

static void test_daily(void **state)
{
    (void) state;
    s_put("ijcnlp_dailydialog/dialogues_text.txt",
          " Hi ! __eou__ Yes . __eou__ No __eou__\nlone __eou__\n");
    check(dg_read_dailydialog, DG_TRAIN,
          " hi  !  \n yes  .  \n> yes  .  \n no \n: hi=1 !=1 yes=1 .=1 no=1 lone=1");
    check(dg_read_dailydialog, DG_TEST, ">: hi=1 !=1 yes=1 .=1 no=1 lone=1");
}

static void test_persona(void **state)
{
    (void) state;
    s_put("train_none_original_no_cands.txt",
          "1 a b\tc\n2 __SILENCE__\tx\n3 y\tz\n1  d\te\n1 f\tg\r\n");
    s_put("valid_none_original_no_cands.txt", "1 last\tdialog\n");
    check(dg_read_personachat, DG_TRAIN, "a b\nd\nf\n>c\ne\ng\n: a=1 b=1 c=1 d=1 e=1 f=1 g=1");
}

static void test_films(void **state)
{
    static const char film[] =
        "<s id=\"1\">\n<w id=\"1.1\">Hi</w>\n<w id=\"1.2\">you</w>\n</s>\n<s id=\"2\">\n"
        "<w id=\"2.1\">Yes\t!</w>\n</s>\n<s id=\"3\">\n<w id=\"3.1\">lost</w>\n</s>\n";

    (void) state;
    s_put("OpenSubtitles/en/a.xml", film);
    s_put("OpenSubtitles/en/b.xml", "<s id=\"1\">\n<w id=\"1.1\">alone</w>\n<s id=\"2\">\n");
    check(dg_read_opensubtitles, DG_TRAIN, " hi you\n> yes  ! \n: hi=1 you=1 yes=1 !=1 alone=1");
}

T_MAIN(cmocka_unit_test(test_splits), cmocka_unit_test(test_cornell), cmocka_unit_test(test_daily),
       cmocka_unit_test(test_persona), cmocka_unit_test(test_films))
