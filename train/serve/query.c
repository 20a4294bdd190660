/*
 * train/serve/query.c - see the header.
 */
#include "train/serve/query.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/base64.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/remote/http.h"
#include "datagen/problem.h"
#include "tfrecord/example.h"
#include "tokenizer/encoder.h"

enum { MOST_ANSWER_BYTES = 64 << 20, CONNECT_TIMEOUT_S = 10 };

struct srv_query {
    char *url;
    int timeout_s;
    bool has_inputs;
    struct tok_encoder *inputs, *targets; /* inputs: NULL of a language model */
    struct t2_http_session *session;
    struct t2_buf body; /* of the answer */
    int status;
};

/* ---- opening ---- */

static bool is_name(const char *s)
{
    return s[0] != '\0' && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789._-") == strlen(s);
}

static enum t2_status open_sides(const struct srv_query_options *o, struct srv_query *q,
                                 struct t2_err *err)
{
    struct dg_view *v = NULL;
    enum t2_status st;

    T2_TRY(dg_view_open(o->problem, o->data_dir, &v, err));
    q->has_inputs = v->has_inputs;
    if (v->is_images || v->describes_images || v->is_speech)
        st = t2_fail(err, T2_EUSAGE, "problem '%s' is not of texts", o->problem);
    else
        st = dg_side_encoder(&v->targets, &q->targets, err);
    if (st == T2_OK && v->has_inputs)
        st = dg_side_encoder(&v->inputs, &q->inputs, err);
    dg_view_free(v);
    return st;
}

enum t2_status srv_query_new(const struct srv_query_options *o, struct srv_query **q,
                             struct t2_err *err)
{
    bool has_scheme = t2_starts_with(o->server, "http://") || t2_starts_with(o->server, "https://");
    struct srv_query *made;
    enum t2_status st;

    *q = NULL;
    if (t2_http_missing())
        return t2_fail(err, T2_EUNSUPPORTED, "%s", t2_http_missing());
    if (!is_name(o->servable_name))
        return t2_fail(err, T2_EUSAGE,
                       "--servable_name '%s': a name has letters, digits and \"._-\"",
                       o->servable_name);
    made = t2_alloc(1, sizeof *made);
    made->timeout_s = o->timeout_s;
    st = open_sides(o, made, err);
    made->url = t2_asprintf("%s%s/v1/models/%s:predict", has_scheme ? "" : "http://", o->server,
                            o->servable_name);
    made->session = t2_http_session_new();
    if (st == T2_OK)
        *q = made;
    else
        srv_query_free(made);
    return st;
}

void srv_query_free(struct srv_query *q)
{
    if (!q)
        return;
    t2_http_session_free(q->session);
    tok_free(q->inputs);
    tok_free(q->targets);
    t2_buf_release(&q->body);
    t2_free(q->url);
    t2_free(q);
}

/* ---- what is asked ---- */

/* {"instances": [{"input": {"b64": ...}}]}: ids, with EOS where there are inputs, and zero for what
 * else an Example of the problem has. */
static enum t2_status make_body(const struct srv_query *q, const char *text, struct t2_buf *body,
                                struct t2_err *err)
{
    static const char *const names[] = {"inputs", "targets"}, *const alone[] = {"targets"};
    const int32_t zero[] = {0};
    struct t2_buf record = {0}, base64 = {0};
    struct tok_ids ids = {0};
    struct t2_json j;
    enum t2_status st = tok_encode(q->has_inputs ? q->inputs : q->targets, NULL,
                                   (const uint8_t *) text, strlen(text), &ids, err);

    if (st != T2_OK) {
        tok_ids_release(&ids);
        return st;
    }
    if (q->has_inputs) {
        tok_ids_push(&ids, TOK_EOS);
        tfr_example_build_ids(&record, 2, names, (const int32_t *const[]){ids.items, zero},
                              (const size_t[]){ids.n, 1});
    } else {
        tfr_example_build_ids(&record, 1, alone, (const int32_t *const[]){ids.items}, &ids.n);
    }
    t2_base64_encode(t2_buf_slice(&record), &base64);
    t2_json_init(&j, body, 0);
    t2_json_object(&j);
    t2_json_key(&j, "instances");
    t2_json_array(&j);
    t2_json_object(&j);
    t2_json_key(&j, "input");
    t2_json_object(&j);
    t2_json_kv_string(&j, "b64", t2_buf_cstr(&base64));
    t2_json_end_object(&j);
    t2_json_end_object(&j);
    t2_json_end_array(&j);
    t2_json_end_object(&j);
    t2_buf_release(&record);
    t2_buf_release(&base64);
    tok_ids_release(&ids);
    return T2_OK;
}

/* ---- what comes back ---- */

void srv_answer_release(struct srv_answer *a)
{
    t2_strs_release(&a->texts);
    t2_free(a->scores);
    *a = (struct srv_answer){0};
}

/* A list of ids, up to EOS, as a text. */
static enum t2_status take_text(const struct t2_json_value *list, const char *origin,
                                const struct tok_encoder *targets, struct srv_answer *a,
                                struct t2_err *err)
{
    struct tok_ids ids = {0};
    struct t2_buf text = {0};
    enum t2_status st = T2_OK;

    if (t2_json_type(list) != T2_JSON_ARRAY)
        return t2_fail(err, T2_EFORMAT, "%s: \"outputs\" is no list of ids", origin);
    for (size_t i = 0; i < t2_json_size(list) && st == T2_OK; i++) {
        int64_t id = t2_json_as_i64(t2_json_item(list, i), -1);

        if (id == TOK_EOS)
            break;
        if (id < 0 || id >= tok_size(targets))
            st = t2_fail(err, T2_EFORMAT, "%s: output %zu is no id of the vocabulary", origin, i);
        else if (id != TOK_PAD)
            tok_ids_push(&ids, (int32_t) id);
    }
    if (st == T2_OK) {
        tok_decode(targets, ids.items, ids.n, &text);
        t2_strs_push(&a->texts, t2_buf_cstr(&text));
    }
    t2_buf_release(&text);
    tok_ids_release(&ids);
    return st;
}

static enum t2_status take_prediction(const struct t2_json_value *p, const char *origin,
                                      const struct tok_encoder *targets, struct srv_answer *a,
                                      struct t2_err *err)
{
    const struct t2_json_value *outputs = t2_json_get(p, "outputs"), *scores;
    size_t n;

    scores = t2_json_get(p, "scores");
    a->is_list = t2_json_type(t2_json_item(outputs, 0)) == T2_JSON_ARRAY;
    n = a->is_list ? t2_json_size(outputs) : 1;
    a->scores = t2_alloc(n, sizeof *a->scores);
    for (size_t i = 0; i < n; i++) {
        T2_TRY(take_text(a->is_list ? t2_json_item(outputs, i) : outputs, origin, targets, a, err));
        a->scores[i] =
            t2_json_as_double(a->is_list ? t2_json_item(scores, i) : scores, (double) NAN);
    }
    return T2_OK;
}

enum t2_status srv_read_answer(const char *body, size_t len_bytes, const char *origin,
                               const struct tok_encoder *targets, struct srv_answer *a,
                               struct t2_err *err)
{
    const struct t2_json_value *predictions;
    struct t2_json_doc *doc = NULL;
    const char *error;
    enum t2_status st;

    *a = (struct srv_answer){0};
    T2_TRY(t2_json_parse(body, len_bytes, origin, &doc, err));
    error = t2_json_as_string(t2_json_get(t2_json_root(doc), "error"), NULL);
    predictions = t2_json_get(t2_json_root(doc), "predictions");
    if (error)
        st = t2_fail(err, T2_EFORMAT, "%s: %s", origin, error);
    else if (t2_json_size(predictions) != 1)
        st = t2_fail(err, T2_EFORMAT, "%s: the answer is not one prediction", origin);
    else
        st = take_prediction(t2_json_item(predictions, 0), origin, targets, a, err);
    t2_json_free(doc);
    if (st != T2_OK)
        srv_answer_release(a);
    return st;
}

static bool on_start(void *context, const struct t2_http_answer *a)
{
    struct srv_query *q = context;

    q->status = a->status;
    t2_buf_clear(&q->body);
    return true;
}

static bool on_body(void *context, const void *data, size_t len_bytes)
{
    struct srv_query *q = context;

    if (len_bytes > MOST_ANSWER_BYTES - q->body.len_bytes)
        return false;
    t2_buf_append(&q->body, data, len_bytes);
    return true;
}

static enum t2_status send(struct srv_query *q, const struct t2_buf *body, struct t2_err *err)
{
    struct t2_strs headers = {0};
    struct t2_http_answer a = {0};
    struct t2_http_request r = {.url = q->url,
                                .upload = body->data,
                                .upload_bytes = body->len_bytes,
                                .has_upload = true,
                                .headers = &headers,
                                .connect_timeout_s = CONNECT_TIMEOUT_S,
                                .stall_timeout_s = q->timeout_s,
                                .context = q,
                                .start = on_start,
                                .body = on_body};
    enum t2_status st = T2_OK;

    t2_strs_push(&headers, "Content-Type: application/json");
    switch (t2_http_session_get(q->session, &r, &a)) {
    case T2_HTTP_WHOLE:
        break;
    case T2_HTTP_STOPPED:
        st = t2_fail(err, T2_EINTERRUPTED, "interrupted");
        break;
    case T2_HTTP_REFUSED:
        st = t2_fail(err, T2_EFORMAT, "'%s': the answer is longer than %d bytes", q->url,
                     MOST_ANSWER_BYTES);
        break;
    case T2_HTTP_CUT:
    case T2_HTTP_HOPELESS:
        st = t2_fail(err, T2_EIO, "'%s': %s", q->url, a.text);
        break;
    }
    t2_http_answer_release(&a);
    t2_strs_release(&headers);
    return st;
}

enum t2_status srv_query_ask(struct srv_query *q, const char *text, struct srv_answer *a,
                             struct t2_err *err)
{
    struct t2_buf body = {0};
    struct t2_err what = T2_ERR_INIT;
    enum t2_status st;

    *a = (struct srv_answer){0};
    st = make_body(q, text, &body, err);
    if (st == T2_OK)
        st = send(q, &body, err);
    t2_buf_release(&body);
    T2_TRY(st);
    st = srv_read_answer(t2_buf_cstr(&q->body), q->body.len_bytes, q->url, q->targets, a, &what);
    if (st == T2_OK)
        return T2_OK;
    *err = what;
    return q->status == 200 ? st : t2_wrap(err, "status %d", q->status);
}
