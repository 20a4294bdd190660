/*
 * train/models/layer_file_drawing.c - a net as a drawing: a box for each layer, one below the
 * other, lines to what reads it; SVG 1.1.
 *
 * A line between neighbours is straight; one that jumps over layers runs beside the boxes, in a
 * lane that is free for as long as it runs, so that lines do not lie upon each other.
 */
#include <inttypes.h>
#include <stdio.h>

#include "train/models/layer_file.h"

enum {
    WIDTH = 380,
    HEIGHT = 34,
    STEP = 52, /* from box to box */
    LEFT = 20,
    TOP = 44,
    LANE = 14, /* between lines beside the boxes */
    MOST_LANES = 24
};

static int top_of(int i)
{
    return TOP + i * STEP;
}

/* A title comes from a file; names of layers have no special characters. */
static void put_escaped(const char *text, struct t2_buf *out)
{
    for (; *text; text++) {
        if (*text == '<')
            t2_buf_puts(out, "&lt;");
        else if (*text == '>')
            t2_buf_puts(out, "&gt;");
        else if (*text == '&')
            t2_buf_puts(out, "&amp;");
        else if ((unsigned char) *text >= ' ' || *text == '\t')
            t2_buf_push(out, *text);
    }
}

static const char *colour_of(const struct mdl_layer *l)
{
    switch (l->type) {
    case MDL_LAYER_CONV2D:
    case MDL_LAYER_DEPTHWISE:
        return "#cfe3f7";
    case MDL_LAYER_DENSE:
    case MDL_LAYER_EMBEDDING:
    case MDL_LAYER_ATTENTION:
    case MDL_LAYER_EXCITE:
    case MDL_LAYER_LSTM:
        return "#d9efd2";
    case MDL_LAYER_BATCH_NORM:
    case MDL_LAYER_LAYER_NORM:
        return "#fbeacb";
    case MDL_LAYER_ADD:
    case MDL_LAYER_CONCAT:
        return "#f5d6dc";
    case MDL_LAYER_INPUT:
    case MDL_LAYER_ACTIVATION:
    case MDL_LAYER_AVG_POOL:
    case MDL_LAYER_DROPOUT:
    case MDL_LAYER_FLATTEN:
    case MDL_LAYER_GLOBAL_AVG:
    case MDL_LAYER_MAX_POOL:
    case MDL_LAYER_RESHAPE:
    case MDL_LAYER_N_TYPES:
        break;
    }
    return "#eeeeee";
}

static void put_box(const struct mdl_layer *l, int i, struct t2_buf *out)
{
    bool joined = l->activation != MDL_LINEAR && l->type != MDL_LAYER_ACTIVATION;
    struct t2_buf shape = {0};

    mdl_layer_put_shape(l, &shape);
    t2_buf_printf(out,
                  "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" fill=\"%s\" "
                  "stroke=\"#555\"/>\n"
                  "<text x=\"%d\" y=\"%d\">%s%s%s</text>\n"
                  "<text x=\"%d\" y=\"%d\" class=\"s\">%s ",
                  LEFT, top_of(i), WIDTH, HEIGHT, colour_of(l), LEFT + 8, top_of(i) + 14, l->name,
                  joined ? " + " : "", joined ? mdl_activation_name(l->activation) : "", LEFT + 8,
                  top_of(i) + 28, mdl_layer_type_name(l));
    t2_buf_puts(out, t2_buf_cstr(&shape));
    if (l->n_values + l->n_states > 0)
        t2_buf_printf(out, ", %" PRId64 " params", l->n_values + l->n_states);
    t2_buf_puts(out, "</text>\n");
    t2_buf_release(&shape);
}

/* From layer `from` to layer `to` below it. */
static void put_line(int from, int to, int busy_until[MOST_LANES], int *lanes, struct t2_buf *out)
{
    int x = LEFT + WIDTH, start = top_of(from) + HEIGHT, lane = 0;

    if (to == from + 1) {
        t2_buf_printf(out, "<path d=\"M%d %dV%d\"/>\n", LEFT + WIDTH / 2, start, top_of(to));
        return;
    }
    while (lane < MOST_LANES - 1 && busy_until[lane] > from)
        lane++;
    busy_until[lane] = to;
    *lanes = lane + 1 > *lanes ? lane + 1 : *lanes;
    t2_buf_printf(out, "<path d=\"M%d %dH%dV%dH%d\"/>\n", x, top_of(from) + HEIGHT / 2,
                  x + (lane + 1) * LANE, top_of(to) + HEIGHT / 2, x);
}

void mdl_layer_net_svg(const struct mdl_layer_net *net, struct t2_buf *out)
{
    int busy_until[MOST_LANES] = {0}, lanes = 0;
    struct t2_buf lines = {0};

    /* in the order of where they begin: a lane that is free stays free */
    for (int from = 0; from < net->n; from++)
        for (int to = from + 1; to < net->n; to++)
            for (int k = 0; k < net->layers[to].n_inputs; k++)
                if (net->layers[to].inputs[k] == from)
                    put_line(from, to, busy_until, &lanes, &lines);
    t2_buf_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">\n"
        "<style>text{font:13px sans-serif}.s{font-size:11px;fill:#333}"
        "path{fill:none;stroke:#555;marker-end:url(#a)}</style>\n"
        "<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" "
        "markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"
        "<path d=\"M0 0L8 4L0 8z\" style=\"fill:#555;marker-end:none\"/></marker></defs>\n"
        "<text x=\"%d\" y=\"26\" font-weight=\"bold\">",
        2 * LEFT + WIDTH + lanes * LANE, top_of(net->n), LEFT);
    put_escaped(net->title[0] ? net->title : "network", out);
    t2_buf_puts(out, "</text>\n");
    t2_buf_append(out, lines.data, lines.len_bytes);
    for (int i = 0; i < net->n; i++)
        put_box(&net->layers[i], i, out);
    t2_buf_puts(out, "</svg>\n");
    t2_buf_release(&lines);
}
