/*
 * datagen/problems/problem_snli_trees.c - inference_snli32k: one of the seven names that T2T serves
 * without registering them (spec t2t-datagen.md §1.5): the words of SNLI's parse trees, two
 * sentences in a row.
 */
#include <string.h>

#include "base/alloc.h"
#include "datagen/feature_list.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/line_stream.h"
#include "datagen/problems/vocab_specs.h"

enum { LABEL = 0, FIRST_TREE = 3, SECOND_TREE = 4, N_COLUMNS = 5 };
enum { SEPARATOR = 2, VOCAB_LINES = 1000000 };

/* clang-format off */
static const char *const labels[] = {"contradiction", "entailment", "neutral"};
static const struct dg_source_file snli_file = {
    .urls = (const char *const[]){"https://nlp.stanford.edu/projects/snli/snli_1.0.zip", NULL},
    .about_bytes = 94550081,
    .licence = "CC BY-SA 4.0",
};
/* clang-format on */
static const struct dg_source snli = {.file = &snli_file, .sign = "snli_1.0"};
static const struct dg_line_files train[] = {{&snli, "snli_1.0/snli_1.0_train.txt"}, {NULL, NULL}};
static const struct dg_line_files dev[] = {{&snli, "snli_1.0/snli_1.0_dev.txt"}, {NULL, NULL}};

struct state {
    struct t2_buf first, second;
    int64_t label;
    bool has_header;
    uint64_t n;
};

/* The leaves of "(ROOT (NP (DT A) (NN dog)))": "A dog".  false: it is none. */
static bool leaves(struct t2_slice tree, struct t2_buf *text)
{
    bool any = false;

    t2_buf_clear(text);
    while (tree.len_bytes) {
        const uint8_t *blank = memchr(tree.data, ' ', tree.len_bytes);
        size_t n = blank ? (size_t) (blank - tree.data) : tree.len_bytes, i;
        bool is_leaf = n > 0 && tree.data[n - 1] == ')';
        if (!is_leaf && (n == 0 || tree.data[0] != '('))
            return false;
        if (is_leaf && any)
            t2_buf_push(text, ' ');
        for (i = 0; is_leaf && i < n; i++) {
            if (tree.data[i] != ')')
                t2_buf_push(text, tree.data[i]);
        }
        any = any || is_leaf;
        tree.data += n + (blank != NULL);
        tree.len_bytes -= n + (blank != NULL);
    }
    return true;
}

static bool read_row(struct state *s, struct t2_slice line, const char **drop)
{
    struct t2_slice columns[N_COLUMNS];
    int n, i;

    for (n = 0; n < N_COLUMNS; n++) {
        const uint8_t *tab = line.len_bytes ? memchr(line.data, '\t', line.len_bytes) : NULL;
        columns[n] =
            (struct t2_slice){line.data, tab ? (size_t) (tab - line.data) : line.len_bytes};
        if (!tab)
            break;
        line.len_bytes -= columns[n].len_bytes + 1;
        line.data = tab + 1;
    }
    if (n < N_COLUMNS - 1) {
        *drop = "a row with fewer columns than two trees need";
        return true;
    }
    if (t2_slice_eq(columns[LABEL], t2_slice_of("-")))
        return false; /* the annotators did not agree */
    for (i = 0; i < 3 && !t2_slice_eq(columns[LABEL], t2_slice_of(labels[i])); i++)
        continue;
    s->label = i;
    if (i == 3)
        *drop = "a label that is none of the three";
    else if (!leaves(columns[FIRST_TREE], &s->first) || !leaves(columns[SECOND_TREE], &s->second))
        *drop = "not a tree in brackets";
    return true;
}

static bool take_row(const void *context, void *state, const struct t2_slice *line,
                     struct dg_sample *sample)
{
    struct state *s = state;

    (void) context;
    if (!line)
        return false;
    if (!s->has_header) {
        s->has_header = true;
        return false;
    }
    if (!read_row(s, *line, &sample->drop))
        return false;
    sample->inputs = t2_buf_slice(&s->first);
    sample->context = t2_buf_slice(&s->second);
    sample->numbers[DG_TARGETS] = &s->label;
    sample->n_numbers[DG_TARGETS] = 1;
    return true;
}

/* The vocabulary's text: both sentences as one line. */
static bool take_joined(const void *context, void *state, const struct t2_slice *line,
                        struct dg_sample *sample)
{
    struct state *s = state;

    if (!line || s->n >= VOCAB_LINES || !take_row(context, state, line, sample))
        return false;
    if (!sample->drop) {
        s->n++;
        t2_buf_push(&s->first, ' ');
        t2_buf_append(&s->first, s->second.data, s->second.len_bytes);
    }
    *sample = (struct dg_sample){.inputs = t2_buf_slice(&s->first),
                                 .inputs_origin = sample->inputs_origin,
                                 .targets_origin = sample->targets_origin,
                                 .drop = sample->drop};
    return true;
}

static void release_state(void *state)
{
    struct state *s = state;

    t2_buf_release(&s->first);
    t2_buf_release(&s->second);
}

static const struct dg_line_rule row_rule = {.state_bytes = sizeof(struct state),
                                             .take = take_row,
                                             .release = release_state};
static const struct dg_line_rule joined_rule = {.state_bytes = sizeof(struct state),
                                                .take = take_joined,
                                                .release = release_state};

static enum t2_status open_vocab_text(const struct dg_problem *p, const struct dg_options *options,
                                      enum dg_side_index side, struct dg_stream **stream,
                                      struct t2_err *err)
{
    (void) p;
    (void) side;
    return dg_line_stream_new(train, &joined_rule, NULL, options, stream, err);
}

/* inputs, 2, the second sentence: one feature. */
static enum t2_status join_sentences(const struct dg_problem *p, const struct dg_texts *texts,
                                     struct dg_record *r, struct t2_err *err)
{
    struct dg_feature *inputs = dg_record_find(r, "inputs");
    const struct dg_feature *second = dg_record_find(r, "context");

    (void) p;
    (void) texts;
    (void) err;
    inputs->ints[inputs->n - 1] = SEPARATOR; /* in place of EOS */
    for (size_t i = 0; i < second->n; i++)
        dg_feature_push(inputs, second->ints[i]);
    dg_record_remove(r, "context");
    return T2_OK;
}

static const struct dg_problem inference_snli32k = {
    .name = "inference_snli32k",
    .summary =
        "SNLI: the words of the trees of two sentences, and whether one follows from the other",
    .has_inputs = true,
    .inputs_vocab = {.kind = DG_VOCAB_SUBWORDS,
                     .approx_size = 32768,
                     .file = "vocab.subword_text_encoder",
                     .any_length = true},
    .targets_vocab = DG_LABELS(labels),
    .n_shards = {10, 1, 0},
    .text.context = DG_CONTEXT_FEATURE,
    .record.finish = join_sentences,
    .sources = (const struct dg_source_file *const[]){&snli_file, NULL},
    .prepare = dg_line_problem_prepare,
    .open = dg_line_problem_open,
    .vocab.open_text = open_vocab_text,
    .describe = dg_line_problem_describe,
    .context = &(const struct dg_line_problem){{train, dev, NULL}, &row_rule, 0},
};

const struct dg_family dg_family_snli_trees = {"Inference on parse trees", &inference_snli32k, 1};
