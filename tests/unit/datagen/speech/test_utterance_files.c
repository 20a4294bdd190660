/* Tests of datagen/speech/utterance_files.c: lists of utterances, and what is wrong with some. */
#include "datagen/speech/utterance_files.h"

#include <string.h>

#include "tests/support/t.h"

static struct t2_err err;

/* "id|speaker|audio|text|start|end", a line each. */
static enum t2_status print(void *context, const struct dg_utterance *u, struct t2_err *e)
{
    struct t2_buf *b = context;
    const struct t2_slice parts[] = {u->id, u->speaker, u->audio, u->text};

    (void) e;
    for (int i = 0; i < 4; i++) {
        t2_buf_append(b, parts[i].data, parts[i].len_bytes);
        t2_buf_push(b, '|');
    }
    t2_buf_printf(b, "%g|%g\n", u->start_s, u->end_s);
    return T2_OK;
}

typedef enum t2_status (*reader)(struct t2_slice file, const char *name, dg_see_utterance see,
                                 void *context, struct t2_err *err);

static void check(reader read, const char *file, const char *expected)
{
    struct t2_buf seen = {NULL, 0, 0};

    if (read(t2_slice_of(file), "list", print, &seen, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_string_equal(t2_buf_cstr(&seen), expected);
    t2_buf_release(&seen);
}

static void check_fails(reader read, const char *file, const char *why)
{
    struct t2_buf seen = {NULL, 0, 0};

    assert_int_equal(read(t2_slice_of(file), "list", print, &seen, &err), T2_EFORMAT);
    t_assert_contains(err.message, why);
    t2_buf_release(&seen);
}

static void test_transcripts(void **state)
{
    (void) state;
    check(dg_read_transcripts,
          "\xef\xbb\xbf"
          "12-3-0 HE SAID\r\n\n  7-1 A  B \n9",
          "12-3-0|12|12-3-0|HE SAID|0|0\n7-1|7|7-1|A  B|0|0\n9|9|9||0|0\n");
    check(dg_read_transcripts, "", "");
    check_fails(dg_read_transcripts, "1-1 A\n1-2 \xff\n", "'list': line 2: the text is not UTF-8");
}

static void test_tables(void **state)
{
    (void) state;
    check(dg_read_sound_table, "a.wav\tone two\nb/c.mp3\tthree\tann\tid-3\n",
          "||a.wav|one two|0|0\nid-3|ann|b/c.mp3|three|0|0\n");
    check(dg_read_sound_table, "client_id\tpath\tx\tsentence\nann\ta.mp3\t1\tone\n",
          "|ann|a.mp3|one|0|0\n");
    check_fails(dg_read_sound_table, "a.wav\tone\nb.wav\n", "line 2: a row is a sound file");
    check_fails(dg_read_sound_table, "path\ttext\tspeaker\n\tone\n", "a row is a sound file");
}

static void test_voice(void **state)
{
    (void) state;
    check(dg_read_voice_table, "filename,text,up_votes\ncv-valid-dev/s-0.mp3,\"one, two\",1\n",
          "cv-valid-dev/s-0.mp3|unknown|cv-valid-dev/s-0.mp3|one, two|0|0\n");
    check_fails(dg_read_voice_table, "filename,text\nx\n", "line 2: a row is");
}

static void kaldi(const char *const files[4], struct t2_buf *seen)
{
    const struct dg_kaldi_files f = {t2_slice_of(files[0]), t2_slice_of(files[1]),
                                     t2_slice_of(files[2]), t2_slice_of(files[3])};

    t2_buf_clear(seen);
    if (dg_read_kaldi(&f, "data/train", print, seen, &err) != T2_OK)
        t2_buf_puts(seen, err.message);
}

static void test_kaldi(void **state)
{
    static const struct {
        const char *files[4], *expected;
    } cases[] = {{{"u1 ONE\nu2 TWO THREE\n", "u1 a.wav\nu2 /b c.wav\n", "", "u1 ann\n"},
                  "u1|ann|a.wav|ONE|0|0\nu2||/b c.wav|TWO THREE|0|0\n"},
                 {{"u1 ONE\n", "r a.wav\n", "u1 r 0.5 2\n", ""}, "u1||a.wav|ONE|0.5|2\n"},
                 {{"u1 ONE\n", "r a.wav\n", "u1 r 2 0.5\n", ""}, "is not ID RECORDING START END"},
                 {{"u1 ONE\n", "r a.wav\n", "u1 r 0\n", ""}, "is not ID RECORDING START END"},
                 {{"u1 ONE\n", "r a.wav\n", "u2 r 0 1\n", ""}, "'segments' has no line"},
                 {{"u1 ONE\n", "u1 sox a.wav - |\n", "", ""}, "a command, which is not run"},
                 {{"u1 ONE\n", "u2 a.wav\n", "", ""},
                  "'data/train/text': line 1: 'wav.scp' has no"},
                 {{"u1 ONE\n", "u1 a\nu1 b\n", "", ""},
                  "'data/train/wav.scp': line 2: its first word"}};
    struct t2_buf seen = {NULL, 0, 0};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kaldi(cases[i].files, &seen);
        t_assert_contains(t2_buf_cstr(&seen), cases[i].expected);
    }
    t2_buf_release(&seen);
}

T_MAIN(cmocka_unit_test(test_transcripts), cmocka_unit_test(test_tables),
       cmocka_unit_test(test_voice), cmocka_unit_test(test_kaldi))
