/*
 * train/trained/predict_values.c - see the header.
 *
 * Lines are read in blocks.  Models that read texts average over padding, too, so that a batch has
 * only texts of one length: a prediction then does not depend on what else is in the file.
 */
#include "train/trained/predict_values.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/progress.h"
#include "base/signals.h"
#include "base/text.h"

enum { BLOCK = 1024 };

bool tr_has_values(const struct mdl_problem *problem)
{
    return problem->table || problem->target != MDL_TARGET_IDS;
}

enum t2_status tr_check_of_values(const struct tr_trained *t, bool other, struct t2_err *err)
{
    if (!other || !tr_has_values(&t->data.problem))
        return T2_OK;
    return t2_fail(err, T2_EUNSUPPORTED,
                   "'%s' is of values, which --decode_from_file reads in one process; "
                   "--decode_interactive, --serve, --decode_reference, --keep_timestamp and mpirun "
                   "are for text",
                   t->state.problem);
}

/* A line of the block. */
struct row {
    size_t number; /* in the block */
    size_t first;  /* of its ids in predictor.ids */
    int32_t n_ids;
};

struct predictor {
    const struct tr_trained *t;
    const struct tr_predict_options *o;
    const char *from;
    struct t2_in *in;
    struct t2_out *out;
    int32_t batch_size, n_given; /* values of a prediction */
    struct row rows[BLOCK];
    size_t n_rows;
    uint64_t n_batches;
    struct tok_ids ids; /* of all rows, one behind the other */
    struct tok_cache *cache;
    float *numbers; /* (BLOCK, channels) */
    float *given;   /* (BLOCK, n_given), by the rows' numbers */
    /* Of a batch, in host memory of the device. */
    int32_t *inputs;
    float *images, *values;
    size_t inputs_capacity;
    struct mdl_shape fits; /* is known to fit */
    int32_t *labels;
    float *logits; /* (batch_size, n_given) */
    struct t2_buf line;
};

/* ---- a line ---- */

static bool is_between(uint8_t c)
{
    return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r';
}

static bool parse_number(struct t2_slice text, float *number)
{
    char digits[64];
    double value;

    if (text.len_bytes == 0 || text.len_bytes >= sizeof digits)
        return false;
    memcpy(digits, text.data, text.len_bytes);
    digits[text.len_bytes] = '\0';
    if (!t2_parse_double(digits, &value))
        return false;
    *number = (float) value;
    return isfinite(*number);
}

/* The next part of *rest; false: there is none. */
static bool next_part(struct t2_slice *rest, struct t2_slice *part)
{
    size_t n = 0;

    while (rest->len_bytes > 0 && is_between(rest->data[0])) {
        rest->data++;
        rest->len_bytes--;
    }
    while (n < rest->len_bytes && !is_between(rest->data[n]))
        n++;
    *part = (struct t2_slice){rest->data, n};
    rest->data += n;
    rest->len_bytes -= n;
    return n > 0;
}

static bool has_a_number(struct t2_slice line)
{
    struct t2_slice part;
    float number;

    while (next_part(&line, &part))
        if (parse_number(part, &number))
            return true;
    return false;
}

static enum t2_status parse_numbers(const struct predictor *p, struct t2_slice line, float *numbers,
                                    struct t2_err *err)
{
    int32_t wanted = p->t->data.problem.image.channels, n = 0;
    struct t2_slice part;

    for (; next_part(&line, &part); n++) {
        float number;

        if (!parse_number(part, &number))
            return t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 ": '%.*s' is no finite number",
                           p->from, t2_in_line_number(p->in),
                           part.len_bytes > 60 ? 60 : (int) part.len_bytes,
                           (const char *) part.data);
        if (n < wanted)
            numbers[n] = number;
    }
    if (n == wanted)
        return T2_OK;
    return t2_fail(err, T2_EFORMAT,
                   "'%s': line %" PRIu64 ": %" PRId32 " number%s; the model reads %" PRId32,
                   p->from, t2_in_line_number(p->in), n, n == 1 ? "" : "s", wanted);
}

static enum t2_status take_line(struct predictor *p, struct t2_slice line, struct t2_err *err)
{
    struct row *row = &p->rows[p->n_rows];

    *row = (struct row){.number = p->n_rows, .first = p->ids.n, .n_ids = 0};
    if (p->t->data.problem.table) {
        int64_t at = (int64_t) p->n_rows * p->t->data.problem.image.channels;

        T2_TRY(parse_numbers(p, line, p->numbers + at, err));
    } else {
        if (tok_encode(p->t->inputs, p->cache, line.data, line.len_bytes, &p->ids, err) != T2_OK)
            return t2_wrap(err, "'%s': line %" PRIu64, p->from, t2_in_line_number(p->in));
        tok_ids_append(&p->ids, &(int32_t){TOK_EOS}, 1);
        row->n_ids = (int32_t) (p->ids.n - row->first);
    }
    p->n_rows++;
    return T2_OK;
}

/* T2_EOF: there is no further line. */
static enum t2_status read_block(struct predictor *p, struct t2_err *err)
{
    p->n_rows = 0;
    p->ids.n = 0;
    while (p->n_rows < BLOCK) {
        struct t2_slice line;
        enum t2_status st = t2_in_line(p->in, &line, err);

        if (st == T2_EOF && p->n_rows > 0)
            return T2_OK;
        if (st != T2_OK)
            return st;
        if (p->t->data.problem.table && t2_in_line_number(p->in) == 1 && !has_a_number(line))
            continue;
        T2_TRY(take_line(p, line, err));
    }
    return T2_OK;
}

/* ---- batches ---- */

/* Rows of one length lie beside each other, in their order. */
static int by_length(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->n_ids != y->n_ids)
        return x->n_ids < y->n_ids ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static enum t2_status need_inputs(struct predictor *p, size_t n, struct t2_err *err)
{
    struct dev *dev = p->t->dev;

    if (n <= p->inputs_capacity)
        return T2_OK;
    mdl_forget_sent(p->t->m);
    dev->free_host(dev, p->inputs);
    p->inputs_capacity = 0;
    p->inputs = dev->alloc_host(dev, n * sizeof *p->inputs);
    if (!p->inputs)
        return t2_fail(err, T2_ENOMEM, "no memory for a batch of %zu ids", n);
    p->inputs_capacity = n;
    return T2_OK;
}

static struct mdl_batch empty_batch(const struct predictor *p, int32_t n)
{
    bool ids = p->t->data.problem.target == MDL_TARGET_IDS;

    return (struct mdl_batch){.batch = n,
                              .all_rows = n,
                              .targets_length = 1,
                              .targets = ids ? p->labels : NULL,
                              .n_values = ids ? 0 : p->n_given,
                              .values = ids ? NULL : p->values};
}

static enum t2_status fits(const struct predictor *p, const struct mdl_shape *shape, bool *it_does,
                           struct t2_err *err)
{
    uint64_t arena, host = (uint64_t) shape->batch * (uint64_t) shape->inputs_length * 4;
    struct dev_bytes needed = {0, 0};
    const struct dev_bytes limit = {dev_memory_left(p->t->dev),
                                    p->o->max_memory ? p->o->max_memory : UINT64_MAX};

    T2_TRY(mdl_plan_logits(p->t->m, shape, &arena, err));
    dev_bytes_add(p->t->dev, &needed, arena + mdl_packs_bytes(p->t->m), host);
    *it_does = dev_bytes_fit(&needed, &limit);
    return T2_OK;
}

/* Fewer of the n rows, where so many do not fit; one always does. */
static enum t2_status fit_batch(struct predictor *p, const struct row *rows, size_t *n,
                                struct t2_err *err)
{
    const bool table = p->t->data.problem.table;
    struct mdl_shape shape = {.batch = (int32_t) *n,
                              .inputs_length = rows->n_ids,
                              .targets_length = 1,
                              .height = table,
                              .width = table,
                              .channels = table ? p->t->data.problem.image.channels : 0};
    bool ok = shape.batch <= p->fits.batch && shape.inputs_length <= p->fits.inputs_length;

    if (p->t->data.problem.target != MDL_TARGET_IDS)
        shape.n_values = p->n_given;
    while (!ok && shape.batch > 1) {
        T2_TRY(fits(p, &shape, &ok, err));
        if (ok)
            p->fits = shape;
        else
            shape.batch /= 2;
    }
    *n = (size_t) shape.batch;
    return T2_OK;
}

static enum t2_status run_batch(struct predictor *p, const struct row *rows, int32_t n,
                                struct t2_err *err)
{
    size_t width = (size_t) p->t->data.problem.image.channels, length = (size_t) rows->n_ids;
    struct mdl_batch b = empty_batch(p, n);
    size_t given = (size_t) p->n_given;

    T2_TRY(t2_check_interrupt(err));
    if (p->t->data.problem.table) {
        for (int32_t i = 0; i < n; i++)
            memcpy(p->images + (size_t) i * width, p->numbers + rows[i].number * width,
                   width * sizeof *p->images);
        b.height = b.width = 1;
        b.channels = (int32_t) width;
        b.images = p->images;
    } else {
        T2_TRY(need_inputs(p, (size_t) n * length, err));
        for (int32_t i = 0; i < n; i++)
            memcpy(p->inputs + (size_t) i * length, p->ids.items + rows[i].first,
                   length * sizeof *p->inputs);
        b.inputs_length = rows->n_ids;
        b.inputs = p->inputs;
    }
    T2_TRY(mdl_class_logits(p->t->m, &b, p->logits, err));
    p->n_batches++;
    for (int32_t i = 0; i < n; i++)
        memcpy(p->given + rows[i].number * given, p->logits + (size_t) i * given,
               given * sizeof *p->given);
    return T2_OK;
}

static enum t2_status run_block(struct predictor *p, struct t2_err *err)
{
    if (!p->t->data.problem.table)
        qsort(p->rows, p->n_rows, sizeof *p->rows, by_length);
    for (size_t first = 0, n; first < p->n_rows; first += n) {
        for (n = 1; first + n < p->n_rows && n < (size_t) p->batch_size &&
                    p->rows[first + n].n_ids == p->rows[first].n_ids;
             n++)
            continue;
        T2_TRY(fit_batch(p, &p->rows[first], &n, err));
        T2_TRY(run_batch(p, &p->rows[first], (int32_t) n, err));
    }
    return T2_OK;
}

/* ---- a line of output ---- */

static void put_label(struct predictor *p, int32_t label)
{
    const char *const *names = p->t->data.view->targets.labels;

    if (names)
        t2_buf_puts(&p->line, names[label]);
    else
        t2_buf_printf(&p->line, "ID_%" PRId32, label);
}

static int32_t likeliest(const float *logits, int32_t n)
{
    int32_t best = 0;

    for (int32_t i = 1; i < n; i++)
        if (logits[i] > logits[best])
            best = i;
    return best;
}

static void put_line(struct predictor *p, const float *given)
{
    enum mdl_target_kind target = p->t->data.problem.target;
    bool first = true;

    if (target == MDL_TARGET_IDS)
        put_label(p, likeliest(given, p->n_given));
    for (int32_t i = 0; i < p->n_given && target != MDL_TARGET_IDS; i++) {
        if (target == MDL_TARGET_SET && !(given[i] > 0.0F))
            continue;
        if (!first)
            t2_buf_push(&p->line, target == MDL_TARGET_SET ? '|' : ',');
        first = false;
        if (target == MDL_TARGET_SET)
            put_label(p, i);
        else
            t2_buf_printf(&p->line, "%.9g", (double) given[i]);
    }
}

/* Of a set each label's own; of classes they are 1 together. */
static double probability(const struct predictor *p, const float *given, int32_t label)
{
    double most = (double) given[likeliest(given, p->n_given)], sum = 0.0;

    if (p->t->data.problem.target == MDL_TARGET_SET)
        return 1.0 / (1.0 + exp(-(double) given[label]));
    for (int32_t i = 0; i < p->n_given; i++)
        sum += exp((double) given[i] - most);
    return exp((double) given[label] - most) / sum;
}

static void put_name(struct predictor *p, struct t2_json *j, int32_t label, bool key)
{
    char number[24];
    const char *const *names = p->t->data.view->targets.labels;

    snprintf(number, sizeof number, "ID_%" PRId32, label);
    if (key)
        t2_json_key(j, names ? names[label] : number);
    else
        t2_json_string(j, names ? names[label] : number);
}

static void put_json(struct predictor *p, const float *given)
{
    enum mdl_target_kind target = p->t->data.problem.target;
    struct t2_json j;

    t2_json_init(&j, &p->line, 0);
    t2_json_object(&j);
    if (target == MDL_TARGET_IDS) {
        t2_json_key(&j, "class");
        put_name(p, &j, likeliest(given, p->n_given), false);
    } else {
        t2_json_key(&j, target == MDL_TARGET_SET ? "labels" : "targets");
        t2_json_array(&j);
        for (int32_t i = 0; i < p->n_given; i++) {
            if (target == MDL_TARGET_REALS)
                t2_json_float9(&j, (double) given[i]);
            else if (given[i] > 0.0F)
                put_name(p, &j, i, false);
        }
        t2_json_end_array(&j);
    }
    if (target != MDL_TARGET_REALS) {
        t2_json_key(&j, "probabilities");
        t2_json_object(&j);
        for (int32_t i = 0; i < p->n_given; i++) {
            put_name(p, &j, i, true);
            t2_json_float9(&j, probability(p, given, i));
        }
        t2_json_end_object(&j);
    }
    t2_json_end_object(&j);
}

static enum t2_status write_block(struct predictor *p, uint64_t before, struct t2_err *err)
{
    for (size_t r = 0; r < p->n_rows; r++) {
        const float *given = p->given + r * (size_t) p->n_given;

        for (int32_t i = 0; i < p->n_given; i++)
            if (!isfinite(given[i]))
                return t2_fail(err, T2_EFORMAT,
                               "the model gives row %" PRIu64 " of '%s' a value that is not finite",
                               before + r + 1, p->from);
        t2_buf_clear(&p->line);
        if (p->o->json)
            put_json(p, given);
        else
            put_line(p, given);
        t2_buf_push(&p->line, '\n');
        t2_out_write(p->out, p->line.data, p->line.len_bytes);
    }
    return T2_OK;
}

/* ---- all ---- */

static enum t2_status start(struct predictor *p, struct t2_err *err)
{
    const struct mdl_problem *problem = &p->t->data.problem;
    size_t width = (size_t) problem->image.channels, given, rows;
    struct dev *dev = p->t->dev;

    mdl_pack_weights(p->t->m);
    p->batch_size = p->o->batch_size < BLOCK ? (int32_t) p->o->batch_size : BLOCK;
    p->n_given = problem->targets_vocab;
    given = (size_t) p->n_given;
    rows = (size_t) p->batch_size;
    p->given = t2_alloc(BLOCK * given, sizeof *p->given);
    p->logits = t2_alloc(rows * given, sizeof *p->logits);
    if (problem->table)
        p->numbers = t2_alloc(BLOCK * width, sizeof *p->numbers);
    else
        p->cache = tok_cache_new(p->t->inputs, 1 << 20);
    p->images = problem->table ? dev->alloc_host(dev, rows * width * sizeof *p->images) : NULL;
    p->labels = dev->alloc_host(dev, rows * sizeof *p->labels);
    p->values = dev->alloc_host(dev, rows * given * sizeof *p->values);
    if (!p->labels || !p->values || (problem->table && !p->images))
        return t2_fail(err, T2_ENOMEM, "no memory for a batch of %zu rows", rows);
    memset(p->labels, 0, rows * sizeof *p->labels);
    memset(p->values, 0, rows * given * sizeof *p->values);
    T2_TRY(t2_in_new(p->o->from, &p->in, err));
    return t2_out_new(p->o->to, &p->out, err);
}

static void release(struct predictor *p)
{
    struct dev *dev = p->t->dev;

    mdl_forget_sent(p->t->m);
    dev->free_host(dev, p->inputs);
    dev->free_host(dev, p->images);
    dev->free_host(dev, p->labels);
    dev->free_host(dev, p->values);
    tok_cache_free(p->cache);
    tok_ids_release(&p->ids);
    t2_free(p->numbers);
    t2_free(p->given);
    t2_free(p->logits);
    t2_buf_release(&p->line);
    t2_in_free(p->in);
    t2_out_abort(p->out);
}

enum t2_status tr_predict_values(const struct tr_trained *t,
                                 const struct tr_predict_options *options,
                                 struct tr_predict_report *report, struct t2_err *err)
{
    struct predictor *p = t2_alloc(1, sizeof *p);
    double since = t2_now_s();
    enum t2_status st;

    *report = (struct tr_predict_report){0};
    *p = (struct predictor){.t = t, .o = options, .from = options->from};
    T2_GOTO(st, out, start(p, err));
    while ((st = read_block(p, err)) == T2_OK) {
        T2_GOTO(st, out, run_block(p, err));
        T2_GOTO(st, out, write_block(p, report->n_rows, err));
        report->n_rows += p->n_rows;
        report->n_batches = p->n_batches;
    }
    if (st == T2_EOF) {
        struct t2_out *written = p->out;

        p->out = NULL;
        st = t2_out_commit(written, err);
    }
    report->seconds = t2_now_s() - since;
out:
    release(p);
    t2_free(p);
    return st;
}
