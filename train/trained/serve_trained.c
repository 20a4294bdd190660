/*
 * train/trained/serve_trained.c - a run that is served, and is trained on meanwhile.
 */
#include "train/trained/serve_trained.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/remote_path.h"

/* The model that is served, which a newer one may replace. */
struct served {
    const struct tr_trained_options *opened;
    struct tr_trained *t;
    struct dec_translator **translator;
    struct dec_parts parts;
    const char *name;
    void (*listening)(void *context, const char *url);
    int64_t refused; /* a step that could not be taken up */
    double looked_s;
};

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
        return -1;
    s->looked_s = t2_now_s();
    if (ckpt_list(s->t->dir, &steps, &n, &ignored) == T2_OK && n > 0)
        step = steps[n - 1];
    t2_free(steps);
    return step;
}

static void take_up_newer(void *context, struct srv_model *model)
{
    struct served *s = context;
    struct dec_parts parts = s->parts;
    struct dec_translator *translator = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct tr_trained newer;
    int64_t step = newest_step(s);
    enum t2_status st;

    if (step <= model->version || step == s->refused)
        return;
    st = tr_trained_open(s->opened, &newer, &err);
    if (st == T2_OK) {
        parts.m = newer.m;
        parts.inputs = newer.inputs;
        parts.targets = newer.targets;
        st = dec_translator_new(&parts, &translator, &err);
        if (st != T2_OK)
            tr_trained_close(&newer);
    }
    if (st != T2_OK) {
        t2_warn("step %" PRId64 " is not taken up: %s", step, err.message);
        s->refused = step;
        return;
    }
    dec_translator_free(*s->translator);
    tr_trained_close(s->t);
    *s->t = newer;
    *s->translator = model->translator = translator;
    model->version = newer.state.step;
    t2_info("step %" PRId64 " is served now", model->version);
}

enum t2_status tr_serve(const struct tr_trained_options *opened, struct tr_trained *t,
                        struct dec_translator **translator, const struct dec_parts *parts,
                        const struct srv_options *service, struct t2_err *err)
{
    char *name = t2_strdup(service->name[0] ? service->name : t->state.model);
    struct served s = {.opened = opened,
                       .t = t,
                       .translator = translator,
                       .parts = *parts,
                       .name = name,
                       .listening = service->listening,
                       .refused = -1};
    struct srv_model model = {*translator, t->state.step};
    struct srv_options o = *service;
    enum t2_status st;

    o.name = name;
    o.look_for_newer = take_up_newer;
    o.listening = say_url;
    o.context = &s;
    st = srv_serve(&o, &model, err);
    t2_free(name);
    return st;
}
