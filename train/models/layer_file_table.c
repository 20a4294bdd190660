/*
 * train/models/layer_file_table.c - a net as a table of its layers, as Keras's Model.summary() has
 * it, with the operations of each.
 */
#include <inttypes.h>
#include <stdio.h>

#include "train/models/layer_file.h"

enum { MOST_WIDTH = 60 };

static void put_number(int64_t n, char out[32])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRId64, n), at = 0;

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
}

/* "from conv2d_3, add" where it is not the layer above alone. */
static void put_inputs(const struct mdl_layer_net *net, int i, struct t2_buf *out)
{
    const struct mdl_layer *l = &net->layers[i];

    if (l->n_inputs == 0 || (l->n_inputs == 1 && l->inputs[0] == i - 1))
        return;
    t2_buf_puts(out, "  from ");
    for (int k = 0; k < l->n_inputs; k++)
        t2_buf_printf(out, "%s%s", k > 0 ? ", " : "", net->layers[l->inputs[k]].name);
}

static void put_name(const struct mdl_layer *l, struct t2_buf *out)
{
    t2_buf_printf(out, "%s (%s)", l->name, mdl_layer_type_name(l));
}

static size_t widest(const struct mdl_layer_net *net,
                     void (*put)(const struct mdl_layer *, struct t2_buf *))
{
    size_t most = 12;

    for (int i = 0; i < net->n; i++) {
        struct t2_buf text = {0};

        put(&net->layers[i], &text);
        most = text.len_bytes > most ? text.len_bytes : most;
        t2_buf_release(&text);
    }
    return most < MOST_WIDTH ? most : MOST_WIDTH;
}

static void put_padded(const struct mdl_layer *l, size_t width,
                       void (*put)(const struct mdl_layer *, struct t2_buf *), struct t2_buf *out)
{
    struct t2_buf text = {0};

    put(l, &text);
    t2_buf_printf(out, "%-*s", (int) width, t2_buf_cstr(&text));
    t2_buf_release(&text);
}

static void put_total(const char *what, int64_t n, struct t2_buf *out)
{
    char number[32], bytes[32];

    put_number(n, number);
    t2_buf_printf(out, "%s: %s (%s)\n", what, number,
                  t2_human_bytes((uint64_t) n * sizeof(float), bytes, sizeof bytes));
}

void mdl_layer_net_table(const struct mdl_layer_net *net, struct t2_buf *out)
{
    size_t names = widest(net, put_name), shapes = widest(net, mdl_layer_put_shape);
    int64_t values = 0, states = 0;
    double flops = 0;
    char number[32];

    if (net->title[0] != '\0')
        t2_buf_printf(out, "Model: %s\n", net->title);
    t2_buf_printf(out, "%-*s  %-*s  %12s  %10s\n", (int) names, "Layer (type)", (int) shapes,
                  "Output shape", "Params", "Mflops");
    for (int i = 0; i < net->n; i++) {
        const struct mdl_layer *l = &net->layers[i];

        put_padded(l, names, put_name, out);
        t2_buf_puts(out, "  ");
        put_padded(l, shapes, mdl_layer_put_shape, out);
        put_number(l->n_values + l->n_states, number);
        t2_buf_printf(out, "  %12s  %10.3f", number, l->flops / 1e6);
        put_inputs(net, i, out);
        t2_buf_push(out, '\n');
        values += l->n_values;
        states += l->n_states;
        flops += l->flops;
    }
    put_total("Total params", values + states, out);
    put_total("Trainable params", values, out);
    put_total("Non-trainable params", states, out);
    t2_buf_printf(out, "Mflops forward, for each %s: %.3f (2 a multiply-add)\n",
                  net->layers[0].rank == 4 ? "image" : "position of a text", flops / 1e6);
}
