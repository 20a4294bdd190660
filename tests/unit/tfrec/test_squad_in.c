/*
 * tests/unit/tfrec/test_squad_in.c - SQuAD's JSON to records: rows as the original makes them
 * (fixtures/recordings/garden_squad), what is refused; damage at every byte.
 */
#include "tests/support/squad_recording.h"
#include "tests/unit/tfrec/converting.h"
#include "tfrecord/example.h"
#include "tfrecord/reader.h"

static struct rec_convert squad(const struct squad_recording *r)
{
    struct rec_convert c = cv_defaults();

    c.from = "squad";
    c.vocab_file = SQUAD_FOLDER "vocab.txt";
    c.max_seq_length = r->form.length;
    c.doc_stride = r->form.stride;
    c.max_query_length = r->form.most_question;
    c.do_lower_case = true;
    return c;
}

/* The values of a feature, as many as there must be; until the next call. */
static const int64_t *ints(const struct tfr_example *ex, const char *name, size_t n)
{
    static int64_t values[1024];
    const struct tfr_view *v = tfr_example_find(ex, name);

    assert_non_null(v);
    assert_int_equal(v->kind, TFR_INT64);
    assert_int_equal(v->n, n);
    tfr_view_ints(v, values);
    return values;
}

static int64_t one(const struct tfr_example *ex, const char *name)
{
    return *ints(ex, name, 1);
}

/* A list of n, padded with zeros. */
static void check_list(const struct tfr_example *ex, const char *name, size_t n,
                       const struct t2_json_value *theirs)
{
    const int64_t *ours = ints(ex, name, n);

    for (size_t i = 0; i < n; i++)
        assert_int_equal(ours[i], i < t2_json_size(theirs)
                                      ? t2_json_as_i64(t2_json_item(theirs, i), -1)
                                      : 0);
}

static void check_row(const struct squad_recording *r, const struct tfr_example *ex,
                      const struct t2_json_value *row, size_t number)
{
    size_t n = (size_t) r->form.length, filled = t2_json_size(t2_json_get(row, "ids"));
    int64_t begin = t2_json_as_i64(t2_json_get(row, "begin"), -1), mask[1024];
    const int64_t *ids;
    size_t text_at = 1; /* of the first id of the text */

    check_list(ex, "input_ids", n, t2_json_get(row, "ids"));
    check_list(ex, "segment_ids", n, t2_json_get(row, "parts"));
    memcpy(mask, ints(ex, "input_mask", n), n * sizeof *mask);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(mask[i], i < filled);
    assert_int_equal(one(ex, "start_positions"), begin);
    assert_int_equal(one(ex, "end_positions"), t2_json_as_i64(t2_json_get(row, "end"), -1));
    assert_int_equal(one(ex, "is_impossible"), begin == 0);
    assert_int_equal(one(ex, "class_index"), 0);
    assert_int_equal(one(ex, "unique_ids"), 1000000000 + (int64_t) number);
    /* the text is segment 1, but for the mark behind it */
    memcpy(mask, ints(ex, "paragraph_mask", n), n * sizeof *mask);
    ids = ints(ex, "segment_ids", n);
    while (text_at < n && ids[text_at] == 0)
        text_at++;
    for (size_t i = 0; i < n; i++)
        assert_int_equal(mask[i], i == 0 || (i >= text_at && i + 1 < filled));
}

static void test_as_the_original(void **state)
{
    const char *path = t_tmp_path("rows-train-00000-of-00001");
    const struct t2_json_value *rows;
    struct tfr_example ex = {0};
    struct squad_recording r;
    struct tfr_reader *file;
    struct t2_slice record;
    size_t n = 0;

    (void) state;
    squad_open(&r, "train.json");
    cv_must(squad(&r), SQUAD_FOLDER "train.json", path);
    rows = t2_json_get(r.root, "train");
    assert_int_equal(tfr_reader_new(path, &file, &cv_err), T2_OK);
    while (tfr_reader_next(file, &record, &cv_err) == T2_OK) {
        assert_int_equal(tfr_example_parse(&ex, record, &cv_err), T2_OK);
        check_row(&r, &ex, t2_json_item(rows, n), n);
        n++;
    }
    assert_int_equal(n, t2_json_size(rows));
    tfr_reader_free(file);
    tfr_example_release(&ex);
    squad_close(&r);
}

/* A question without an answer has all its rows, with the answer at [CLS]. */
static void test_negative(void **state)
{
    const char *path = t_tmp_path("negative-train-00000-of-00001");
    const struct t2_json_value *rows;
    struct tfr_example ex = {0};
    struct squad_recording r;
    struct rec_convert c;
    struct tfr_reader *file;
    struct t2_slice record;
    size_t n = 0, n_impossible = 0;

    (void) state;
    squad_open(&r, "negative_train.json");
    c = squad(&r);
    c.version_2_with_negative = true;
    cv_must(c, SQUAD_FOLDER "negative_train.json", path);
    rows = t2_json_get(r.root, "train");
    assert_int_equal(tfr_reader_new(path, &file, &cv_err), T2_OK);
    for (; tfr_reader_next(file, &record, &cv_err) == T2_OK; n++) {
        const struct t2_json_value *row = t2_json_item(rows, n);

        assert_int_equal(tfr_example_parse(&ex, record, &cv_err), T2_OK);
        assert_int_equal(one(&ex, "start_positions"),
                         t2_json_as_i64(t2_json_get(row, "begin"), -1));
        assert_int_equal(one(&ex, "end_positions"), t2_json_as_i64(t2_json_get(row, "end"), -1));
        assert_int_equal(one(&ex, "is_impossible"),
                         t2_json_as_i64(t2_json_get(row, "impossible"), -1));
        n_impossible += one(&ex, "is_impossible") == 1;
    }
    assert_int_equal(n, t2_json_size(rows));
    assert_true(n_impossible > 10);
    tfr_reader_free(file);
    tfr_example_release(&ex);
    squad_close(&r);
}

static void refused(struct rec_convert c, const char *input, const char *said)
{
    const char *out = t_tmp_path("none.tfrecord");

    assert_int_not_equal(cv_run(c, input, out, 2), T2_OK);
    t_assert_contains(cv_err.message, said);
    assert_false(t2_exists(out));
}

static void test_refused(void **state)
{
    struct squad_recording r;
    struct rec_convert c;

    (void) state;
    squad_open(&r, "train.json");
    c = squad(&r);
    refused(c, SQUAD_FOLDER "dev.json", "answers");
    refused(c, SQUAD_FOLDER "negative_train.json", "--version_2_with_negative learns that");
    c.vocab_file = "";
    refused(c, SQUAD_FOLDER "train.json", "--vocab_file");
    c = squad(&r);
    c.max_query_length = INT64_MAX;
    refused(c, SQUAD_FOLDER "train.json", "rows of");
    c.max_query_length = 3;
    c.doc_stride = INT64_MIN;
    refused(c, SQUAD_FOLDER "train.json", "rows of");
    c = squad(&r);
    refused(c, cv_put("no.json", "{\"data\":7}"), "no.json");
    squad_close(&r);
}

static void test_damage(void **state)
{
    const char *json = t_tmp_path("damage.json");
    struct squad_recording r;
    size_t n;
    char *text = t_read_file(SQUAD_FOLDER "train.json", &n);

    (void) state;
    squad_open(&r, "train.json");
    t_write_file(json, text, n);
    assert_true(cv_damage(squad(&r), json) > 100);
    free(text);
    squad_close(&r);
}

T_MAIN(cmocka_unit_test(test_as_the_original), cmocka_unit_test(test_negative),
       cmocka_unit_test(test_refused), cmocka_unit_test(test_damage))
