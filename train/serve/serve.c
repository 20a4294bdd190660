/*
 * train/serve/serve.c - what HTTP asks for meets what translates.
 *
 * Two threads: that of HTTP reads requests, refuses, answers what needs no model, and pushes the
 * rest into the queue; the caller's takes them, translates, and has HTTP send the answers.
 */
#include "train/serve/serve.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_page.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/signals.h"
#include "train/serve/http_service.h"
#include "train/serve/model_route.h"
#include "train/serve/row_batches.h"

extern const char tune_text_serve_page[];
extern const size_t tune_text_serve_page_bytes;

enum { MOST_CONNECTIONS = 512, DRAIN_S = 5 };
static const double tick_s = 0.1, look_s = 1;
/* Clients that had their answers together ask again together: whoever comes within gap_s of another
 * is waited for, though not for longer than company_s. */
static const double gap_s = 0.002, company_s = 0.02;

struct server {
    const struct srv_options *o;
    bool images; /* the model is of images, else of texts */
    struct srv_queue *queue;
    struct srv_metrics *metrics;
    struct srv_http *http;
    pthread_mutex_t lock; /* of the two below, and of http until it is there */
    int64_t version;
    bool stopping;
    /* Of the translating thread: the model, when a newer one was looked for, when it was asked to
     * stop (0: not). */
    struct srv_model *model;
    double looked_s, stopped_s;
};

static int64_t version_of(struct server *s)
{
    int64_t version;

    pthread_mutex_lock(&s->lock);
    version = s->version;
    pthread_mutex_unlock(&s->lock);
    return version;
}

static bool is_stopping(struct server *s)
{
    bool stopping;

    pthread_mutex_lock(&s->lock);
    stopping = s->stopping;
    pthread_mutex_unlock(&s->lock);
    return stopping;
}

/* ---- what needs no model ---- */

static void begin_json(struct srv_exchange *x, struct t2_json *j)
{
    x->status = 200;
    x->content_type = "application/json";
    t2_json_init(j, &x->answer, 1);
    t2_json_object(j);
}

static void end_json(struct srv_exchange *x, struct t2_json *j)
{
    t2_json_end_object(j);
    t2_buf_push(&x->answer, '\n');
}

static void put_version(struct t2_json *j, int64_t version)
{
    char digits[24];

    snprintf(digits, sizeof digits, "%" PRId64, version);
    t2_json_kv_string(j, "version", digits);
}

static void answer_health(struct server *s, struct srv_exchange *x)
{
    bool stopping = is_stopping(s);
    struct t2_json j;

    begin_json(x, &j);
    t2_json_kv_string(&j, "status", stopping ? "stopping" : "ok");
    end_json(x, &j);
    if (stopping)
        x->status = 503;
}

static void answer_metrics(struct server *s, struct srv_exchange *x)
{
    struct srv_gauges now = {.n_waiting = srv_queue_waiting(s->queue), .version = version_of(s)};

    pthread_mutex_lock(&s->lock);
    now.n_open = s->http ? srv_http_n_open(s->http) : 0;
    pthread_mutex_unlock(&s->lock);
    x->status = 200;
    x->content_type = "text/plain; version=0.0.4; charset=utf-8";
    srv_metrics_write(s->metrics, &now, &x->answer);
}

static void answer_page(struct server *s, struct srv_exchange *x)
{
    struct t2_buf json = {0};
    struct t2_json j;

    t2_json_init(&j, &json, 0);
    t2_json_object(&j);
    t2_json_kv_string(&j, "name", s->o->name);
    t2_json_kv_i64(&j, "version", version_of(s));
    t2_json_kv_bool(&j, "images", s->images);
    t2_json_end_object(&j);
    x->status = 200;
    x->content_type = "text/html; charset=utf-8";
    t2_put_json_page((struct t2_slice){(const uint8_t *) tune_text_serve_page,
                                       tune_text_serve_page_bytes},
                     "@MODEL@", t2_buf_slice(&json), &x->answer);
    t2_buf_release(&json);
}

static void answer_status(struct server *s, struct srv_exchange *x)
{
    struct t2_json j;

    begin_json(x, &j);
    t2_json_key(&j, "model_version_status");
    t2_json_array(&j);
    t2_json_object(&j);
    put_version(&j, version_of(s));
    t2_json_kv_string(&j, "state", is_stopping(s) ? "UNLOADING" : "AVAILABLE");
    t2_json_key(&j, "status");
    t2_json_object(&j);
    t2_json_kv_string(&j, "error_code", "OK");
    t2_json_kv_string(&j, "error_message", "");
    t2_json_end_object(&j);
    t2_json_end_object(&j);
    t2_json_end_array(&j);
    end_json(x, &j);
}

/* A tensor of any number of rows. */
static void put_tensor(struct t2_json *j, const char *key, const char *dtype, int n_dims)
{
    t2_json_key(j, key);
    t2_json_object(j);
    t2_json_kv_string(j, "dtype", dtype);
    t2_json_key(j, "tensor_shape");
    t2_json_object(j);
    t2_json_key(j, "dim");
    t2_json_array(j);
    for (int i = 0; i < n_dims; i++) {
        t2_json_object(j);
        t2_json_kv_string(j, "size", "-1");
        t2_json_kv_string(j, "name", "");
        t2_json_end_object(j);
    }
    t2_json_end_array(j);
    t2_json_kv_bool(j, "unknown_rank", false);
    t2_json_end_object(j);
    t2_json_kv_string(j, "name", key);
    t2_json_end_object(j);
}

/* A signature: {"inputs": {...}, "outputs": {...}, "method_name": ...}. */
static void put_signature(const struct server *s, struct t2_json *j)
{
    int beams = s->o->hp->return_beams ? 1 : 0;

    t2_json_object(j);
    t2_json_key(j, "inputs");
    t2_json_object(j);
    put_tensor(j, s->images ? "image_bytes" : "input", "DT_STRING", 1);
    t2_json_end_object(j);
    t2_json_key(j, "outputs");
    t2_json_object(j);
    if (s->images) {
        put_tensor(j, "classes", "DT_INT64", 1);
        put_tensor(j, "probabilities", "DT_FLOAT", 2);
        put_tensor(j, "classid", "DT_INT32", 1);
        put_tensor(j, "class", "DT_STRING", 1);
    } else {
        put_tensor(j, "outputs", "DT_INT32", 2 + beams);
        put_tensor(j, "scores", "DT_FLOAT", 1 + beams);
        put_tensor(j, "text", "DT_STRING", 1 + beams);
    }
    t2_json_end_object(j);
    t2_json_kv_string(j, "method_name", "tensorflow/serving/predict");
    t2_json_end_object(j);
}

static void answer_metadata(struct server *s, struct srv_exchange *x)
{
    struct t2_json j;

    begin_json(x, &j);
    t2_json_key(&j, "model_spec");
    t2_json_object(&j);
    t2_json_kv_string(&j, "name", s->o->name);
    t2_json_kv_string(&j, "signature_name", "");
    put_version(&j, version_of(s));
    t2_json_end_object(&j);
    t2_json_key(&j, "metadata");
    t2_json_object(&j);
    t2_json_key(&j, "signature_def");
    t2_json_object(&j);
    t2_json_key(&j, "signature_def");
    t2_json_object(&j);
    t2_json_key(&j, "serving_default");
    put_signature(s, &j);
    t2_json_end_object(&j);
    t2_json_end_object(&j);
    t2_json_end_object(&j);
    end_json(x, &j);
}

/* ---- what does ---- */

static void on_done(struct srv_job *job)
{
    struct srv_exchange *x = job->owner;
    struct t2_buf body = job->body;

    x->status = job->status;
    x->content_type = "application/json";
    x->retry_after_s = job->retry_after_s;
    job->body = (struct t2_buf){NULL, 0, 0};
    x->answer = body;
    srv_http_answer(x);
}

/* true: refused. */
static bool admit(struct server *s, struct srv_exchange *x, const struct srv_request *r)
{
    enum srv_admission a = srv_queue_admit(s->queue, r->n);

    if (a == SRV_ADMITTED)
        return false;
    if (a == SRV_FULL)
        srv_http_refuse(x, 429, "too many requests are waiting");
    else
        srv_http_refuse(x, 503, "the server is stopping");
    x->retry_after_s = a == SRV_FULL ? 1 : DRAIN_S;
    return true;
}

/* false: the answer comes later. */
static bool begin_work(struct server *s, struct srv_exchange *x, bool classify)
{
    const struct srv_form form = {.images = s->images,
                                  .examples = classify,
                                  .most_instances = (size_t) s->o->max_instances};
    struct t2_err err = T2_ERR_INIT;
    struct srv_request r;
    struct srv_job *job;
    enum t2_status st = srv_request_parse(t2_buf_slice(&x->body), &form, &r, &err);

    if (st != T2_OK) {
        srv_http_refuse(x, st == T2_ENOMEM ? 413 : 400, err.message);
        return true;
    }
    if (admit(s, x, &r)) {
        srv_request_release(&r);
        return true;
    }
    job = t2_alloc(1, sizeof *job);
    job->request = r;
    job->deadline_s = x->started_s + (double) s->o->timeout_s;
    job->done = on_done;
    job->owner = x;
    x->work = job;
    return false;
}

/* ---- hooks of HTTP ---- */

static bool method_is(struct srv_exchange *x, const char *method)
{
    bool get = strcmp(method, "GET") == 0;

    if (strcmp(x->method, method) == 0 || (get && strcmp(x->method, "HEAD") == 0))
        return true;
    srv_http_refuse(x, 405, get ? "only GET is answered here" : "only POST is answered here");
    x->allow = get ? "GET, HEAD" : "POST";
    return false;
}

/* The model that a path is about is the one there is; or refused. */
static bool is_ours(struct server *s, struct srv_exchange *x, const struct srv_route *r)
{
    char message[256], name[128];

    if (t2_slice_eq(r->name, t2_slice_of(s->o->name)) &&
        (r->version < 0 || r->version == version_of(s)))
        return true;
    snprintf(name, sizeof name, "%.*s", (int) (r->name.len_bytes < 100 ? r->name.len_bytes : 100),
             (const char *) r->name.data);
    if (r->version < 0)
        snprintf(message, sizeof message, "Servable not found for request: Latest(%s)", name);
    else
        snprintf(message, sizeof message,
                 "Servable not found for request: Specific(%s, %" PRId64 ")", name, r->version);
    srv_http_refuse(x, 404, message);
    return false;
}

static bool begin_model(struct server *s, struct srv_exchange *x, const struct srv_route *r)
{
    bool reads = r->verb == SRV_STATUS || r->verb == SRV_METADATA;

    if (!method_is(x, reads ? "GET" : "POST") || !is_ours(s, x, r))
        return true;
    if (r->verb == SRV_PREDICT || (r->verb == SRV_CLASSIFY && s->images))
        return begin_work(s, x, r->verb == SRV_CLASSIFY);
    if (r->verb == SRV_STATUS)
        answer_status(s, x);
    else if (r->verb == SRV_METADATA)
        answer_metadata(s, x);
    else
        srv_http_refuse(x, 400,
                        s->images ? "the model's signature is for :predict and :classify alone"
                                  : "the model's signature is for :predict alone");
    return true;
}

static bool begin(void *context, struct srv_exchange *x)
{
    static const struct {
        const char *path;
        void (*answer)(struct server *s, struct srv_exchange *x);
    } places[] = {{"/", answer_page}, {"/healthz", answer_health}, {"/metrics", answer_metrics}};
    struct server *s = context;
    struct srv_route route;

    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strcmp(x->path, places[i].path) == 0) {
            if (method_is(x, "GET"))
                places[i].answer(s, x);
            return true;
        }
    if (srv_route_parse(x->path, &route))
        return begin_model(s, x, &route);
    srv_http_refuse(x, 404, "nothing is here; /v1/models/NAME:predict asks the model");
    return true;
}

static void later(void *context, struct srv_exchange *x)
{
    struct server *s = context;

    srv_queue_push(s->queue, x->work);
}

static void end(void *context, struct srv_exchange *x)
{
    struct server *s = context;
    struct srv_job *job = x->work;

    if (x->status)
        srv_metrics_answered(s->metrics, x->status, t2_now_s() - x->started_s);
    if (job) {
        srv_request_release(&job->request);
        t2_buf_release(&job->body);
        t2_free(job->wrong);
        t2_free(job);
    }
}

/* ---- the translating thread ---- */

/* What came within so much time; false: nothing. */
static bool take_some(struct server *s, struct srv_batches *b, double timeout_s)
{
    struct srv_job *job = srv_queue_take(s->queue, timeout_s);
    bool came = job != NULL;

    while (job) {
        struct srv_job *next = job->next; /* job may be finished, and gone, at once */

        srv_batches_add(b, job);
        job = next;
    }
    return came;
}

static void take(struct server *s, struct srv_batches *b)
{
    bool came = take_some(s, b, b->n > 0 ? 0 : tick_s);
    double since = t2_now_s();

    while (came && b->n > 0 && b->n < srv_batches_most(b) && t2_now_s() - since < company_s)
        came = take_some(s, b, gap_s);
    srv_batches_expire(b, t2_now_s());
}

static bool is_time_to_look(const struct server *s)
{
    return s->o->look_for_newer && s->stopped_s == 0 && t2_now_s() - s->looked_s >= look_s;
}

static void look_for_newer(struct server *s, struct srv_batches *b)
{
    struct srv_model *model = s->model;
    int64_t before = model->version;

    s->o->look_for_newer(s->o->context, model);
    b->t = model->translator;
    b->images = model->images;
    s->looked_s = t2_now_s();
    if (model->version == before)
        return;
    srv_metrics_reload(s->metrics);
    pthread_mutex_lock(&s->lock);
    s->version = model->version;
    pthread_mutex_unlock(&s->lock);
}

static void stop(struct server *s)
{
    if (!t2_stop_asked() || s->stopped_s > 0)
        return;
    s->stopped_s = t2_now_s();
    t2_info("stopping: %" PRId64 " instances are still to be answered",
            srv_queue_waiting(s->queue));
    srv_queue_close(s->queue);
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    pthread_mutex_unlock(&s->lock);
}

/* Between two steps of a stream. */
static bool between(void *context, struct srv_batches *b)
{
    struct server *s = context;

    take_some(s, b, 0);
    srv_batches_expire(b, t2_now_s());
    stop(s);
    if (!is_time_to_look(s))
        return true;
    if (s->o->is_there_newer(s->o->context, s->model))
        return false; /* looked_s stays: it is taken up at once */
    s->looked_s = t2_now_s();
    return true;
}

/* Until all that was accepted is answered, and clients have had some time to read it. */
static enum t2_status work(struct server *s, struct srv_batches *b, struct t2_err *err)
{
    for (;;) {
        take(s, b);
        stop(s);
        if (is_time_to_look(s))
            look_for_newer(s, b);
        if (b->n > 0) {
            T2_TRY(srv_batches_run(b, err));
            if (s->stopped_s > 0)
                s->stopped_s = t2_now_s();
        } else if (s->stopped_s > 0 && srv_queue_waiting(s->queue) == 0 &&
                   (srv_http_n_open(s->http) == 0 || t2_now_s() - s->stopped_s > DRAIN_S)) {
            return T2_OK;
        }
    }
}

/* After a failure: nobody may be left waiting when HTTP ends. */
static void refuse_all(struct server *s, struct srv_batches *b)
{
    srv_queue_close(s->queue);
    while (srv_queue_waiting(s->queue) > 0) {
        take(s, b);
        srv_batches_refuse(b, 500, "the device of the model is lost");
    }
}

enum t2_status srv_serve(const struct srv_options *o, struct srv_model *model, struct t2_err *err)
{
    struct server s = {.o = o,
                       .images = model->images != NULL,
                       .version = model->version,
                       .model = model,
                       .looked_s = t2_now_s()};
    struct srv_batches b = {.t = model->translator,
                            .images = model->images,
                            .hp = o->hp,
                            .most_ids = o->max_ids,
                            .between = between,
                            .context = &s};
    struct srv_http *http = NULL;
    struct srv_http_options h = {.address = o->address,
                                 .max_body_bytes = o->max_body_bytes,
                                 .idle_timeout_s = (int) o->timeout_s,
                                 .max_connections = MOST_CONNECTIONS,
                                 .hooks = {&s, begin, later, end}};
    enum t2_status st;

    s.queue = b.queue = srv_queue_new(o->max_waiting);
    s.metrics = b.metrics = srv_metrics_new();
    pthread_mutex_init(&s.lock, NULL);
    T2_GOTO(st, out, srv_http_new(&h, &http, err));
    pthread_mutex_lock(&s.lock);
    s.http = http;
    pthread_mutex_unlock(&s.lock);
    t2_signals_finish_first();
    o->listening(o->context, srv_http_url(http));
    st = work(&s, &b, err);
    if (st != T2_OK)
        refuse_all(&s, &b);
out:
    srv_http_free(http);
    srv_batches_release(&b);
    srv_metrics_free(s.metrics);
    srv_queue_free(s.queue);
    pthread_mutex_destroy(&s.lock);
    return st;
}
