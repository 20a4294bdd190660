/*
 * test_pack_records.c - the golden packings of spec t2t-datagen.md §12.6, and what is left over.
 */
#include "datagen/shards/pack_records.h"

#include <string.h>

#include "datagen/feature_list.h"
#include "tests/support/t.h"
#include "tfrecord/example.h"

enum { MOST = 32 };

/* Ids of a sequence, ended by 0. */
struct pair {
    int64_t inputs[MOST], targets[MOST];
};

static void add_feature(struct dg_record *r, const char *name, const int64_t *ids)
{
    struct dg_feature *f = dg_record_add(r, name, TFR_INT64);

    for (; *ids; ids++)
        dg_feature_push(f, *ids);
}

static void pack(const struct dg_packing *how, const struct pair *pairs, size_t n,
                 struct dg_packed *out)
{
    struct dg_packer *p = dg_packer_new(how);
    struct t2_err err = T2_ERR_INIT;
    struct dg_record r = {0};
    struct t2_buf payload = {0};

    for (size_t i = 0; i < n; i++) {
        dg_record_clear(&r);
        t2_buf_clear(&payload);
        if (how->has_inputs)
            add_feature(&r, "inputs", pairs[i].inputs);
        add_feature(&r, "targets", pairs[i].targets);
        dg_record_write(&r, &payload);
        assert_int_equal(dg_packer_add(p, t2_buf_slice(&payload), out, &err), T2_OK);
    }
    dg_packer_end(p, out);
    t2_buf_release(&payload);
    dg_record_release(&r);
    dg_packer_free(p);
}

/* "inputs=5 6 1|inputs_position=..." of each record in the order of names, a line each. */
static void print_records(const struct t2_buf *frames, struct t2_buf *text)
{
    static const char *const names[] = {"inputs",  "inputs_segmentation",  "inputs_position",
                                        "targets", "targets_segmentation", "targets_position"};
    struct tfr_example ex = {0};
    struct t2_err err = T2_ERR_INIT;
    size_t at = 0;

    while (at < frames->len_bytes) {
        struct t2_slice payload = {frames->data + at + 12, frames->data[at]};
        assert_int_equal(frames->data[at + 1], frames->data[at + 2]); /* below 64 KiB */
        payload.len_bytes += (size_t) frames->data[at + 1] << 8;
        assert_int_equal(tfr_example_parse(&ex, payload, &err), T2_OK);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            const struct tfr_view *v = tfr_example_find(&ex, names[i]);
            int64_t ids[MOST];
            if (!v)
                continue;
            assert_true(v->n <= MOST);
            tfr_view_ints(v, ids);
            t2_buf_printf(text, "%s%s=", i ? "|" : "", names[i]);
            for (size_t k = 0; k < v->n; k++)
                t2_buf_printf(text, "%s%d", k ? " " : "", (int) ids[k]);
        }
        t2_buf_push(text, '\n');
        at += payload.len_bytes + 16;
    }
    tfr_example_release(&ex);
}

static void check(const struct dg_packing *how, const struct pair *pairs, size_t n,
                  const char *expected, size_t n_records)
{
    struct t2_buf frames = {0}, text = {0};
    struct dg_stats stats = {0};
    struct dg_packed out = {&frames, &stats, 0};

    pack(how, pairs, n, &out);
    print_records(&frames, &text);
    assert_string_equal(t2_buf_cstr(&text), expected);
    assert_int_equal(out.n_records, n_records);
    if (n_records)
        assert_int_equal(dg_stats_of(&stats, "targets", TFR_INT64)->n_records, n_records);
    t2_buf_release(&frames);
    t2_buf_release(&text);
}

static void test_pairs(void **state)
{
    static const struct dg_packing how = {8, 0, true};
    static const struct pair pairs[] = {{{5, 6, 1}, {7, 1}},
                                        {{8, 1}, {9, 9, 9, 1}},
                                        {{4, 4, 4, 4, 1}, {3, 1}},
                                        {{2, 1}, {2, 1}}};

    (void) state;
    check(&how, pairs, 4,
          "inputs=5 6 1 8 1 2 1|inputs_segmentation=1 1 1 2 2 3 3|inputs_position=0 1 2 0 1 0 1"
          "|targets=7 1 9 9 9 1 2 1|targets_segmentation=1 1 2 2 2 2 3 3"
          "|targets_position=0 1 0 1 2 3 0 1\n"
          "inputs=4 4 4 4 1|inputs_segmentation=1 1 1 1 1|inputs_position=0 1 2 3 4"
          "|targets=3 1|targets_segmentation=1 1|targets_position=0 1\n",
          2);
}

static void test_targets_are_cut(void **state)
{
    static const struct dg_packing how = {4, 0, false};
    static const struct pair pairs[] = {{{0}, {5, 6, 7, 8, 9, 10, 11, 12, 13, 1}},
                                        {{0}, {7, 1}},
                                        {{0}, {9, 9, 9, 1}},
                                        {{0}, {3, 3, 3, 3, 3, 3, 1}}};
    static const char one[] = "|targets_segmentation=1 1 1 1|targets_position=0 1 2 3\n";
    struct t2_buf expected = {0};

    (void) state;
    t2_buf_printf(&expected, "inputs=0|targets=5 6 7 8%sinputs=0|targets=9 10 11 12%s", one, one);
    t2_buf_printf(&expected, "inputs=0|targets=3 3 3 3%s", one);
    t2_buf_puts(&expected, "inputs=0|targets=13 1 7 1|targets_segmentation=1 1 2 2"
                           "|targets_position=0 1 0 1\n");
    t2_buf_printf(&expected, "inputs=0|targets=9 9 9 1%s", one);
    t2_buf_puts(&expected,
                "inputs=0|targets=3 3 1|targets_segmentation=1 1 1|targets_position=0 1 2\n");
    check(&how, pairs, 4, t2_buf_cstr(&expected), 6);
    t2_buf_release(&expected);
}

static void test_spacing(void **state)
{
    static const struct dg_packing how = {8, 2, false};
    static const struct pair pairs[] = {{{0}, {5, 6, 1}}, {{0}, {7, 8, 1}}, {{0}, {4}}};

    (void) state;
    check(&how, pairs, 3,
          "inputs=0|targets=5 6 1 0 0 7 8 1|targets_segmentation=1 1 1 0 0 2 2 2"
          "|targets_position=0 1 2 0 0 0 1 2\n"
          "inputs=0|targets=4|targets_segmentation=1|targets_position=0\n",
          2);
}

/* A multiple of the length leaves an empty rest: nothing, or room for the next one. */
static void test_empty_rest(void **state)
{
    static const struct dg_packing how = {2, 0, false};
    static const struct pair pairs[] = {{{0}, {5, 6, 7, 1}}, {{0}, {9}}};

    (void) state;
    check(&how, pairs, 1,
          "inputs=0|targets=5 6|targets_segmentation=1 1|targets_position=0 1\n"
          "inputs=0|targets=7 1|targets_segmentation=1 1|targets_position=0 1\n",
          2);
    check(&how, pairs, 2,
          "inputs=0|targets=5 6|targets_segmentation=1 1|targets_position=0 1\n"
          "inputs=0|targets=7 1|targets_segmentation=1 1|targets_position=0 1\n"
          "inputs=0|targets=9|targets_segmentation=1|targets_position=0\n",
          3);
}

/* Eleven that fit nowhere: the oldest of ten goes first; longer than a record stays whole. */
static void test_queue(void **state)
{
    static const struct dg_packing how = {3, 0, true};
    struct pair pairs[12] = {{{0}, {0}}};
    struct t2_buf frames = {0}, text = {0};
    struct dg_stats stats = {0};
    struct dg_packed out = {&frames, &stats, 0};

    (void) state;
    for (size_t i = 0; i < 12; i++) {
        for (size_t k = 0; k < 3 + (i == 1); k++)
            pairs[i].inputs[k] = pairs[i].targets[k] = (int64_t) i + 1;
    }
    pack(&how, pairs, 12, &out);
    assert_int_equal(out.n_records, 12);
    print_records(&frames, &text);
    t_assert_contains(t2_buf_cstr(&text), "inputs=1 1 1|");
    assert_memory_equal(t2_buf_cstr(&text), "inputs=1 1 1|", 13);
    t_assert_contains(t2_buf_cstr(&text), "\ninputs=2 2 2 2|");
    assert_int_equal(dg_stats_of(&stats, "inputs", TFR_INT64)->max_length, 4);
    t2_buf_release(&frames);
    t2_buf_release(&text);
}

static void test_other_records(void **state)
{
    static const struct dg_packing how = {8, 0, true};
    struct dg_packer *p = dg_packer_new(&how);
    struct t2_buf frames = {0}, payload = {0};
    struct dg_stats stats = {0};
    struct dg_packed out = {&frames, &stats, 0};
    struct dg_record r = {0};
    struct t2_err err = T2_ERR_INIT;
    static const int64_t ids[] = {1, 0};

    (void) state;
    add_feature(&r, "targets", ids);
    dg_record_write(&r, &payload);
    assert_int_equal(dg_packer_add(p, t2_buf_slice(&payload), &out, &err), T2_EFORMAT);
    t_assert_contains(err.message, "no ids 'inputs'");
    err = (struct t2_err) T2_ERR_INIT;
    assert_int_equal(dg_packer_add(p, t2_slice_of("x"), &out, &err), T2_EFORMAT);
    dg_record_release(&r);
    t2_buf_release(&payload);
    t2_buf_release(&frames);
    dg_packer_free(p);
    dg_packer_free(NULL);
}

T_MAIN(cmocka_unit_test(test_pairs), cmocka_unit_test(test_targets_are_cut),
       cmocka_unit_test(test_spacing), cmocka_unit_test(test_empty_rest),
       cmocka_unit_test(test_queue), cmocka_unit_test(test_other_records))
