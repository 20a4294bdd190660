/*
 * train/serve/predict_request.c - see the header.
 */
#include "train/serve/predict_request.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/base64.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "tfrecord/example.h"

/* {"input": {"inputs": ...}} and no deeper. */
enum { MOST_NAMES = 2 };

/* ---- one instance ---- */

static enum t2_status take_example(struct t2_slice record, struct tok_ids *ids, struct t2_err *err)
{
    static const char *const names[] = {"inputs", "targets"};
    struct tfr_example ex = {0};
    const struct tfr_view *v = NULL;
    enum t2_status st;

    T2_GOTO(st, out, tfr_example_parse(&ex, record, err));
    for (size_t i = 0; i < 2 && (!v || v->n == 0); i++)
        v = tfr_example_find(&ex, names[i]);
    if (!v || v->kind != TFR_INT64 || v->n == 0) {
        st = t2_fail(err, T2_EFORMAT, "the tf.train.Example has no ids in the feature 'inputs'");
        goto out;
    }
    tok_ids_reserve(ids, v->n);
    if (tfr_view_ids(v, ids->items))
        ids->n = v->n;
    else
        st = t2_fail(err, T2_EFORMAT, "an id of the tf.train.Example does not fit into 32 bits");
out:
    tfr_example_release(&ex);
    return st;
}

/* Appends the bytes. */
static enum t2_status take_base64(const struct t2_json_value *v, struct t2_buf *to,
                                  struct t2_err *err)
{
    const char *text = t2_json_as_string(v, NULL);

    if (!text || !t2_base64_decode(t2_slice_of(text), to))
        return t2_fail(err, T2_EFORMAT, "\"b64\" is not a string in base64");
    return T2_OK;
}

static enum t2_status take_record(const struct t2_json_value *v, struct tok_ids *ids,
                                  struct t2_err *err)
{
    struct t2_buf record = {0};
    enum t2_status st = take_base64(v, &record, err);

    if (st == T2_OK)
        st = take_example(t2_buf_slice(&record), ids, err);
    t2_buf_release(&record);
    return st;
}

static enum t2_status take_ids(const struct t2_json_value *list, struct tok_ids *ids,
                               struct t2_err *err)
{
    size_t n = t2_json_size(list);

    for (size_t i = 0; i < n; i++) {
        const struct t2_json_value *v = t2_json_item(list, i);
        int64_t id = t2_json_as_i64(v, -1);

        if (t2_json_type(v) != T2_JSON_INT || id < 0 || id > INT32_MAX)
            return t2_fail(err, T2_EFORMAT, "item %zu of the list is not an id", i);
        tok_ids_push(ids, (int32_t) id);
    }
    return n > 0 ? T2_OK : t2_fail(err, T2_EFORMAT, "the list of ids is empty");
}

/* Names that an instance may have, of texts and of images. */
static const char *const text_names[] = {"input", "inputs", NULL};
static const char *const image_names[] = {"image_bytes", "image",  "image/encoded",
                                          "input",       "inputs", NULL};

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

/* The value behind {"input": ...}; *b64 is set where it is {"b64": ...}.  NULL: neither. */
static const struct t2_json_value *unwrap(const struct t2_json_value *v, const char *const *names,
                                          bool *b64)
{
    *b64 = false;
    for (int depth = 0; depth <= MOST_NAMES && t2_json_type(v) == T2_JSON_OBJECT; depth++) {
        const struct t2_json_value *inner;
        const char *name = t2_json_size(v) == 1 ? t2_json_member(v, 0, &inner) : "";

        *b64 = strcmp(name, "b64") == 0;
        if (*b64)
            return inner;
        if (!is_one_of(name, names))
            return NULL;
        v = inner;
    }
    return v;
}

static enum t2_status take_image(const struct t2_json_value *v, struct srv_instance *to,
                                 struct t2_err *err)
{
    bool b64;

    v = unwrap(v, image_names, &b64);
    if (!b64)
        return t2_fail(err, T2_EFORMAT,
                       "expected {\"b64\": ...} with the bytes of an image, or {\"image_bytes\": "
                       "...} with that");
    return take_base64(v, &to->text, err);
}

static enum t2_status take_text(const struct t2_json_value *v, struct srv_instance *to,
                                struct t2_err *err)
{
    const char *text;
    bool b64;

    v = unwrap(v, text_names, &b64);
    to->is_ids = true;
    if (b64)
        return take_record(v, &to->ids, err);
    if (t2_json_type(v) == T2_JSON_ARRAY)
        return take_ids(v, &to->ids, err);
    to->is_ids = false;
    text = t2_json_as_string(v, NULL);
    if (!text)
        return t2_fail(err, T2_EFORMAT,
                       "expected a text, {\"b64\": ...} with a tf.train.Example, or "
                       "{\"input\": ...} or {\"inputs\": ...} with one of these");
    t2_buf_puts(&to->text, text);
    return T2_OK;
}

/* ---- the body ---- */

/* A list of numbers is one instance of ids. */
static bool is_list_of_instances(const struct t2_json_value *v)
{
    return t2_json_type(v) == T2_JSON_ARRAY && t2_json_type(t2_json_item(v, 0)) != T2_JSON_INT;
}

static enum t2_status take_all(const struct t2_json_value *list, bool single,
                               const struct srv_form *form, struct srv_request *r,
                               struct t2_err *err)
{
    size_t n = single ? 1 : t2_json_size(list);

    if (n == 0)
        return t2_fail(err, T2_EFORMAT, "there is no instance");
    if (n > form->most_instances)
        return t2_fail(err, T2_ENOMEM, "%zu instances are more than the %zu of a request", n,
                       form->most_instances);
    r->instances = t2_alloc(n, sizeof *r->instances);
    r->n = n;
    for (size_t i = 0; i < n; i++) {
        const struct t2_json_value *v = single ? list : t2_json_item(list, i);

        if ((form->images ? take_image : take_text)(v, &r->instances[i], err) != T2_OK)
            return t2_wrap(err, "instance %zu", i);
    }
    return T2_OK;
}

static enum t2_status check_signature(const struct t2_json_value *root, bool images,
                                      struct t2_err *err)
{
    static const char *const of_texts[] = {"serving_default", NULL};
    static const char *const of_images[] = {"serving_default", "classify", "classes", "predict",
                                            NULL};
    const struct t2_json_value *signature = t2_json_get(root, "signature_name");

    if (!signature || is_one_of(t2_json_as_string(signature, ""), images ? of_images : of_texts))
        return T2_OK;
    return t2_fail(err, T2_EFORMAT, "\"signature_name\" can only be \"serving_default\"%s",
                   images ? ", \"classify\", \"classes\" or \"predict\"" : "");
}

/* {"name": column}, or the column itself. */
static const struct t2_json_value *column_of(const struct t2_json_value *v,
                                             const char *const *names)
{
    for (; *names; names++) {
        const struct t2_json_value *inner = t2_json_get(v, *names);

        if (inner)
            return inner;
    }
    return v;
}

static enum t2_status take_list(const struct t2_json_value *root, const char *key,
                                const struct srv_form *form, struct srv_request *r,
                                struct t2_err *err)
{
    const struct t2_json_value *list = t2_json_get(root, key);

    if (t2_json_type(list) != T2_JSON_ARRAY)
        return t2_fail(err, T2_EFORMAT, "\"%s\" is not a list", key);
    return take_all(list, false, form, r, err);
}

static enum t2_status take_root(const struct t2_json_value *root, const struct srv_form *form,
                                struct srv_request *r, struct t2_err *err)
{
    const struct t2_json_value *rows = t2_json_get(root, "instances");
    const struct t2_json_value *column = t2_json_get(root, "inputs");

    if (t2_json_type(root) != T2_JSON_OBJECT)
        return t2_fail(err, T2_EFORMAT, "the body is not a JSON object");
    T2_TRY(check_signature(root, form->images, err));
    r->examples = form->examples;
    if (form->examples) {
        if (!t2_json_get(root, "examples"))
            return t2_fail(err, T2_EFORMAT, "\"examples\" is needed");
        return take_list(root, "examples", form, r, err);
    }
    if (!rows == !column)
        return t2_fail(err, T2_EFORMAT, "either \"instances\" or \"inputs\" is needed");
    if (rows)
        return take_list(root, "instances", form, r, err);
    r->columns = true;
    column = column_of(column, form->images ? image_names : text_names);
    return take_all(column, !is_list_of_instances(column), form, r, err);
}

enum t2_status srv_request_parse(struct t2_slice body, const struct srv_form *form,
                                 struct srv_request *r, struct t2_err *err)
{
    struct t2_json_doc *doc = NULL;
    enum t2_status st;

    *r = (struct srv_request){0};
    T2_TRY(t2_json_parse((const char *) body.data, body.len_bytes, "body", &doc, err));
    st = take_root(t2_json_root(doc), form, r, err);
    t2_json_free(doc);
    if (st != T2_OK)
        srv_request_release(r);
    return st;
}

void srv_request_release(struct srv_request *r)
{
    for (size_t i = 0; i < r->n; i++) {
        t2_buf_release(&r->instances[i].text);
        tok_ids_release(&r->instances[i].ids);
    }
    t2_free(r->instances);
    *r = (struct srv_request){0};
}

/* ---- answers ---- */

enum part { OUTPUTS, SCORES, TEXT, N_PARTS };
static const char *const part_names[N_PARTS] = {"outputs", "scores", "text"};

static void put_one(struct t2_json *j, const struct dec_hypothesis *h, enum part part)
{
    if (part == SCORES) {
        t2_json_float9(j, h->score);
    } else if (part == TEXT) {
        t2_json_bytes(j, t2_buf_cstr(&h->text), h->text.len_bytes);
    } else {
        t2_json_array(j);
        for (int32_t i = 0; h->ids && i < h->n_ids; i++)
            t2_json_i64(j, h->ids[i]);
        t2_json_end_array(j);
    }
}

static void put_part(struct t2_json *j, const struct dec_hypothesis *h, int32_t n_best, bool beams,
                     enum part part)
{
    if (beams)
        t2_json_array(j);
    for (int32_t k = 0; k < n_best; k++)
        put_one(j, &h[k], part);
    if (beams)
        t2_json_end_array(j);
}

void srv_put_predictions(const struct srv_request *r, const struct dec_hypothesis *outputs,
                         int32_t n_best, bool beams, struct t2_buf *json)
{
    struct t2_json j;

    T2_ASSERT(beams || n_best == 1);
    t2_json_init(&j, json, 0);
    t2_json_object(&j);
    t2_json_key(&j, r->columns ? "outputs" : "predictions");
    if (r->columns) {
        t2_json_object(&j);
        for (int part = 0; part < N_PARTS; part++) {
            t2_json_key(&j, part_names[part]);
            t2_json_array(&j);
            for (size_t i = 0; i < r->n; i++)
                put_part(&j, outputs + i * (size_t) n_best, n_best, beams, (enum part) part);
            t2_json_end_array(&j);
        }
        t2_json_end_object(&j);
    } else {
        t2_json_array(&j);
        for (size_t i = 0; i < r->n; i++) {
            t2_json_object(&j);
            for (int part = 0; part < N_PARTS; part++) {
                t2_json_key(&j, part_names[part]);
                put_part(&j, outputs + i * (size_t) n_best, n_best, beams, (enum part) part);
            }
            t2_json_end_object(&j);
        }
        t2_json_end_array(&j);
    }
    t2_json_end_object(&j);
    t2_buf_push(json, '\n');
}

/* ---- answers about images ---- */

enum class_part { CLASSES, PROBABILITIES, CLASS_ID, CLASS, N_CLASS_PARTS };
static const char *const class_part_names[N_CLASS_PARTS] = {"classes", "probabilities", "classid",
                                                            "class"};

/* Of equal ones the first. */
static int32_t likeliest(const double *p, int32_t n)
{
    int32_t best = 0;

    for (int32_t i = 1; i < n; i++)
        best = p[i] > p[best] ? i : best;
    return best;
}

static void put_class_part(struct t2_json *j, const double *p, int32_t n_classes,
                           srv_class_name_fn name, void *context, enum class_part part)
{
    if (part == PROBABILITIES) {
        t2_json_array(j);
        for (int32_t i = 0; i < n_classes; i++)
            t2_json_float9(j, p[i]);
        t2_json_end_array(j);
    } else if (part == CLASS) {
        t2_json_string(j, name(context, likeliest(p, n_classes)));
    } else {
        t2_json_i64(j, likeliest(p, n_classes));
    }
}

static void put_pairs(struct t2_json *j, const double *p, int32_t n_classes, srv_class_name_fn name,
                      void *context)
{
    t2_json_array(j);
    for (int32_t i = 0; i < n_classes; i++) {
        t2_json_array(j);
        t2_json_string(j, name(context, i));
        t2_json_float9(j, p[i]);
        t2_json_end_array(j);
    }
    t2_json_end_array(j);
}

void srv_put_classes(const struct srv_request *r, const double *probabilities, int32_t n_classes,
                     srv_class_name_fn name, void *context, struct t2_buf *json)
{
    size_t n = (size_t) n_classes;
    struct t2_json j;

    t2_json_init(&j, json, 0);
    t2_json_object(&j);
    t2_json_key(&j, r->examples ? "results" : r->columns ? "outputs" : "predictions");
    if (r->columns) {
        t2_json_object(&j);
        for (int part = 0; part < N_CLASS_PARTS; part++) {
            t2_json_key(&j, class_part_names[part]);
            t2_json_array(&j);
            for (size_t i = 0; i < r->n; i++)
                put_class_part(&j, probabilities + i * n, n_classes, name, context,
                               (enum class_part) part);
            t2_json_end_array(&j);
        }
        t2_json_end_object(&j);
        t2_json_end_object(&j);
        t2_buf_push(json, '\n');
        return;
    }
    t2_json_array(&j);
    for (size_t i = 0; i < r->n; i++) {
        if (r->examples) {
            put_pairs(&j, probabilities + i * n, n_classes, name, context);
            continue;
        }
        t2_json_object(&j);
        for (int part = 0; part < N_CLASS_PARTS; part++) {
            t2_json_key(&j, class_part_names[part]);
            put_class_part(&j, probabilities + i * n, n_classes, name, context,
                           (enum class_part) part);
        }
        t2_json_end_object(&j);
    }
    t2_json_end_array(&j);
    t2_json_end_object(&j);
    t2_buf_push(json, '\n');
}

void srv_put_error(const char *message, struct t2_buf *json)
{
    struct t2_json j;

    t2_json_init(&j, json, 0);
    t2_json_object(&j);
    t2_json_kv_string(&j, "error", message);
    t2_json_end_object(&j);
    t2_buf_push(json, '\n');
}
