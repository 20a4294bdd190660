/*
 * train/trained/serve_trained.c - a run that is served, and is trained on meanwhile.
 */
#include "train/trained/serve_trained.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/remote_path.h"
#include "train/trained/image_classifier.h"

/* The model that is served, which a newer one may replace. */
struct served {
    const struct tr_trained_options *opened;
    struct tr_trained *t;
    /* Of texts. */
    struct dec_translator **translator;
    struct dec_parts parts;
    /* Of images; NULL of texts. */
    struct tr_classifier *classifier;
    struct srv_image_model images;
    char class_text[24];
    const char *name;
    void (*listening)(void *context, const char *url);
    /* Steps: that of the newest checkpoint when it was looked for, and one that could not be taken
     * up. */
    int64_t newest, refused;
    double looked_s;
};

/* ---- images ---- */

static const char *class_name(void *context, int32_t label)
{
    struct served *s = context;

    return tr_class_name(&s->t->data, label, s->class_text, sizeof s->class_text);
}

/* What is drawn for an image is the same in every batch: all are the first of a data set. */
static enum t2_status classify(void *context, struct srv_image *images, int32_t n,
                               struct t2_err *err)
{
    struct served *s = context;
    struct tr_classified *c = t2_alloc((size_t) n, sizeof *c);
    enum t2_status st;
    int32_t at;

    for (int32_t i = 0; i < n; i++) {
        c[i].file = images[i].file;
        c[i].probabilities = images[i].probabilities;
    }
    st = tr_classifier_run(s->classifier, c, n, &at, err);
    for (int32_t i = 0; i < n && st == T2_OK; i++)
        if (c[i].refused.status != T2_OK)
            images[i].wrong = t2_strdup(c[i].refused.message);
    t2_free(c);
    return st;
}

static enum t2_status take_up_images(struct served *s, struct tr_trained *newer, struct t2_err *err)
{
    struct tr_classifier *c;
    enum t2_status st = tr_classifier_new(newer, s->images.batch_size, &c, err);

    if (st != T2_OK) {
        tr_classifier_free(c);
        return st;
    }
    tr_classifier_free(s->classifier);
    s->classifier = c;
    return T2_OK;
}

/* ---- texts ---- */

static enum t2_status take_up_texts(struct served *s, const struct tr_trained *newer,
                                    struct t2_err *err)
{
    struct dec_parts parts = s->parts;
    struct dec_translator *translator;

    parts.m = newer->m;
    parts.inputs = newer->inputs;
    parts.targets = newer->targets;
    T2_TRY(dec_translator_new(&parts, &translator, err));
    dec_translator_free(*s->translator);
    *s->translator = translator;
    return T2_OK;
}

/* ---- both ---- */

static void say_url(void *context, const char *url)
{
    const struct served *s = context;

    t2_info("serving at %sv1/models/%s:predict; a signal ends it", url, s->name);
    s->listening(NULL, url);
}

/* The step of the newest checkpoint; -1: none that could be new. */
static int64_t newest_step(struct served *s)
{
    const double remote_s = 30;
    bool remote = t2_is_remote(s->t->dir);
    struct t2_err ignored = T2_ERR_INIT;
    int64_t *steps = NULL, step = -1;
    size_t n = 0;

    if (s->opened->checkpoint_path[0] || s->opened->model_file[0])
        return -1;
    if (remote && t2_now_s() - s->looked_s < remote_s)
        return s->newest;
    s->looked_s = t2_now_s();
    if (ckpt_list(s->t->dir, &steps, &n, &ignored) == T2_OK && n > 0)
        step = steps[n - 1];
    t2_free(steps);
    s->newest = step;
    return step;
}

static bool is_there_newer(void *context, const struct srv_model *model)
{
    struct served *s = context;
    int64_t step = newest_step(s);

    return step > model->version && step != s->refused;
}

static void take_up_newer(void *context, struct srv_model *model)
{
    struct served *s = context;
    struct t2_err err = T2_ERR_INIT;
    struct tr_trained newer;
    int64_t step;
    enum t2_status st;

    if (!is_there_newer(s, model))
        return;
    step = s->newest;
    st = tr_trained_open(s->opened, &newer, &err);
    if (st == T2_OK) {
        st = s->classifier ? take_up_images(s, &newer, &err) : take_up_texts(s, &newer, &err);
        if (st != T2_OK)
            tr_trained_close(&newer);
    }
    if (st != T2_OK) {
        t2_warn("step %" PRId64 " is not taken up: %s", step, err.message);
        s->refused = step;
        return;
    }
    tr_trained_close(s->t);
    *s->t = newer;
    if (!s->classifier)
        model->translator = *s->translator;
    model->version = newer.state.step;
    t2_info("step %" PRId64 " is served now", model->version);
}

static enum t2_status serve(struct served *s, struct srv_model *model,
                            const struct srv_options *service, struct t2_err *err)
{
    char *name = t2_strdup(service->name[0] ? service->name : s->t->state.model);
    struct srv_options o = *service;
    enum t2_status st;

    s->name = name;
    s->listening = service->listening;
    s->refused = s->newest = -1;
    o.name = name;
    o.look_for_newer = take_up_newer;
    o.is_there_newer = is_there_newer;
    o.listening = say_url;
    o.context = s;
    st = srv_serve(&o, model, err);
    t2_free(name);
    return st;
}

enum t2_status tr_serve(const struct tr_trained_options *opened, struct tr_trained *t,
                        struct dec_translator **translator, const struct dec_parts *parts,
                        const struct srv_options *service, struct t2_err *err)
{
    struct served s = {.opened = opened, .t = t, .translator = translator, .parts = *parts};
    struct srv_model model = {.translator = *translator, .version = t->state.step};

    return serve(&s, &model, service, err);
}

enum t2_status tr_serve_images(const struct tr_trained_options *opened, struct tr_trained *t,
                               int64_t batch_size, const struct srv_options *service,
                               struct t2_err *err)
{
    struct served s = {.opened = opened, .t = t};
    struct srv_model model = {.images = &s.images, .version = t->state.step};
    enum t2_status st = tr_classifier_new(t, batch_size, &s.classifier, err);

    s.images = (struct srv_image_model){.n_classes = tr_classifier_classes(s.classifier),
                                        .batch_size = tr_classifier_batch(s.classifier),
                                        .classify = classify,
                                        .name = class_name,
                                        .context = &s};
    if (st == T2_OK)
        st = serve(&s, &model, service, err);
    tr_classifier_free(s.classifier);
    return st;
}
