/*
 * train/exchange/saved_model.c - SavedModel: graph, the loop that translates, signatures
 * (saved_model.proto, meta_graph.proto, function.proto; field numbers are theirs).
 *
 * The loop is one While.  Its state: the number of steps, the limit, what was made so far (B, t),
 * who has ended (B), and every value that the decoder reads and that does not change: what the
 * encoder made, and weights.  Its body is the part of the flow that depends on targets: the whole
 * prefix at every step.
 */
#include "train/exchange/saved_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "train/exchange/flow_graph.h"
#include "train/exchange/put_fields.h"
#include "train/exchange/tf_graph.h"
#include "train/exchange/tf_images.h"

enum { GRAPH_NODE = 1, GRAPH_LIBRARY = 2, GRAPH_VERSIONS = 4, PRODUCER = 134, MIN_CONSUMER = 12 };
enum { META_INFO = 1, META_GRAPH = 2, META_SIGNATURE = 5, INFO_TAG = 4, INFO_VERSION = 5 };
enum { SIGNATURE_INPUT = 1, SIGNATURE_OUTPUT = 2, SIGNATURE_METHOD = 3 };
static const uint64_t max_bytes = (UINT64_C(1) << 31) - (1 << 20); /* protobuf's limit */

/* ---- the loop ---- */

enum { STEP, LIMIT, MADE, ENDED, N_STATES };
static const char *const state_names[] = {"step", "limit", "made", "ended"};
static const enum xch_tf_type state_types[] = {XCH_TF_INT64, XCH_TF_INT64, XCH_TF_INT64,
                                               XCH_TF_BOOL};

struct loop {
    const struct xch_flow *f;
    int *kept; /* values that the body reads and the graph around it makes */
    int n_kept;
};

/* "keep_<i>": the argument for a value. */
static char *kept_name(int i)
{
    return t2_asprintf("keep_%d", i);
}

static void find_kept(struct loop *l)
{
    bool *seen = t2_alloc((size_t) l->f->n, sizeof *seen);

    l->kept = t2_alloc((size_t) l->f->n, sizeof *l->kept);
    for (int i = 0; i < l->f->n; i++)
        for (int k = 0; k < l->f->values[i].n_inputs; k++) {
            int from = l->f->values[i].inputs[k];

            if (!l->f->values[i].of_targets || l->f->values[from].of_targets || seen[from])
                continue;
            seen[from] = true;
            l->kept[l->n_kept++] = from;
        }
    t2_free(seen);
}

/* Arguments of both functions. */
static void put_arguments(const struct loop *l, struct t2_buf *op, uint32_t field, const char *end)
{
    for (int i = 0; i < N_STATES; i++) {
        char *name = t2_asprintf("%s%s", state_names[i], end);

        xch_tf_put_argument(op, field, name, state_types[i]);
        t2_free(name);
    }
    for (int i = 0; i < l->n_kept; i++) {
        char *kept = kept_name(i), *name = t2_asprintf("%s%s", kept, end);

        xch_tf_put_argument(op, field, name, xch_tf_type_of(&l->f->values[l->kept[i]]));
        t2_free(kept);
        t2_free(name);
    }
}

static struct xch_tf_graph function_graph(const struct loop *l)
{
    return (struct xch_tf_graph){.f = l->f, .field = XCH_TF_FUNCTION_NODE, .in_function = true};
}

/* step < limit and not all have ended */
static void put_condition(const struct loop *l, struct t2_buf *library)
{
    static const int64_t zero = 0;
    struct xch_tf_graph g = function_graph(l);
    struct t2_buf results = {0}, op = {0}, attrs = {0};
    const char *inputs[2], *ended, *goes;

    xch_put_text(&op, XCH_TF_OP_NAME, "translate_goes_on");
    put_arguments(l, &op, XCH_TF_OP_INPUT, "");
    xch_tf_put_argument(&op, XCH_TF_OP_OUTPUT, "goes_on", XCH_TF_BOOL);
    inputs[0] = "ended";
    inputs[1] = xch_tf_integers(&g, "axis", 1, 1, &zero);
    xch_tf_type_attr(&attrs, "Tidx", XCH_TF_INT64);
    ended = xch_tf_node(&g, "All", "all_ended", "output", &attrs, 2, inputs);
    inputs[0] = xch_tf_simple(&g, "Less", "room", "z", XCH_TF_INT64, "step", "limit");
    inputs[1] = xch_tf_node(&g, "LogicalNot", "some_go_on", "y", NULL, 1, &ended);
    goes = xch_tf_node(&g, "LogicalAnd", "go_on", "z", NULL, 2, inputs);
    xch_tf_put_result(&results, "goes_on", goes);
    xch_tf_put_function(library, &op, &g, &results);
}

/* logits (B, t + 1, V) of the prefix and one place more -> the best ids of that place (B, 1) */
static const char *put_choice(struct xch_tf_graph *g, const char *logits)
{
    static const int64_t axis = -1, all[] = {-1, 1}, column[] = {0, 1};
    const char *inputs[3], *best;
    struct t2_buf attrs = {0};

    inputs[0] = logits;
    inputs[1] = xch_tf_integers(g, "choice/axis", 0, 1, &axis);
    xch_tf_type_attr(&attrs, "T", XCH_TF_FLOAT);
    xch_tf_type_attr(&attrs, "Tidx", XCH_TF_INT64);
    xch_tf_type_attr(&attrs, "output_type", XCH_TF_INT64);
    best = xch_tf_node(g, "ArgMax", "choice/all", "output", &attrs, 2, inputs); /* (B, t + 1) */
    /* begin at [0, step]: [0, 0] + step * [0, 1] */
    inputs[0] = best;
    inputs[1] = xch_tf_simple(g, "Mul", "choice/begin", "z", XCH_TF_INT64,
                              xch_tf_integers(g, "choice/column", 1, 2, column), "step");
    inputs[2] = xch_tf_integers(g, "choice/size", 1, 2, all);
    xch_tf_type_attr(&attrs, "T", XCH_TF_INT64);
    xch_tf_type_attr(&attrs, "Index", XCH_TF_INT64);
    return xch_tf_node(g, "Slice", "choice", "output", &attrs, 3, inputs);
}

/* What is chosen, 0 for those who have ended, and who has ended now. */
static void put_step(struct xch_tf_graph *g, const char *choice, const char **made,
                     const char **ended)
{
    static const int64_t eos = TOK_EOS, one = 1, row[] = {-1};
    const char *inputs[3], *goes, *is_eos;
    struct t2_buf attrs = {0};

    inputs[0] = "ended";
    goes = xch_tf_node(g, "LogicalNot", "goes", "y", NULL, 1, inputs);
    goes = xch_tf_cast(g, "goes/number", goes, XCH_TF_BOOL, XCH_TF_INT64);
    inputs[0] = goes;
    inputs[1] = xch_tf_integers(g, "goes/axis", 0, 1, &one);
    xch_tf_type_attr(&attrs, "T", XCH_TF_INT64);
    xch_tf_type_attr(&attrs, "Tdim", XCH_TF_INT64);
    goes = xch_tf_node(g, "ExpandDims", "goes/column", "output", &attrs, 2, inputs); /* (B, 1) */
    choice = xch_tf_simple(g, "Mul", "chosen", "z", XCH_TF_INT64, choice, goes);
    *made = xch_tf_concat(g, "longer", XCH_TF_INT64, "made", choice, 1);
    is_eos = xch_tf_simple(g, "Equal", "is_eos", "z", XCH_TF_INT64, choice,
                           xch_tf_integers(g, "eos", 0, 1, &eos));
    inputs[0] = is_eos;
    inputs[1] = xch_tf_integers(g, "is_eos/dims", 1, 1, row);
    xch_tf_type_attr(&attrs, "T", XCH_TF_BOOL);
    xch_tf_type_attr(&attrs, "Tshape", XCH_TF_INT64);
    is_eos = xch_tf_node(g, "Reshape", "is_eos/row", "output", &attrs, 2, inputs);
    inputs[0] = "ended";
    inputs[1] = is_eos;
    *ended = xch_tf_node(g, "LogicalOr", "ended_now", "z", NULL, 2, inputs);
}

static void put_body(const struct loop *l, struct t2_buf *library)
{
    static const int64_t pads[] = {0, 0, 0, 1}, two[] = {2, 2}, one = 1;
    struct xch_tf_graph g = function_graph(l);
    struct t2_buf results = {0}, op = {0}, attrs = {0};
    const char *inputs[2], *targets, *made, *ended, *step;

    xch_put_text(&op, XCH_TF_OP_NAME, "translate_step");
    put_arguments(l, &op, XCH_TF_OP_INPUT, "");
    put_arguments(l, &op, XCH_TF_OP_OUTPUT, "_next");
    /* targets: what was made, and a place for the next */
    inputs[0] = "made";
    inputs[1] = xch_tf_constant(&g, "place", XCH_TF_INT64, 2, two, pads, sizeof pads);
    xch_tf_type_attr(&attrs, "T", XCH_TF_INT64);
    xch_tf_type_attr(&attrs, "Tpaddings", XCH_TF_INT64);
    targets = xch_tf_node(&g, "Pad", "prefix", "output", &attrs, 2, inputs);
    g.refs = t2_alloc((size_t) l->f->n, sizeof *g.refs);
    for (int i = 0; i < l->n_kept; i++) {
        t2_strs_take(&g.made, kept_name(i));
        g.refs[l->kept[i]] = g.made.items[g.made.n - 1];
    }
    for (int i = 0; i < l->f->n; i++)
        if (l->f->values[i].op == XCH_INPUT && l->f->values[i].of_targets)
            g.refs[i] = targets;
        else if (l->f->values[i].of_targets)
            (void) xch_tf_value(&g, i);
    put_step(&g, put_choice(&g, g.refs[l->f->logits]), &made, &ended);
    step = xch_tf_simple(&g, "AddV2", "step_more", "z", XCH_TF_INT64, "step",
                         xch_tf_integers(&g, "one", 0, 1, &one));
    xch_tf_put_result(&results, "step_next", step);
    xch_tf_put_result(&results, "limit_next", "limit");
    xch_tf_put_result(&results, "made_next", made);
    xch_tf_put_result(&results, "ended_next", ended);
    for (int i = 0; i < l->n_kept; i++) {
        char *name = t2_asprintf("keep_%d_next", i);

        xch_tf_put_result(&results, name, g.refs[l->kept[i]]);
        t2_free(name);
    }
    xch_tf_put_function(library, &op, &g, &results);
}

/* step 0, limit L + extra_length, nothing made, nobody ended */
static void put_beginnings(struct xch_tf_graph *g, const char *inputs, int64_t extra_length,
                           const char **states)
{
    static const int64_t zero = 0, one = 1;
    const char *rows = xch_tf_size(g, "loop/rows", XCH_TF_INT64, inputs, 0), *dims[2], *fill[2];
    struct t2_buf attrs = {0};
    const uint8_t no = 0;

    states[STEP] = xch_tf_integers(g, "loop/step", 0, 1, &zero);
    states[LIMIT] = xch_tf_simple(g, "AddV2", "loop/limit", "z", XCH_TF_INT64,
                                  xch_tf_size(g, "loop/length", XCH_TF_INT64, inputs, 1),
                                  xch_tf_integers(g, "loop/extra_length", 0, 1, &extra_length));
    dims[0] = rows;
    dims[1] = xch_tf_integers(g, "loop/rows_dims", 1, 1, &one);
    xch_tf_type_attr(&attrs, "T", XCH_TF_INT64);
    xch_tf_type_attr(&attrs, "Tshape", XCH_TF_INT64);
    rows = xch_tf_node(g, "Reshape", "loop/rows_list", "output", &attrs, 2, dims); /* (1) */
    fill[0] = xch_tf_concat(g, "loop/made_dims", XCH_TF_INT64, rows,
                            xch_tf_integers(g, "loop/none", 1, 1, &zero), 0);
    fill[1] = states[STEP];
    xch_tf_type_attr(&attrs, "T", XCH_TF_INT64);
    xch_tf_type_attr(&attrs, "index_type", XCH_TF_INT64);
    states[MADE] = xch_tf_node(g, "Fill", "loop/made", "output", &attrs, 2, fill);
    fill[0] = rows;
    fill[1] = xch_tf_constant(g, "loop/no", XCH_TF_BOOL, 0, NULL, &no, 1);
    xch_tf_type_attr(&attrs, "T", XCH_TF_BOOL);
    xch_tf_type_attr(&attrs, "index_type", XCH_TF_INT64);
    states[ENDED] = xch_tf_node(g, "Fill", "loop/ended", "output", &attrs, 2, fill);
}

static void put_loop(struct xch_tf_graph *g, const struct loop *l, const char *inputs,
                     int64_t extra_length)
{
    int n = N_STATES + l->n_kept;
    const char **states = t2_alloc((size_t) n, sizeof *states), *made = "translate:2";
    enum xch_tf_type *types = t2_alloc((size_t) n, sizeof *types);
    struct t2_buf attrs = {0};

    put_beginnings(g, inputs, extra_length, states);
    for (int i = 0; i < n; i++) {
        if (i >= N_STATES)
            states[i] = xch_tf_value(g, l->kept[i - N_STATES]);
        types[i] =
            i < N_STATES ? state_types[i] : xch_tf_type_of(&l->f->values[l->kept[i - N_STATES]]);
    }
    xch_tf_types_attr(&attrs, "T", n, types);
    xch_tf_unknown_shapes_attr(&attrs, "output_shapes", n);
    xch_tf_function_attr(&attrs, "cond", "translate_goes_on");
    xch_tf_function_attr(&attrs, "body", "translate_step");
    (void) xch_tf_node(g, "StatelessWhile", "translate", "output", &attrs, n, states);
    (void) xch_tf_simple(g, "Identity", "outputs", "output", XCH_TF_INT64, made, NULL);
    t2_free(states);
    t2_free(types);
}

/* ---- signatures ---- */

struct end {
    const char *key, *tensor;
    enum xch_tf_type type;
    int rank;
    int64_t dims[4];
};

static void put_ends(struct t2_buf *signature, uint32_t field, int n, const struct end *ends)
{
    for (int i = 0; i < n; i++) {
        struct t2_buf entry = {0}, info = {0};

        xch_put_text(&info, 1, ends[i].tensor);
        xch_put_int(&info, 2, ends[i].type);
        xch_tf_put_shape(&info, 3, ends[i].rank, ends[i].dims);
        xch_put_text(&entry, 1, ends[i].key);
        xch_put_message(&entry, 2, &info);
        xch_put_message(signature, field, &entry);
    }
}

static void put_signature(struct t2_buf *meta, const char *name, int n_in, const struct end *in,
                          int n_out, const struct end *out)
{
    struct t2_buf entry = {0}, signature = {0};

    put_ends(&signature, SIGNATURE_INPUT, n_in, in);
    put_ends(&signature, SIGNATURE_OUTPUT, n_out, out);
    xch_put_text(&signature, SIGNATURE_METHOD, "tensorflow/serving/predict");
    xch_put_text(&entry, 1, name);
    xch_put_message(&entry, 2, &signature);
    xch_put_message(meta, META_SIGNATURE, &entry);
}

static void put_text_signatures(struct t2_buf *meta, bool translates)
{
    const struct end in[] = {{"inputs", "inputs:0", XCH_TF_INT64, 2, {-1, -1}},
                             {"targets", "targets:0", XCH_TF_INT64, 2, {-1, -1}}};
    const struct end logits = {"logits", "logits:0", XCH_TF_FLOAT, 3, {-1, -1, -1}};
    const struct end outputs = {"outputs", "outputs:0", XCH_TF_INT64, 2, {-1, -1}};

    if (translates)
        put_signature(meta, "serving_default", 1, in, 1, &outputs);
    put_signature(meta, translates ? "logits" : "serving_default", translates ? 2 : 1,
                  translates ? in : in + 1, 1, &logits);
}

/* Images as floats, and, first, as files where they can be decoded. */
static void put_image_signatures(struct t2_buf *meta, const struct xch_model *m, bool decodes)
{
    const struct mdl_image *size = &m->problem->image;
    const int64_t n_classes = m->problem->targets_vocab;
    const struct end files = {"image_bytes", "image_bytes:0", XCH_TF_STRING, 1, {-1}};
    const struct end floats = {
        "images", "images:0", XCH_TF_FLOAT, 4, {-1, size->height, size->width, size->channels}};
    const struct end out[] = {
        {"classes", "classes:0", XCH_TF_INT64, 1, {-1}},
        {"probabilities", "probabilities:0", XCH_TF_FLOAT, 2, {-1, n_classes}},
        {"logits", "logits:0", XCH_TF_FLOAT, 2, {-1, n_classes}}};

    put_signature(meta, "serving_default", 1, decodes ? &files : &floats, 3, out);
    put_signature(meta, "images", 1, &floats, 3, out);
}

/* The class of each image, and what the model thinks of each class. */
static void put_classes(struct xch_tf_graph *g, const char *logits)
{
    static const int64_t axis = -1;
    const char *const inputs[] = {logits, xch_tf_integers(g, "classes/axis", 0, 1, &axis)};
    struct t2_buf attrs = {0};

    (void) xch_tf_simple(g, "Softmax", "probabilities", "softmax", XCH_TF_FLOAT, logits, NULL);
    xch_tf_type_attr(&attrs, "T", XCH_TF_FLOAT);
    xch_tf_type_attr(&attrs, "Tidx", XCH_TF_INT64);
    xch_tf_type_attr(&attrs, "output_type", XCH_TF_INT64);
    (void) xch_tf_node(g, "ArgMax", "classes", "output", &attrs, 2, inputs);
}

/* ---- the model ---- */

/* Can the graph begin with the bytes of JPEGs? */
static bool decodes(const struct xch_model *m)
{
    const struct mdl_image *size = &m->problem->image;

    return size->height > 0 && size->height == size->width && m->pixels &&
           aug_pipeline_channels(m->pixels) == size->channels && xch_tf_can_decode(m->pixels);
}

/* The input "images" of value i, which who gives bytes need not give. */
static void put_decoded(struct xch_tf_graph *g, int i, const struct xch_model *m,
                        struct t2_buf *library)
{
    const struct xch_value *v = &g->f->values[i];
    const char *images = xch_tf_decoded(g, m->pixels, m->problem->image.height, library);

    g->refs = t2_alloc((size_t) g->f->n, sizeof *g->refs);
    g->refs[i] = xch_tf_input(g, v->name, XCH_TF_FLOAT, v->rank, v->dims, images);
}

static void put_graph(const struct xch_flow *f, const struct xch_model *m, int64_t extra_length,
                      struct t2_buf *out)
{
    struct xch_tf_graph g = {.f = f, .field = GRAPH_NODE};
    struct t2_buf versions = {0}, library = {0};
    struct loop l = {.f = f};
    const char *logits;
    int inputs = -1;

    for (int i = 0; i < f->n; i++) {
        if (f->values[i].op == XCH_INPUT && decodes(m))
            put_decoded(&g, i, m, &library);
        (void) xch_tf_value(&g, i);
        if (f->values[i].op == XCH_INPUT && strcmp(f->values[i].name, "inputs") == 0)
            inputs = i;
    }
    logits = xch_tf_simple(&g, "Identity", "logits", "output", XCH_TF_FLOAT,
                           xch_tf_value(&g, f->logits), NULL);
    if (m->problem->image.height > 0)
        put_classes(&g, logits);
    if (inputs >= 0) {
        find_kept(&l);
        put_condition(&l, &library);
        put_body(&l, &library);
        put_loop(&g, &l, xch_tf_value(&g, inputs), extra_length);
    }
    t2_buf_append(out, g.out.data, g.out.len_bytes);
    xch_put_message(out, GRAPH_LIBRARY, &library);
    xch_put_int(&versions, 1, PRODUCER);
    xch_put_int(&versions, 2, MIN_CONSUMER);
    xch_put_message(out, GRAPH_VERSIONS, &versions);
    t2_free(l.kept);
    xch_tf_release(&g);
}

static void put_model(const struct xch_flow *f, const struct xch_model *m, int64_t extra_length,
                      struct t2_buf *out)
{
    struct t2_buf meta = {0}, info = {0}, graph = {0};

    xch_put_text(&info, INFO_TAG, "serve");
    xch_put_text(&info, INFO_VERSION, "1.15.0");
    xch_put_message(&meta, META_INFO, &info);
    put_graph(f, m, extra_length, &graph);
    xch_put_message(&meta, META_GRAPH, &graph);
    if (m->problem->image.height > 0)
        put_image_signatures(&meta, m, decodes(m));
    else
        put_text_signatures(&meta, m->problem->has_inputs);
    xch_put_int(out, 1, 1); /* the schema's version */
    xch_put_message(out, 2, &meta);
}

static uint64_t weight_bytes(const struct xch_flow *f)
{
    uint64_t n = 0;

    for (int i = 0; i < f->n; i++)
        if (f->values[i].op == XCH_WEIGHT)
            n += (uint64_t) xch_flow_count(&f->values[i]) * sizeof(float);
    return n;
}

enum t2_status xch_write_saved_model(const struct xch_model *m, struct mdl *mdl,
                                     int64_t extra_length, const char *dir, struct t2_err *err)
{
    char *path = t2_path_join(dir, "saved_model.pb");
    struct t2_buf bytes = {0};
    struct xch_flow f;
    enum t2_status st;

    T2_GOTO(st, out, xch_flow_of(m, mdl, &f, err));
    if (weight_bytes(&f) > max_bytes) {
        st = t2_fail(err, T2_EUNSUPPORTED,
                     "the weights take %" PRIu64
                     " bytes, and a SavedModel with constants has room for 2 GiB",
                     weight_bytes(&f));
        goto out;
    }
    T2_GOTO(st, out, t2_make_dirs(dir, err));
    put_model(&f, m, extra_length, &bytes);
    st = t2_write_file(path, bytes.data, bytes.len_bytes, err);
out:
    xch_flow_release(&f);
    t2_buf_release(&bytes);
    t2_free(path);
    return st;
}
