/*
 * The bounded list of what verify found: the first of each severity stay, all are counted.
 */
#include "tfrec/findings.h"

#include "base/json_writer.h"
#include "tests/support/t.h"

static struct tfr_input_file file = {.path = NULL};
static char path[] = "x.tfrecord";
static const struct tfr_inputs in = {&file, 1, 0};

static void test_bounds(void **state)
{
    struct rec_findings a = {.limit = 3}, b = {.limit = 3};
    (void) state;

    for (uint64_t i = 0; i < 5; i++)
        assert_int_equal(rec_find(&a, REC_DAMAGE, 0, i, 10 * i, "data", "%d", (int) i) != NULL,
                         i < 3);
    for (uint64_t i = 0; i < 2; i++)
        (void) rec_find(&b, REC_PAYLOAD_WARNING, 0, i, 10 * i + 5, "f", "w%d", (int) i);
    (void) rec_find(&b, REC_DAMAGE, 0, 9, 90, "data", "last");
    rec_findings_move(&a, &b);
    assert_int_equal(b.n, 0);
    assert_int_equal(b.counts[REC_DAMAGE], 0);
    assert_int_equal(a.n, 5);
    assert_int_equal(a.counts[REC_DAMAGE], 6);
    assert_int_equal(a.counts[REC_PAYLOAD_WARNING], 2);
    rec_findings_sort(&a);
    for (size_t i = 1; i < a.n; i++)
        assert_true(a.items[i - 1].offset <= a.items[i].offset);
    rec_findings_drop_payload(&a);
    assert_int_equal(a.n, 3);
    assert_int_equal(a.counts[REC_PAYLOAD_WARNING], 0);
    rec_findings_clear(&a);
    assert_int_equal(a.n, 0);
    rec_findings_release(&a);
    rec_findings_release(&b);
}

static void test_lines(void **state)
{
    struct rec_findings l = {.limit = 3};
    struct t2_buf text = {NULL, 0, 0};
    struct t2_json j;
    (void) state;

    file.path = path;
    struct rec_finding *f = rec_find(&l, REC_DAMAGE, 0, 7, 99, "data CRC", "bad");
    f->lost_bytes = 20;
    f->lost_records = 2;
    f = rec_find(&l, REC_PAYLOAD_WARNING, 0, 8, 120, "features", "odd");
    (void) rec_find(&l, REC_DAMAGE, 0, REC_NO_RECORD, 0, "file", "no such file");
    for (size_t i = 0; i < l.n; i++)
        rec_finding_print(&l.items[i], &in, false, &text);
    assert_string_equal(t2_buf_cstr(&text),
                        "x.tfrecord: record 7 at offset 99: data CRC: bad; 20 bytes lost, about 2 "
                        "records\n"
                        "x.tfrecord: record 8 at offset 120: warning: features: odd\n"
                        "x.tfrecord: file: no such file\n");
    t2_buf_clear(&text);
    t2_json_init(&j, &text, 0);
    rec_finding_json(&l.items[1], &in, true, &j);
    assert_string_equal(t2_buf_cstr(&text),
                        "{\"file\": \"x.tfrecord\", \"record\": 8, \"offset\": 120, \"field\": "
                        "\"features\", \"severity\": \"error\", \"message\": \"odd\"}");
    t2_buf_release(&text);
    rec_findings_release(&l);
}

T_MAIN(cmocka_unit_test(test_bounds), cmocka_unit_test(test_lines))
