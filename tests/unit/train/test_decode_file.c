/*
 * tests/unit/train/test_decode_file.c - one output line per input line, in order, whatever the
 * lines and the batches are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "tests/support/comm_threads.h"
#include "tests/support/op_device.h" /* make check-far and check-cuda run it, too */
#include "tests/unit/train/small_translator.h"
#include "train/decode/decode_file.h"

/* Translates a text; the lines of the result, the last one ended too. */
static struct t2_strs run(const char *decode_hparams, uint64_t max_memory, int num_threads,
                          const char *input, struct dec_file_report *report)
{
    struct small_translator s;
    struct t2_strs lines = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    char from[512], to[512], *text;
    size_t n;

    snprintf(from, sizeof from, "%s", t_tmp_path("in"));
    snprintf(to, sizeof to, "%s", t_tmp_path("out"));
    t_write_file(from, input, strlen(input));
    small_open(&s, decode_hparams, max_memory, num_threads);
    if (dec_file(s.t, &s.hp, from, to, 0, report, &err) != T2_OK)
        fail_msg("%s", err.message);
    small_close(&s);
    text = t_read_file(to, &n);
    assert_true(n > 0 && text[n - 1] == '\n');
    for (size_t i = 0; i < n; i++) /* bytes that were never trained: a NUL is one of them */
        text[i] = text[i] ? text[i] : '0';
    text[n - 1] = '\0';
    if (n == 1)
        t2_strs_push(&lines, "");
    else
        t2_strs_split(&lines, text, '\n');
    free(text);
    return lines;
}

/* Enough for packed weights and batches of one to three lines: those depend on the processor. */
static uint64_t little_memory(void)
{
    struct small_translator s;
    struct t2_err err = T2_ERR_INIT;
    uint64_t packs;
    int32_t n;

    small_open(&s, "beam_size=2,extra_length=5", 0, 1);
    assert_int_equal(dec_fit(s.t, 2, 1, &n, &err), T2_OK);
    packs = mdl_packs_bytes(s.m);
    assert_true(packs > 0 || strcmp(s.dev->name, "cpu") != 0); /* other devices have none */
    small_close(&s);
    return packs + 140000;
}

static void test_lines(void **state)
{
    struct dec_file_report report;
    struct t2_strs lines;

    (void) state;
    lines = run("extra_length=4,beam_size=2", 0, 1, "\nab\n \t\ncd ef\r\n\nab", &report);
    assert_int_equal(lines.n, 6);
    assert_int_equal(report.n_lines, 6);
    assert_int_equal(report.n_empty, 3);
    assert_int_equal(report.n_cut, 0);
    assert_true(report.n_target_ids > 0 && report.seconds > 0);
    assert_string_equal(lines.items[0], "");
    assert_string_equal(lines.items[2], "");
    assert_string_equal(lines.items[4], "");
    assert_string_equal(lines.items[1], lines.items[5]);
    assert_true(lines.items[1][0] != '\0' && lines.items[3][0] != '\0');
    t2_strs_release(&lines);
    lines = run("", 0, 1, "\n", &report);
    assert_int_equal(lines.n, 1);
    t2_strs_release(&lines);
    lines = run("", 0, 1, "\n\n\n", &report);
    assert_int_equal(lines.n, 3);
    assert_int_equal(report.n_empty, 3);
    t2_strs_release(&lines);
}

/* 100 lines of all lengths, many of them twice. */
static char *many_lines(void)
{
    struct t2_buf text = {NULL, 0, 0};

    for (unsigned i = 0; i < 100; i++) {
        unsigned kind = (unsigned) (t_hash64(i) % 23);

        for (unsigned w = 0; w < kind % 7; w++)
            t2_buf_printf(&text, w ? " w%u" : "w%u", kind * 10 + w);
        t2_buf_push(&text, '\n');
    }
    return t2_buf_detach(&text);
}

/* Batch size, memory and threads do not decide which line is whose.  Sentences that are equal are
 * translated alike where they are batched alike: one per batch. */
static void test_order(void **state)
{
    char *text = many_lines();
    struct dec_file_report report;
    struct t2_strs one = run("batch_size=1,beam_size=2,extra_length=5", 0, 1, text, &report), other;

    (void) state;
    assert_int_equal(one.n, 100);
    for (unsigned i = 0; i < 100; i++)
        for (unsigned k = 0; k < i; k++)
            if (t_hash64(i) % 23 == t_hash64(k) % 23)
                assert_string_equal(one.items[i], one.items[k]);
    other = run("beam_size=2,extra_length=5", little_memory(), 1, text, &report);
    assert_int_equal(report.n_cut, 0);
    assert_int_equal(other.n, 100);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(one.items[i][0] == '\0', t_hash64(i) % 23 % 7 == 0);
    t2_strs_release(&other);
    t2_strs_release(&one);
    one = run("batch_size=9,beam_size=2,extra_length=5", 0, 1, text, &report);
    other = run("batch_size=9,beam_size=2,extra_length=5", 0, 3, text, &report);
    for (unsigned i = 0; i < 100; i++)
        assert_string_equal(one.items[i], other.items[i]);
    t2_strs_release(&other);
    other = run("batch_size=1,beam_size=2,extra_length=5", 0, 1, text, &report); /* nobody waits */
    for (unsigned i = 0; i < 100; i++)
        assert_string_equal(one.items[i], other.items[i]);
    t2_strs_release(&other);
    t2_strs_release(&one);
    t2_free(text);
}

/* A line of many ids and one word makes no others as long: nobody gets more ids than twice its own,
 * plus what is always added.  The model was never trained, and seldom ends. */
static void test_one_long_line(void **state)
{
    enum { LONG = 300, SHORT_LINES = 31, EXTRA = 4 };
    struct t2_buf text = {NULL, 0, 0};
    struct dec_file_report report;
    struct t2_strs lines;

    (void) state;
    for (int i = 0; i < LONG; i++)
        t2_buf_push(&text, 'a');
    for (int i = 0; i < SHORT_LINES; i++)
        t2_buf_printf(&text, "\n%d", i);
    lines = run("extra_length=4,beam_size=2", 0, 1, t2_buf_cstr(&text), &report);
    assert_int_equal(lines.n, SHORT_LINES + 1);
    assert_int_equal(report.n_batches, 2);
    assert_true(report.n_target_ids <= LONG + 1 + EXTRA + SHORT_LINES * (3 + EXTRA));
    assert_true(report.n_target_ids > LONG); /* the bound above means something */
    t2_strs_release(&lines);
    t2_buf_release(&text);
}

static void test_beams_and_scores(void **state)
{
    struct dec_file_report report;
    struct t2_strs lines, columns = {NULL, 0, 0};

    (void) state;
    lines = run("beam_size=3,return_beams=1,write_beam_scores=1,extra_length=3", 0, 1, "abc\n\nd\n",
                &report);
    assert_int_equal(lines.n, 3);
    assert_string_equal(lines.items[1], "\t0.00\t\t0.00\t\t0.00");
    t2_strs_split(&columns, lines.items[0], '\t');
    assert_int_equal(columns.n, 6);
    for (int i = 1; i < 6; i += 2) {
        double score;

        assert_true(t2_parse_double(columns.items[i], &score));
        assert_true(strchr(columns.items[i], '.')[3] == '\0');
    }
    t2_strs_release(&columns);
    t2_strs_release(&lines);
    lines = run("write_beam_scores=true,extra_length=3", 0, 1, "abc\n", &report);
    t2_strs_split(&columns, lines.items[0], '\t');
    assert_int_equal(columns.n, 2);
    t2_strs_release(&columns);
    t2_strs_release(&lines);
}

static void test_cut(void **state)
{
    struct dec_file_report report;
    struct t2_strs lines, cut;

    (void) state;
    lines = run("max_input_size=4,batch_size=1,extra_length=3", 0, 1, "abcdefgh\nabc\n", &report);
    assert_int_equal(report.n_cut, 1);
    cut = run("batch_size=1,extra_length=3", 0, 1, "abc\nabc\n", &report);
    assert_int_equal(report.n_cut, 0);
    assert_string_equal(lines.items[0], cut.items[0]); /* abc and EOS are left */
    assert_string_equal(lines.items[1], cut.items[1]);
    t2_strs_release(&lines);
    t2_strs_release(&cut);
}

static void check_error(const char *from, const char *to, enum t2_status status, const char *part)
{
    struct small_translator s;
    struct dec_file_report report;
    struct t2_err err = T2_ERR_INIT;

    small_open(&s, "", 0, 1);
    assert_int_equal(dec_file(s.t, &s.hp, from, to, 0, &report, &err), status);
    t_assert_contains(err.message, part);
    assert_false(t2_exists(to));
    small_close(&s);
}

/* What dec_file makes of a text, as it is; owned by the caller. */
static char *output_of(struct small_translator *s, const char *input, size_t *n)
{
    struct dec_file_report report;
    struct t2_err err = T2_ERR_INIT;
    char from[512], to[512];

    snprintf(from, sizeof from, "%s", t_tmp_path("in"));
    snprintf(to, sizeof to, "%s", t_tmp_path("out"));
    t_write_file(from, input, strlen(input));
    if (dec_file(s->t, &s->hp, from, to, 0, &report, &err) != T2_OK)
        fail_msg("%s", err.message);
    return t_read_file(to, n);
}

/* Records of another delimiter have the translations of the same lines. */
static void test_delimiter(void **state)
{
    struct small_translator s;
    char *lines, *records, *blank;
    size_t n_lines, n_records, n_blank;

    (void) state;
    small_open(&s, "identity_output=true,extra_length=4,beam_size=2", 0, 1);
    lines = output_of(&s, "ab\n\ncd ef\n", &n_lines);
    small_close(&s);
    small_open(&s, "identity_output=true,extra_length=4,beam_size=2,delimiter=;;", 0, 1);
    records = output_of(&s, "ab;; \n;;cd ef", &n_records);
    blank = output_of(&s, " ab\n;;;;cd\nef;;\n", &n_blank); /* a line end is white space */
    small_close(&s);
    for (size_t i = 0, at = 0; i < n_lines; i++) {
        if (lines[i] == '\n') {
            assert_memory_equal(records + at, ";;", 2);
            at += 2;
        } else {
            assert_int_equal(records[at++], lines[i]);
        }
    }
    assert_int_equal(n_records, n_lines + 3);
    assert_memory_equal(blank, records, strchr(records, ';') - records + 4);
    free(lines);
    free(records);
    free(blank);
}

/* A language model's list, so many times; what is drawn differs. */
static void test_num_decodes(void **state)
{
    struct small_translator s;
    struct t2_strs lines = {NULL, 0, 0};
    size_t n;

    (void) state;
    for (int draws = 0; draws < 2; draws++) {
        char *text;

        small_open_as(&s, "identity_output=true,extra_length=9,beam_size=1,num_decodes=3", 0, 1,
                      draws ? ",sampling_method=random" : "", false);
        text = output_of(&s, "ab\n\ncd ef\n", &n);
        text[n - 1] = '\0';
        t2_strs_split(&lines, text, '\n');
        free(text);
        assert_int_equal(lines.n, 9);
        for (int i = 0; i < 3; i++) {
            assert_true((strcmp(lines.items[i], lines.items[3 + i]) != 0) == (draws && i != 1));
            assert_true((strcmp(lines.items[3 + i], lines.items[6 + i]) != 0) == (draws && i != 1));
        }
        t2_strs_release(&lines);
        lines = (struct t2_strs){NULL, 0, 0};
        small_close(&s);
    }
}

/* ---- ranks ---- */

enum { MOST_RANKS = 4 };

struct on_ranks {
    struct small_translator of_ranks[MOST_RANKS];
    char from[512], to[512];
    uint64_t little; /* bytes */
    struct dec_file_report report;
};

static enum t2_status translate_on(struct dist *dist, void *arg, struct t2_err *err)
{
    struct on_ranks *o = arg;
    struct small_translator *s = &o->of_ranks[dist_rank(dist)];
    struct dec_parts parts = {.m = s->m,
                              .inputs = s->bytes,
                              .targets = s->bytes,
                              .hp = &s->hp,
                              .max_memory = dist_rank(dist) == 1 ? o->little : 1 << 30,
                              .dist = dist};
    bool writes = dist_rank(dist) == 0;
    struct dec_file_report report;
    enum t2_status st;

    dec_translator_free(s->t);
    s->t = NULL;
    T2_TRY(dec_translator_new(&parts, &s->t, err));
    /* only rank 0 reads and writes */
    st = dec_file(s->t, &s->hp, writes ? o->from : "/nowhere", writes ? o->to : "/nowhere/out", 0,
                  &report, err);
    if (writes)
        o->report = report;
    return st;
}

/* The file that ranks write together is that of one process, batches included, where all have the
 * memory of the rank with the least. */
static void check_ranks(const char *decode_hparams)
{
    struct t_rank_result results[MOST_RANKS];
    char *text = many_lines(), *one, *all;
    struct dec_file_report alone;
    struct t2_err err = T2_ERR_INIT;
    size_t n_one, n_all;

    for (int size = 2; size <= MOST_RANKS; size++) {
        struct on_ranks o = {.from = ""};

        snprintf(o.from, sizeof o.from, "%s", t_tmp_path("in"));
        snprintf(o.to, sizeof o.to, "%s", t_tmp_path("out"));
        t_write_file(o.from, text, strlen(text));
        o.little = little_memory();
        small_open(&o.of_ranks[0], decode_hparams, o.little, 1);
        assert_int_equal(dec_file(o.of_ranks[0].t, &o.of_ranks[0].hp, o.from, o.to, 0, &alone,
                                  &err),
                         T2_OK);
        small_close(&o.of_ranks[0]);
        for (int r = 0; r < size; r++)
            small_open(&o.of_ranks[r], decode_hparams, 0, 1);
        one = t_read_file(o.to, &n_one);
        assert_int_equal(unlink(o.to), 0);
        t_run_ranks(size, translate_on, &o, results);
        t_assert_ranks(size, results);
        all = t_read_file(o.to, &n_all);
        assert_int_equal(n_all, n_one);
        assert_memory_equal(all, one, n_one);
        assert_true(alone.n_batches > (uint64_t) size);
        assert_int_equal(o.report.n_batches, alone.n_batches);
        assert_int_equal(o.report.n_lines, alone.n_lines);
        assert_int_equal(o.report.n_empty, alone.n_empty);
        assert_int_equal(o.report.n_target_ids, alone.n_target_ids);
        free(one);
        free(all);
        for (int r = 0; r < size; r++)
            small_close(&o.of_ranks[r]);
    }
    t2_free(text);
}

static void test_ranks(void **state)
{
    (void) state;
    check_ranks("beam_size=2,extra_length=5,batch_size=9");
    check_ranks("beam_size=2,extra_length=3,return_beams=1,write_beam_scores=1,batch_size=3");
}

/* What rank 0 finds in the file all get; nobody waits. */
static void test_ranks_bad_file(void **state)
{
    struct t_rank_result results[2];
    struct on_ranks o = {.from = ""};

    (void) state;
    snprintf(o.from, sizeof o.from, "%s", t_tmp_path("bad"));
    snprintf(o.to, sizeof o.to, "%s", t_tmp_path("bad_ranks_out"));
    t_write_file(o.from, "a\nxy\xe4z\n", 7);
    for (int r = 0; r < 2; r++)
        small_open(&o.of_ranks[r], "", 0, 1);
    t_run_ranks(2, translate_on, &o, results);
    for (int r = 0; r < 2; r++) {
        assert_int_equal(results[r].status, T2_EFORMAT);
        t_assert_contains(results[r].err.message, "rank 0 on 'host0': '");
        t_assert_contains(results[r].err.message, "line 2, byte 3: not UTF-8 (0xe4)");
        small_close(&o.of_ranks[r]);
    }
    assert_false(t2_exists(o.to));
}

static void test_errors(void **state)
{
    char from[512], to[500], incomplete[512];

    (void) state;
    snprintf(from, sizeof from, "%s", t_tmp_path("bad"));
    snprintf(to, sizeof to, "%s", t_tmp_path("bad_out"));
    snprintf(incomplete, sizeof incomplete, "%s.incomplete", to);
    check_error(t_tmp_path("none"), to, T2_ENOTFOUND, "none'");
    t_write_file(from, "", 0);
    check_error(from, to, T2_EFORMAT, "is empty: nothing to translate");
    t_write_file(from, "a\nb\n\nxy\xe4z\n", 9);
    check_error(from, to, T2_EFORMAT, "line 4, byte 3: not UTF-8 (0xe4)");
    t_write_file(from, "a\n", 2);
    check_error(from, "/dev/null/out", T2_EIO, "/dev/null");
    assert_false(t2_exists(incomplete));
}

static void test_names(void **state)
{
    struct dec_hparams hp;
    struct t2_err err = T2_ERR_INIT;
    char *name;

    (void) state;
    assert_int_equal(dec_hparams_parse("", &hp, &err), T2_OK);
    name = dec_output_name("d/in.en", "transformer", "transformer_tiny", "p", &hp);
    assert_string_equal(name, "d/in.en.transformer.transformer_tiny.p.beam4.alpha0.6.decodes");
    t2_free(name);
    name = dec_output_name("x.beam4.alpha0.6.decodes", "m", "s", "p", &hp);
    assert_string_equal(name, "x.beam4.alpha0.6.decodes");
    t2_free(name);
    assert_int_equal(dec_hparams_parse("beam_size=1,alpha=1,shards=12,shard_id=3", &hp, &err),
                     T2_OK);
    name = dec_output_name("in", "m", "s", "p", &hp);
    assert_string_equal(name, "in.m.s.p.beam1.alpha1.0.decodes");
    t2_free(name);
    name = dec_shard_name("in", &hp);
    assert_string_equal(name, "in003");
    t2_free(name);
    assert_int_equal(dec_hparams_parse("shards=12,shard_id=3,shard_google_format=true", &hp, &err),
                     T2_OK);
    name = dec_shard_name("in", &hp);
    assert_string_equal(name, "in-00003-of-00012");
    t2_free(name);
}

T_MAIN(cmocka_unit_test(test_delimiter), cmocka_unit_test(test_num_decodes),
       cmocka_unit_test(test_lines), cmocka_unit_test(test_order),
       cmocka_unit_test(test_one_long_line), cmocka_unit_test(test_beams_and_scores),
       cmocka_unit_test(test_cut), cmocka_unit_test(test_ranks),
       cmocka_unit_test(test_ranks_bad_file), cmocka_unit_test(test_errors),
       cmocka_unit_test(test_names))
