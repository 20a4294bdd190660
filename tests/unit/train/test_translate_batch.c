/*
 * tests/unit/train/test_translate_batch.c - ids of a batch to hypotheses: beams, prompts, drawn
 * ids; whom a source shares its batch with.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "tests/support/op_device.h" /* make check-far and check-cuda run it, too */
#include "tests/unit/train/small_translator.h"

/* Batches of growing and shrinking shape through one translator; all beams; best first. */
static void test_translate(void **state)
{
    static const char *const texts[] = {"a", "longer than that", "b c", "and one more, to be sure"};
    struct small_translator s;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    small_open(&s, "beam_size=3,return_beams=true,extra_length=5", 0, 1);
    for (int32_t n = 1; n <= 4; n++) {
        struct dec_hypothesis h[12] = {{{NULL, 0, 0}, 0, 0, NULL}};
        struct tok_ids ids[4];
        size_t longest = 0;

        for (int32_t i = 0; i < n; i++) {
            small_encode(&s, texts[i], &ids[i]);
            longest = ids[i].n > longest ? ids[i].n : longest;
        }
        assert_int_equal(dec_translate(s.t, ids, n, h, &err), T2_OK);
        for (int32_t i = 0; i < 3 * n; i++) {
            assert_true(i % 3 == 0 || h[i].score <= h[i - 1].score);
            assert_true(h[i].n_ids >= 0 && (size_t) h[i].n_ids <= longest + 5);
            for (size_t k = 0; k < h[i].text.len_bytes; k++)
                assert_true(!strchr("\n\r\t", h[i].text.data[k]) || h[i].text.data[k] == 0);
            t2_buf_release(&h[i].text);
        }
        for (int32_t i = 0; i < n; i++)
            tok_ids_release(&ids[i]);
    }
    small_close(&s);
}

/* identity_output shows the ids that the text is made of. */
static void test_identity(void **state)
{
    struct small_translator text, numbers;
    struct dec_hypothesis a = {{NULL, 0, 0}, 0, 0, NULL}, b = {{NULL, 0, 0}, 0, 0, NULL};
    struct tok_ids ids;
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf again = {NULL, 0, 0};
    char *at;

    (void) state;
    small_open(&text, "extra_length=6", 0, 1);
    small_open(&numbers, "extra_length=6,identity_output=true", 0, 2);
    small_encode(&text, "some text", &ids);
    assert_int_equal(dec_translate(text.t, &ids, 1, &a, &err), T2_OK);
    assert_int_equal(dec_translate(numbers.t, &ids, 1, &b, &err), T2_OK);
    assert_true(a.score == b.score && a.n_ids == b.n_ids && a.n_ids > 0);
    at = (char *) b.text.data;
    for (int32_t i = 0; i < b.n_ids; i++) {
        int32_t id = (int32_t) strtol(at, &at, 10);

        if (id != TOK_EOS)
            tok_decode(text.bytes, &id, 1, &again);
    }
    assert_int_equal(*at, '\0');
    t2_buf_release(&again);
    t2_buf_release(&a.text);
    t2_buf_release(&b.text);
    tok_ids_release(&ids);
    small_close(&numbers);
    small_close(&text);
}

/* The source of a text that is continued has no EOS; a batch of several gives what each gives
 * alone: what is forced is as long as its own source. */
static void check_continuation(const char *more, bool has_inputs, int beam_size)
{
    static const char *const texts[] = {"some text", "x", "another longer one"};
    char decode_hparams[64];
    struct small_translator s;
    struct dec_hypothesis together[3] = {0}, alone[3] = {0};
    struct tok_ids ids[3];
    struct t2_err err = T2_ERR_INIT;

    snprintf(decode_hparams, sizeof decode_hparams, "beam_size=%d,extra_length=%d", beam_size,
             has_inputs ? 9 : 20);
    small_open_as(&s, decode_hparams, 0, 2, more, has_inputs);
    for (int i = 0; i < 3; i++) {
        small_encode(&s, texts[i], &ids[i]);
        assert_int_equal(ids[i].n, strlen(texts[i]) + has_inputs);
        assert_int_equal(dec_translate(s.t, &ids[i], 1, &alone[i], &err), T2_OK);
    }
    assert_int_equal(dec_translate(s.t, ids, 3, together, &err), T2_OK);
    for (int i = 0; i < 3; i++) {
        size_t n = alone[i].text.len_bytes;

        assert_true(alone[i].n_ids > 0 && together[i].n_ids > 0);
        /* the longest of the batch may go on for longer */
        n = n < together[i].text.len_bytes ? n : together[i].text.len_bytes;
        if (beam_size == 1)
            assert_memory_equal(alone[i].text.data, together[i].text.data, n);
        t2_buf_release(&alone[i].text);
        t2_buf_release(&together[i].text);
        tok_ids_release(&ids[i]);
    }
    small_close(&s);
}

static void test_continuations(void **state)
{
    (void) state;
    for (int beam_size = 1; beam_size <= 3; beam_size += 2) {
        check_continuation("", false, beam_size);
        check_continuation(",prepend_mode=prepend_inputs_masked_attention", true, beam_size);
    }
}

/* Three lines one by one and as a batch, with one thread and with two: the same draws; another seed
 * draws others, and argmax does not draw. */
static void sampled(const char *more, uint64_t seed, int batch, int threads, struct t2_buf out[3])
{
    static const char *const lines[] = {"one line", "another one", "and a third"};
    struct tok_ids ids[3] = {{0}};
    struct dec_hypothesis h[3] = {{{0}, 0, 0, NULL}};
    struct t2_err err = T2_ERR_INIT;
    struct small_translator s;
    struct dec_translator *t;
    size_t n_cut;

    small_open_as(&s, "beam_size=1,identity_output=true,extra_length=12", 0, threads, more, true);
    assert_int_equal(dec_translator_new(&(struct dec_parts){.m = s.m,
                                                            .inputs = s.bytes,
                                                            .targets = s.bytes,
                                                            .hp = &s.hp,
                                                            .seed = seed},
                                        &t, &err),
                     T2_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(dec_encode(t, t2_slice_of(lines[i]), &ids[i], &n_cut, &err), T2_OK);
    for (int i = 0; i < 3; i += batch)
        assert_int_equal(dec_translate(t, ids + i, batch, h + i, &err), T2_OK);
    for (int i = 0; i < 3; i++) {
        out[i] = h[i].text;
        tok_ids_release(&ids[i]);
    }
    dec_translator_free(t);
    small_close(&s);
}

/* How many of the three begin with the same 20 characters (a batch may leave off elsewhere). */
static int n_same(struct t2_buf *a, struct t2_buf *b)
{
    int n = 0;

    for (int i = 0; i < 3; i++)
        n += strncmp(t2_buf_cstr(&a[i]), t2_buf_cstr(&b[i]), 20) == 0;
    return n;
}

static void test_sampling(void **state)
{
    static const char random[] =
        ",sampling_method=random,sampling_temp=0.7,sampling_keep_top_k=100";
    struct t2_buf one[3], all[3], threads[3], seed[3], argmax[3];

    (void) state;
    sampled(random, 5, 1, 1, one);
    sampled(random, 5, 3, 1, all);
    sampled(random, 5, 3, 2, threads);
    sampled(random, 6, 3, 1, seed);
    sampled("", 5, 3, 1, argmax);
    assert_int_equal(n_same(one, all), 3);
    assert_int_equal(n_same(all, threads), 3);
    assert_int_equal(n_same(all, seed), 0);
    assert_int_equal(n_same(all, argmax), 0);
    for (int i = 0; i < 3; i++) {
        t2_buf_release(&one[i]);
        t2_buf_release(&all[i]);
        t2_buf_release(&threads[i]);
        t2_buf_release(&seed[i]);
        t2_buf_release(&argmax[i]);
    }
}

enum { RUN = 40, RUN_PLACES = 8 };

/* Sources of a run, where who has ended leaves its place, and of batches: the same bits. */
static void check_run(const char *decode_hparams, const char *more, bool has_inputs)
{
    struct small_translator s;
    struct dec_hypothesis *batches, *run;
    struct tok_ids ids[RUN];
    struct t2_err err = T2_ERR_INIT;
    int32_t n_best;
    int n_short = 0;

    small_open_as(&s, decode_hparams, 0, 2, more, has_inputs);
    n_best = dec_n_best(&s.hp);
    batches = t2_alloc((size_t) (RUN * n_best), sizeof *batches);
    run = t2_alloc((size_t) (RUN * n_best), sizeof *run);
    for (int32_t i = 0; i < RUN; i++) {
        char text[32];

        snprintf(text, sizeof text, "%.*s%d", 5 + i % 9, "line line line", i);
        small_encode(&s, text, &ids[i]);
    }
    assert_int_equal(dec_run_sources(s.t, RUN_PLACES), RUN_PLACES);
    for (int32_t i = 0; i < RUN; i += RUN_PLACES)
        assert_int_equal(dec_translate(s.t, ids + i, RUN_PLACES, batches + i * n_best, &err),
                         T2_OK);
    dec_translator_refill(s.t, true);
    assert_true(dec_run_sources(s.t, RUN_PLACES) >= RUN);
    assert_int_equal(dec_run_sources(s.t, 2), 2);
    assert_int_equal(dec_translate_run(s.t, ids, RUN, RUN_PLACES, run, &err), T2_OK);
    for (int32_t i = 0; i < RUN * n_best; i++) {
        n_short += batches[i].n_ids < 12;
        assert_int_equal(run[i].n_ids, batches[i].n_ids);
        assert_true(run[i].score == batches[i].score);
        assert_string_equal(t2_buf_cstr(&run[i].text), t2_buf_cstr(&batches[i].text));
        t2_buf_release(&run[i].text);
        t2_buf_release(&batches[i].text);
    }
    assert_in_range(n_short, 1, RUN * n_best); /* some end before others */
    for (int32_t i = 0; i < RUN; i++)
        tok_ids_release(&ids[i]);
    t2_free(batches);
    t2_free(run);
    small_close(&s);
}

/* Who asks for translations of ids, one or two at a time, now and then nothing. */
struct asker {
    const struct tok_ids *ids;
    struct dec_hypothesis *out; /* (STREAM, n_best) */
    int32_t n_best;
    size_t next, n_ended, n_calls;
    bool many;
};

enum { STREAM = 40 };

static int32_t ask_more(void *context, int32_t n, struct tok_ids *sources, size_t *numbers)
{
    struct asker *a = context;
    int32_t given = 0, most = a->many ? n : 1 + (int32_t) (a->n_calls % 2);

    assert_true(n > 0);
    if (++a->n_calls % 5 == 4 && a->n_ended < a->next)
        return 0;
    while (given < n && given < most && a->next < STREAM) {
        sources[given] = a->ids[a->next];
        numbers[given++] = a->next++;
    }
    return given;
}

static void note_ended(void *context, size_t number, const struct dec_hypothesis *h)
{
    struct asker *a = context;

    assert_true(number < a->next);
    assert_null(a->out[number * (size_t) a->n_best].text.data); /* once */
    for (int32_t k = 0; k < a->n_best; k++)
        a->out[number * (size_t) a->n_best + (size_t) k] = h[k];
    a->n_ended++;
}

/* Sources that come while others are translated, in any company, and batches: the same bits. */
static void check_stream(const char *decode_hparams, const char *more, bool has_inputs, bool many)
{
    struct small_translator s;
    struct tok_ids ids[STREAM];
    struct t2_err err = T2_ERR_INIT;
    struct dec_hypothesis *batches;
    struct asker a = {.ids = ids, .many = many};
    struct dec_stream stream = {&a, 0, 8, ask_more, note_ended};
    int64_t n_built;

    small_open_as(&s, decode_hparams, 0, 2, more, has_inputs);
    a.n_best = dec_n_best(&s.hp);
    batches = t2_alloc((size_t) (STREAM * a.n_best), sizeof *batches);
    a.out = t2_alloc((size_t) (STREAM * a.n_best), sizeof *a.out);
    for (int32_t i = 0; i < STREAM; i++) {
        char text[32];

        snprintf(text, sizeof text, "%.*s%d", 1 + i * 7 % 13, "line line line", i);
        small_encode(&s, text, &ids[i]);
        stream.longest = ids[i].n > stream.longest ? ids[i].n : stream.longest;
    }
    stream.longest += 2;
    assert_false(dec_can_stream(s.t, stream.places));
    for (int32_t i = 0; i < STREAM; i += 5)
        assert_int_equal(dec_translate(s.t, ids + i, 5, batches + i * a.n_best, &err), T2_OK);
    dec_translator_refill(s.t, true);
    assert_true(dec_can_stream(s.t, stream.places));
    assert_false(dec_can_stream(s.t, 2));
    assert_int_equal(dec_translate_stream(s.t, &stream, &err), T2_OK);
    assert_int_equal(a.n_ended, STREAM);
    for (int32_t i = 0; i < STREAM * a.n_best; i++) {
        assert_int_equal(a.out[i].n_ids, batches[i].n_ids);
        assert_true(a.out[i].score == batches[i].score);
        assert_string_equal(t2_buf_cstr(&a.out[i].text), t2_buf_cstr(&batches[i].text));
        t2_buf_release(&a.out[i].text);
        t2_buf_release(&batches[i].text);
    }
    n_built = dec_n_graphs_built(s.t);
    assert_int_equal(dec_translate_stream(s.t, &stream, &err), T2_OK); /* nobody comes */
    assert_int_equal(dec_n_graphs_built(s.t), n_built);
    for (int32_t i = 0; i < STREAM; i++)
        tok_ids_release(&ids[i]);
    t2_free(batches);
    t2_free(a.out);
    small_close(&s);
}

static void test_stream(void **state)
{
    (void) state;
    for (int many = 0; many < 2; many++) {
        check_stream("beam_size=1,extra_length=3,identity_output=true", "", true, many);
        check_stream("beam_size=3,extra_length=3,return_beams=true,identity_output=true", "", true,
                     many);
        check_stream("beam_size=2,extra_length=3,identity_output=true",
                     ",prepend_mode=prepend_inputs_masked_attention", true, many);
        check_stream("beam_size=2,extra_length=3,identity_output=true,no_repeat_ngram_size=2", "",
                     true, many);
        check_stream("beam_size=1,extra_length=3,identity_output=true", ",sampling_method=random",
                     false, many);
    }
}

static void test_run(void **state)
{
    (void) state;
    check_run("beam_size=1,extra_length=3,identity_output=true", "", true);
    check_run("beam_size=3,extra_length=3,return_beams=true,identity_output=true", "", true);
    check_run("beam_size=2,extra_length=3,identity_output=true",
              ",prepend_mode=prepend_inputs_masked_attention", true);
    check_run("beam_size=1,extra_length=3,identity_output=true", ",sampling_method=random", false);
}

/* By a map every id is one that its source may have, whomever it shares its batch with. */
static void test_map(void **state)
{
    static const char *const texts[] = {"abc", "b", "caab"};
    struct small_translator s;
    struct dec_vocabulary_map *map;
    struct dec_hypothesis together[6] = {0}, alone[6] = {0};
    struct t2_buf lines = {0};
    struct t2_err err = T2_ERR_INIT;
    struct dec_translator *t;
    struct tok_ids ids[3];
    struct dec_parts parts;
    char path[512];

    (void) state;
    small_open(&s, "beam_size=2,return_beams=true,extra_length=4", 0, 2);
    snprintf(path, sizeof path, "%s", t_tmp_path("vmap"));
    for (int c = 'a'; c <= 'c'; c++) {
        t2_buf_printf(&lines, "%d\t", c + 2);
        for (int i = 0; i < 40; i++)
            t2_buf_printf(&lines, "%d ", 10 + 50 * (c - 'a') + i);
        t2_buf_push(&lines, '\n');
    }
    t_write_file(path, (char *) lines.data, lines.len_bytes);
    assert_int_equal(dec_vocabulary_map_load(path, s.bytes, s.bytes, &map, &err), T2_OK);
    parts = (struct dec_parts){
        .m = s.m, .inputs = s.bytes, .targets = s.bytes, .hp = &s.hp, .keep_ids = true, .map = map};
    assert_int_equal(dec_translator_new(&parts, &t, &err), T2_OK);
    for (int i = 0; i < 3; i++) {
        small_encode(&s, texts[i], &ids[i]);
        assert_int_equal(dec_translate(t, &ids[i], 1, &alone[2 * i], &err), T2_OK);
    }
    assert_int_equal(dec_translate(t, ids, 3, together, &err), T2_OK);
    for (int i = 0; i < 6; i++) {
        if (together[i].score != alone[i].score)
            fail_msg("%d: %.9g, alone %.9g", i, together[i].score, alone[i].score);
        assert_int_equal(together[i].n_ids, alone[i].n_ids);
        for (int k = 0; k < together[i].n_ids; k++) {
            int id = together[i].ids[k], letter = (id - 10) / 50;

            assert_int_equal(id, alone[i].ids[k]);
            assert_true(id == TOK_EOS ||
                        ((id - 10) % 50 < 40 && letter < 3 && strchr(texts[i / 2], 'a' + letter)));
        }
        t2_free(together[i].ids);
        t2_free(alone[i].ids);
        t2_buf_release(&together[i].text);
        t2_buf_release(&alone[i].text);
    }
    dec_translator_free(t);
    parts.inputs = NULL;
    small_close(&s);
    small_open_as(&s, "", 0, 1, "", false);
    parts.m = s.m;
    parts.targets = s.bytes;
    parts.hp = &s.hp;
    assert_int_equal(dec_translator_new(&parts, &t, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "a shortlist is for one model that translates");
    small_close(&s);
    for (int i = 0; i < 3; i++)
        tok_ids_release(&ids[i]);
    dec_vocabulary_map_free(map);
    t2_buf_release(&lines);
}

T_MAIN(cmocka_unit_test(test_map), cmocka_unit_test(test_run), cmocka_unit_test(test_stream),
       cmocka_unit_test(test_translate), cmocka_unit_test(test_identity),
       cmocka_unit_test(test_continuations), cmocka_unit_test(test_sampling))
