/*
 * tests/unit/train/test_predict_request.c - bodies in all their forms, what is wrong with others,
 * and answers to the byte.
 */
#include "train/serve/predict_request.h"

#include <string.h>

#include "base/alloc.h"
#include "base/base64.h"
#include "tests/support/t.h"
#include "tfrecord/example.h"

static const struct srv_form texts = {.most_instances = 4};
static const struct srv_form images = {.images = true, .most_instances = 4};
static const struct srv_form examples = {.images = true, .examples = true, .most_instances = 4};

static struct srv_request parse_as(const struct srv_form *form, const char *body)
{
    struct t2_err err = T2_ERR_INIT;
    struct srv_request r;

    if (srv_request_parse(t2_slice_of(body), form, &r, &err) != T2_OK)
        fail_msg("%s: %s", body, err.message);
    return r;
}

static struct srv_request parse(const char *body)
{
    return parse_as(&texts, body);
}

static void assert_text(const struct srv_request *r, size_t i, const char *text)
{
    assert_true(i < r->n && !r->instances[i].is_ids);
    assert_string_equal(t2_buf_cstr(&r->instances[i].text), text);
}

static void assert_ids(const struct srv_request *r, size_t i, const int32_t *ids, size_t n)
{
    assert_true(i < r->n && r->instances[i].is_ids);
    assert_int_equal(r->instances[i].ids.n, n);
    assert_memory_equal(r->instances[i].ids.items, ids, n * sizeof *ids);
}

static void test_rows(void **state)
{
    static const int32_t ids[] = {5, 0, 2147483647};
    struct srv_request r = parse("{\"signature_name\": \"serving_default\", \"instances\": [\"a\", "
                                 "{\"input\": \"\"}, {\"input\": {\"inputs\": \"\\u00e4\"}}, "
                                 "[5, 0, 2147483647]]}");

    (void) state;
    assert_false(r.columns);
    assert_int_equal(r.n, 4);
    assert_text(&r, 0, "a");
    assert_text(&r, 1, "");
    assert_text(&r, 2, "\u00e4");
    assert_ids(&r, 3, ids, 3);
    srv_request_release(&r);
    assert_int_equal(r.n, 0);
}

static void test_columns(void **state)
{
    static const char *const bodies[] = {"{\"inputs\": \"a\"}", "{\"inputs\": [\"a\"]}",
                                         "{\"inputs\": {\"input\": [\"a\"]}}",
                                         "{\"inputs\": {\"inputs\": \"a\"}}"};
    static const int32_t ids[] = {7, 1};
    struct srv_request r;

    (void) state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        r = parse(bodies[i]);
        assert_true(r.columns);
        assert_int_equal(r.n, 1);
        assert_text(&r, 0, "a");
        srv_request_release(&r);
    }
    r = parse("{\"inputs\": [7, 1]}"); /* one instance */
    assert_int_equal(r.n, 1);
    assert_ids(&r, 0, ids, 2);
    srv_request_release(&r);
    r = parse("{\"inputs\": [[7, 1], [7, 1]]}");
    assert_int_equal(r.n, 2);
    assert_ids(&r, 1, ids, 2);
    srv_request_release(&r);
}

/* As t2t-query-server sends it; of a language model the ids are the targets. */
static struct srv_request parse_example(const struct tfr_feature *features, size_t n)
{
    struct t2_buf record = {0}, body = {0};
    struct srv_request r;

    tfr_example_build(&record, features, n);
    t2_buf_puts(&body, "{\"instances\": [{\"input\": {\"b64\": \"");
    t2_base64_encode(t2_buf_slice(&record), &body);
    t2_buf_puts(&body, "\"}}]}");
    r = parse(t2_buf_cstr(&body));
    t2_buf_release(&body);
    t2_buf_release(&record);
    return r;
}

static void test_example(void **state)
{
    static const int64_t wide[] = {4, 3, 1}, none[] = {0};
    static const int32_t ids[] = {4, 3, 1};
    struct tfr_feature features[] = {{.name = "inputs", .kind = TFR_INT64, .n = 3, .ints = wide},
                                     {.name = "targets", .kind = TFR_INT64, .n = 1, .ints = none}};
    struct srv_request r = parse_example(features, 2);

    (void) state;
    assert_ids(&r, 0, ids, 3);
    srv_request_release(&r);
    features[0].name = "targets";
    r = parse_example(features, 1);
    assert_ids(&r, 0, ids, 3);
    srv_request_release(&r);
}

static void assert_file(const struct srv_form *form, const char *body, size_t i, const char *bytes)
{
    struct srv_request r = parse_as(form, body);

    assert_true(i < r.n && !r.instances[i].is_ids);
    assert_string_equal(t2_buf_cstr(&r.instances[i].text), bytes);
    assert_true(r.columns == (strstr(body, "\"inputs\": ") == body + 1));
    assert_true(r.examples == form->examples);
    srv_request_release(&r);
}

/* The bodies of the tutorials of tensorflow/tpu, of the flowers example, and of :classify. */
static void test_images(void **state)
{
    (void) state;
    assert_file(&images, "{\"instances\": [{\"b64\": \"YWI=\"}]}", 0, "ab");
    assert_file(&images, "{\"instances\": [{\"image_bytes\": {\"b64\": \"YWI=\"}}]}", 0, "ab");
    assert_file(&images,
                "{\"signature_name\": \"classes\", \"instances\": [{\"input\": {\"b64\": "
                "\"YWI=\"}}, {\"image/encoded\": {\"b64\": \"Yw\"}}]}",
                1, "c");
    assert_file(&images, "{\"inputs\": {\"b64\": \"YWI=\"}}", 0, "ab");
    assert_file(&images, "{\"inputs\": {\"image_bytes\": [{\"b64\": \"YQ\"}, {\"b64\": \"Yw\"}]}}",
                1, "c");
    assert_file(&examples, "{\"examples\": [{\"image_bytes\": {\"b64\": \"YWI=\"}}]}", 0, "ab");
}

static void assert_refuses(const struct srv_form *form, const char *body, const char *why,
                           enum t2_status st)
{
    struct t2_err err = T2_ERR_INIT;
    struct srv_request r;

    assert_int_equal(srv_request_parse(t2_slice_of(body), form, &r, &err), st);
    t_assert_contains(err.message, why);
    assert_null(r.instances);
}

static void test_refusals(void **state)
{
    static const struct {
        const char *body, *why;
        enum t2_status st;
    } rows[] = {
        {"", "empty", T2_EFORMAT},
        {"[1", "", T2_EFORMAT},
        {"7", "not a JSON object", T2_EFORMAT},
        {"{}", "is needed", T2_EFORMAT},
        {"{\"inputs\": \"a\", \"instances\": [\"a\"]}", "is needed", T2_EFORMAT},
        {"{\"instances\": \"a\"}", "not a list", T2_EFORMAT},
        {"{\"instances\": []}", "no instance", T2_EFORMAT},
        {"{\"inputs\": []}", "no instance", T2_EFORMAT},
        {"{\"inputs\": 1}", "instance 0: expected a text", T2_EFORMAT},
        {"{\"instances\": [\"a\", true]}", "instance 1: expected a text", T2_EFORMAT},
        {"{\"instances\": [{\"x\": \"a\"}]}", "instance 0: expected a text", T2_EFORMAT},
        {"{\"instances\": [{}]}", "instance 0: expected a text", T2_EFORMAT},
        {"{\"instances\": [{\"b64\": 5}]}", "not a string in base64", T2_EFORMAT},
        {"{\"instances\": [{\"b64\": \"CgA\"}]}", "no ids", T2_EFORMAT},
        {"{\"instances\": [[1.5]]}", "item 0 of the list is not an id", T2_EFORMAT},
        {"{\"instances\": [[1, 2147483648]]}", "item 1 of the list is not an id", T2_EFORMAT},
        {"{\"instances\": [[]]}", "the list of ids is empty", T2_EFORMAT},
        {"{\"signature_name\": \"x\", \"inputs\": \"a\"}", "signature_name", T2_EFORMAT},
        {"{\"inputs\": [\"1\", \"2\", \"3\", \"4\", \"5\"]}", "5 instances are more than the 4",
         T2_ENOMEM},
    };

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_refuses(&texts, rows[i].body, rows[i].why, rows[i].st);
}

static void test_image_refusals(void **state)
{
    static const struct {
        const struct srv_form *form;
        const char *body, *why;
    } rows[] = {
        {&images, "{\"instances\": [\"a\"]}", "instance 0: expected {\"b64\""},
        {&images, "{\"instances\": [{\"x\": {\"b64\": \"\"}}]}", "expected {\"b64\""},
        {&images, "{\"instances\": [{\"b64\": \"*\"}]}", "not a string in base64"},
        {&images, "{\"signature_name\": \"x\", \"instances\": []}", "\"classes\""},
        {&examples, "{\"instances\": [{\"b64\": \"\"}]}", "\"examples\" is needed"},
        {&examples, "{\"examples\": 1}", "\"examples\" is not a list"},
        {&examples, "{\"examples\": []}", "no instance"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_refuses(rows[i].form, rows[i].body, rows[i].why, T2_EFORMAT);
}

static void put_text(struct dec_hypothesis *h, const char *text)
{
    t2_buf_puts(&h->text, text);
}

static void test_answers(void **state)
{
    int32_t ids[] = {5, 1};
    struct dec_hypothesis h[4] = {{.score = -0.5, .n_ids = 2, .ids = ids}, {.score = 0}};
    struct srv_request rows = {.n = 2}, columns = {.n = 2, .columns = true}, one = {.n = 1};
    struct t2_buf json = {0};

    (void) state;
    put_text(&h[0], "a \"b\"");
    srv_put_predictions(&rows, h, 1, false, &json);
    assert_string_equal(t2_buf_cstr(&json),
                        "{\"predictions\": [{\"outputs\": [5, 1], \"scores\": -0.5, \"text\": \"a "
                        "\\\"b\\\"\"}, {\"outputs\": [], \"scores\": 0, \"text\": \"\"}]}\n");
    t2_buf_clear(&json);
    srv_put_predictions(&columns, h, 1, false, &json);
    assert_string_equal(t2_buf_cstr(&json),
                        "{\"outputs\": {\"outputs\": [[5, 1], []], \"scores\": [-0.5, 0], "
                        "\"text\": [\"a \\\"b\\\"\", \"\"]}}\n");
    t2_buf_clear(&json);
    srv_put_predictions(&one, h, 2, true, &json);
    assert_string_equal(t2_buf_cstr(&json),
                        "{\"predictions\": [{\"outputs\": [[5, 1], []], \"scores\": [-0.5, 0], "
                        "\"text\": [\"a \\\"b\\\"\", \"\"]}]}\n");
    t2_buf_clear(&json);
    srv_put_error("a\n\"b\"", &json);
    assert_string_equal(t2_buf_cstr(&json), "{\"error\": \"a\\n\\\"b\\\"\"}\n");
    t2_buf_release(&json);
    t2_buf_release(&h[0].text);
}

static const char *name_of(void *context, int32_t label)
{
    static const char *const names[] = {"cat", "d\"og"};

    assert_null(context);
    return names[label];
}

static void test_class_answers(void **state)
{
    static const double p[] = {0.25, 0.75, 0.5, 0.5};
    const struct srv_request rows = {.n = 2}, columns = {.n = 2, .columns = true};
    const struct srv_request pairs = {.n = 2, .examples = true};
    struct t2_buf json = {0};

    (void) state;
    srv_put_classes(&rows, p, 2, name_of, NULL, &json);
    assert_string_equal(t2_buf_cstr(&json),
                        "{\"predictions\": [{\"classes\": 1, \"probabilities\": [0.25, 0.75], "
                        "\"classid\": 1, \"class\": \"d\\\"og\"}, {\"classes\": 0, "
                        "\"probabilities\": [0.5, 0.5], \"classid\": 0, \"class\": \"cat\"}]}\n");
    t2_buf_clear(&json);
    srv_put_classes(&columns, p, 2, name_of, NULL, &json);
    assert_string_equal(
        t2_buf_cstr(&json),
        "{\"outputs\": {\"classes\": [1, 0], \"probabilities\": [[0.25, 0.75], [0.5, "
        "0.5]], \"classid\": [1, 0], \"class\": [\"d\\\"og\", \"cat\"]}}\n");
    t2_buf_clear(&json);
    srv_put_classes(&pairs, p, 2, name_of, NULL, &json);
    assert_string_equal(t2_buf_cstr(&json),
                        "{\"results\": [[[\"cat\", 0.25], [\"d\\\"og\", 0.75]], [[\"cat\", 0.5], "
                        "[\"d\\\"og\", 0.5]]]}\n");
    t2_buf_release(&json);
}

T_MAIN(cmocka_unit_test(test_rows), cmocka_unit_test(test_columns), cmocka_unit_test(test_example),
       cmocka_unit_test(test_images), cmocka_unit_test(test_refusals),
       cmocka_unit_test(test_image_refusals), cmocka_unit_test(test_answers),
       cmocka_unit_test(test_class_answers))
