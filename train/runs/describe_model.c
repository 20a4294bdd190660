/*
 * train/runs/describe_model.c - a model described before it is trained: problem and data say how
 * large images are and how many classes there are, the hparams what stands behind a $.
 */
#include "train/runs/describe_model.h"

#include "base/alloc.h"
#include "base/file.h"
#include "train/models/layer_file.h"
#include "train/runs/model_text.h"
#include "train/runs/run_hparams.h"
#include "train/runs/run_tasks.h"

struct described {
    const char *model;
    char *layers; /* NULL: a built-in model */
    struct mdl_hparams *hp;
    struct tr_data_set data;
};

static enum t2_status check_options(const struct tr_options *o, const char *to, struct t2_err *err)
{
    if (!o->model || !o->problem || !o->hparams_set || !o->data_dir)
        return t2_fail(err, T2_EUSAGE,
                       "--describe is about an --experiment, or about a model: with --model, "
                       "--hparams_set, --problem and --data_dir");
    if (to[0] != '\0' && !t2_ends_with(to, ".svg"))
        return t2_fail(err, T2_EUSAGE,
                       "--describe of a model prints a table, or with --describe=FILE.svg writes a "
                       "drawing; not '%s'",
                       to);
    return T2_OK;
}

static enum t2_status open_all(const struct tr_options *o, struct described *d, struct t2_err *err)
{
    char *data_dir = t2_path_expand(o->data_dir);
    enum t2_status st;

    d->model = o->model;
    T2_GOTO(st, out, tr_model_text_read(&d->model, &d->layers, err));
    T2_GOTO(st, out,
            tr_hparams_choose(o->hparams_set, d->layers, o->hparams, NULL, false, &d->hp, err));
    T2_GOTO(st, out, tr_data_set_open(o->problem, data_dir, &d->data, err));
    T2_GOTO(st, out, tr_data_set_images(&d->data, d->hp, err));
    st = tr_tasks_settle(&d->data, d->hp, err);
out:
    t2_free(data_dir);
    return st;
}

static enum t2_status describe_layers(const struct described *d, const char *to,
                                      struct t2_buf *text, struct t2_err *err)
{
    struct mdl_layer_net *net;
    struct t2_buf svg = {0};
    enum t2_status st = mdl_layer_net_new(d->layers, d->model, d->hp, &d->data.problem, &net, err);

    if (st != T2_OK)
        return t2_wrap(err, "'%s'", d->model);
    if (to[0] == '\0') {
        mdl_layer_net_table(net, text);
    } else {
        mdl_layer_net_svg(net, &svg);
        st = t2_write_file(to, svg.data, svg.len_bytes, err);
        if (st == T2_OK)
            t2_buf_printf(text, "%s: %d layers\n", to, net->n);
        t2_buf_release(&svg);
    }
    mdl_layer_net_free(net);
    return st;
}

static enum t2_status describe_variables(const struct described *d, const char *to,
                                         struct t2_buf *text, struct t2_err *err)
{
    struct dev *dev = NULL;
    struct mdl *m = NULL;
    enum t2_status st;

    if (to[0] != '\0')
        return t2_fail(err, T2_EUNSUPPORTED,
                       "a drawing is of a layer file, --model=FILE.yaml; '%s' is built in",
                       d->model);
    T2_TRY(dev_open("cpu", 1, &dev, err));
    st = mdl_describe(d->model, dev, d->hp, &d->data.problem, MDL_TRAIN, &m, err);
    if (st == T2_OK)
        mdl_put_variables(m, text);
    mdl_free(m);
    dev_close(dev);
    return st;
}

enum t2_status tr_describe_model(const struct tr_options *o, const char *to, struct t2_buf *text,
                                 struct t2_err *err)
{
    struct described d = {0};
    enum t2_status st;

    T2_TRY(check_options(o, to, err));
    st = open_all(o, &d, err);
    if (st == T2_OK)
        st = d.layers ? describe_layers(&d, to, text, err) : describe_variables(&d, to, text, err);
    tr_data_set_release(&d.data);
    mdl_hparams_free(d.hp);
    t2_free(d.layers);
    return st;
}
