/*
 * train/exchange/exchange.c - a model's numbers in host memory.
 */
#include "train/exchange/exchange.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "train/graph/layouts.h"

/* n numbers from the first of v on, in the order of checkpoints: where v has a layout of the
 * device's, it is its parameter alone. */
static enum t2_status download(const struct xch_model *m, const struct gr_variable *v, int64_t n,
                               float **values, struct t2_err *err)
{
    *values = t2_try_alloc((size_t) n, sizeof **values);
    if (!*values)
        return t2_fail(err, T2_ENOMEM, "not enough memory to export '%s'", v->name);
    gr_download(m->params, v, m->params->values + v->offset, 0, *values, n);
    return T2_OK;
}

enum t2_status xch_variable(const struct xch_model *m, const struct gr_variable *v, float **values,
                            struct t2_err *err)
{
    return download(m, v, v->n, values, err);
}

enum t2_status xch_parameter_at(const struct xch_model *m, int index, float **values,
                                struct t2_err *err)
{
    const struct gr_param *p = &m->params->params[index];

    return download(m, &m->params->variables[p->first_variable], p->n, values, err);
}

enum t2_status xch_parameter(const struct xch_model *m, const char *name, float **values,
                             const struct gr_param **p, struct t2_err *err)
{
    const struct gr_variable *v = gr_params_find(m->params, name);
    char *first = t2_asprintf("%s_0", name);

    *values = NULL;
    if (!v)
        v = gr_params_find(m->params, first);
    t2_free(first);
    if (!v)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "the model has no variable '%s', which this format needs", name);
    *p = &m->params->params[v->param];
    return xch_parameter_at(m, v->param, values, err);
}
