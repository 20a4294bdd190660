/*
 * tests/fuzz/fuzz_predict_request.c - bodies of requests: refused with a message, or
 * instances that can be answered in JSON; and the same bytes as a path, and as a server's answer.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/json.h"
#include "tokenizer/encoder.h"
#include "train/serve/model_route.h"
#include "train/serve/predict_request.h"
#include "train/serve/query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_INSTANCES = 64 };

/* An answer that says the instances back. */
static void check_answer(const struct srv_request *r)
{
    struct dec_hypothesis *outputs = t2_alloc(r->n, sizeof *outputs);
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    struct t2_buf json = {0};

    for (size_t i = 0; i < r->n; i++) {
        const struct srv_instance *from = &r->instances[i];

        if (from->is_ids == (from->ids.n == 0)) /* ids are never none */
            abort();
        outputs[i] = (struct dec_hypothesis){.text = from->text,
                                             .n_ids = (int32_t) from->ids.n,
                                             .ids = from->ids.items};
    }
    srv_put_predictions(r, outputs, 1, false, &json);
    if (t2_json_parse(t2_buf_cstr(&json), json.len_bytes, "answer", &doc, &err) != T2_OK)
        abort();
    t2_json_free(doc);
    t2_buf_release(&json);
    t2_free(outputs);
}

static void check_path(const uint8_t *data, size_t size)
{
    struct srv_route route;
    struct t2_buf path = {0};

    t2_buf_append(&path, data, size);
    if (srv_route_parse(t2_buf_cstr(&path), &route) &&
        (route.name.len_bytes == 0 || route.name.len_bytes > size || route.version < -1))
        abort();
    t2_buf_release(&path);
}

static void check_body(struct t2_slice body, const struct srv_form *form)
{
    struct t2_err err = T2_ERR_INIT;
    struct srv_request r;

    if (srv_request_parse(body, form, &r, &err) != T2_OK) {
        if (r.instances || err.message[0] == '\0')
            abort();
        return;
    }
    if (r.n < 1 || r.n > MOST_INSTANCES)
        abort();
    if (!form->images)
        check_answer(&r);
    srv_request_release(&r);
}

/* A text and a score, which may be NaN, for each output; or a message. */
static void check_received(const uint8_t *data, size_t size)
{
    struct tok_encoder *bytes = tok_bytes_new();
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf body = {0};
    struct srv_answer a;

    t2_buf_append(&body, data, size);
    if (srv_read_answer(t2_buf_cstr(&body), size, "server", bytes, &a, &err) != T2_OK &&
        (a.texts.n > 0 || a.scores || err.message[0] == '\0'))
        abort();
    for (size_t i = 0; i < a.texts.n; i++)
        if (!a.texts.items[i] || !a.scores)
            abort();
    srv_answer_release(&a);
    t2_buf_release(&body);
    tok_free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct srv_form texts = {.most_instances = MOST_INSTANCES};
    const struct srv_form images = {.images = true, .most_instances = MOST_INSTANCES};
    const struct srv_form examples = {true, true, MOST_INSTANCES};

    check_path(data, size);
    check_received(data, size);
    check_body((struct t2_slice){data, size}, &texts);
    check_body((struct t2_slice){data, size}, &images);
    check_body((struct t2_slice){data, size}, &examples);
    return 0;
}
