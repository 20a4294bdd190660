/*
 * train/models/model_table.c - the variables of a model as a table: what is known of a model that
 * is written in C.
 */
#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "train/models/model_parts.h"

enum { MOST_WIDTH = 70 };

static void put_shape(const struct gr_variable *v, struct t2_buf *out)
{
    t2_buf_puts(out, "(");
    for (int i = 0; i < v->rank; i++)
        t2_buf_printf(out, "%s%" PRId64, i > 0 ? ", " : "", v->dims[i]);
    t2_buf_puts(out, ")");
}

void mdl_put_variables(const struct mdl *m, struct t2_buf *out)
{
    const struct gr_params *p = &m->params;
    int64_t trained = 0, others = 0;
    size_t width = 8;
    char bytes[32];

    for (int i = 0; i < p->n_variables; i++) {
        size_t n = strlen(p->variables[i].name);

        width = n > width ? n : width;
    }
    width = width < MOST_WIDTH ? width : MOST_WIDTH;
    t2_buf_printf(out, "%-*s  %-20s  %12s\n", (int) width, "Variable", "Shape", "Params");
    for (int i = 0; i < p->n_variables; i++) {
        const struct gr_variable *v = &p->variables[i];
        struct t2_buf shape = {0};

        put_shape(v, &shape);
        t2_buf_printf(out, "%-*s  %-20s  %12" PRId64 "%s\n", (int) width, v->name,
                      t2_buf_cstr(&shape), v->n, v->trainable ? "" : "  not trained");
        t2_buf_release(&shape);
        *(v->trainable ? &trained : &others) += v->n;
    }
    t2_buf_printf(out, "Total params: %" PRId64 " (%s)\n", trained + others,
                  t2_human_bytes((uint64_t) (trained + others) * sizeof(float), bytes,
                                 sizeof bytes));
    t2_buf_printf(out, "Trainable params: %" PRId64 "\nNon-trainable params: %" PRId64 "\n",
                  trained, others);
}
