/*
 * train/runs/memory_plan.c - the memory that a run needs, and the batch size that fits.
 *
 * sum = variables + gradients + slots + averages + arena + data + program.  All but the last are
 * known exactly before any of it is allocated: the graphs of all batch shapes are built and planned
 * without running them, the optimizer counts its slots.  The
 * program's own part is measured when the device is open, plus what is allocated later: stacks and
 * packing per thread, code that oneDNN writes.  On a device with memory of its own the last two are
 * the host's, the others and batches on their way the device's, and each has its limit.
 * --batch_size=auto is a search over multiples of a step for the largest that helps, for which no
 * graph is planned, and from there down, by halving the interval, for one that fits, with the same
 * sums; nothing is tried out.
 */
#include "train/runs/memory_plan.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/memory_available.h"
#include "base/progress.h"
#include "base/signals.h"
#include "train/ckpt/safetensors.h"
#include "train/runs/data_shards.h"
#include "train/runs/shared_optimizer.h"

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t data_bytes(const struct tr_run *r)
{
    return (r->train ? in_stats_of(r->train).memory_bytes : 0) +
           (r->eval ? in_stats_of(r->eval).memory_bytes : 0);
}

/* The part of data_bytes that is allocated with the first batch; hp: with another batch_size, or
 * NULL. */
static uint64_t later_bytes(const struct tr_run *r, const struct mdl_hparams *hp)
{
    const struct in_input *const inputs[] = {r->train, r->eval};
    uint64_t bytes = 0;

    for (int i = 0; i < 2; i++)
        if (inputs[i])
            bytes += hp ? in_later_bytes(inputs[i], hp) : in_stats_of(inputs[i]).later_bytes;
    return bytes;
}

/* Of the device's kernels and of the host, which are the same where they are as many. */
static int n_threads(const struct dev *dev)
{
    int host = dev_host_threads(dev), kernels = t2_pool_threads(dev->pool);

    return kernels == 1 || kernels == host ? host : kernels + host;
}

enum { MIB = 1 << 20 };

static uint64_t library_bytes(const struct dev *dev, enum dev_library_use use)
{
    const uint64_t unknown = use == DEV_LIBRARY_PRODUCTS ? 4 * MIB : 0;

    return dev->library_bytes ? dev->library_bytes(dev, use) : unknown;
}

uint64_t tr_program_bytes(const struct dev *dev, uint64_t now_bytes, bool multiplies)
{
    enum { ONCE = 3 * MIB }; /* stacks, graphs, buffers of files */

    return ONCE + (now_bytes + MIB - 1) / MIB * MIB +
           (multiplies ? library_bytes(dev, DEV_LIBRARY_PRODUCTS) + (uint64_t) n_threads(dev) * MIB
                       : 0) +
           library_bytes(dev, DEV_LIBRARY_FUNCTIONS);
}

void tr_measure_program(struct tr_run *r)
{
    uint64_t now = t2_memory_resident(), data = data_bytes(r) - later_bytes(r, NULL);

    r->program_bytes = tr_program_bytes(r->dev, now > data ? now - data : 0, true);
}

/* What a save copies: of several ranks each copies its part, and of shared slots it has no more. */
static uint64_t copies_of_save(const struct tr_run *r, const struct tr_memory *m, uint64_t values)
{
    enum { CUTS = 4 * 4096 }; /* parts meet at pages of a file */
    uint64_t n = (uint64_t) dist_size(r->dist), slots = m->optimizer + m->averages;

    return n == 1 ? values + slots : values / n + (tr_share(r).n > 1 ? slots : slots / n) + CUTS;
}

/* With other batches than r->plan's, and their later_bytes. */
static struct tr_memory memory_with(const struct tr_run *r, const struct tr_batch_plan *plan,
                                    uint64_t later)
{
    const struct gr_params *params = mdl_params(r->model);
    const uint64_t values = (uint64_t) params->n_floats * sizeof(float);
    struct tr_memory m = {.parameters = values + gr_rounded_bytes(params),
                          .rounded = gr_rounded_bytes(params),
                          .optimizer = r->optimizer_bytes.slots,
                          .averages = r->optimizer_bytes.averages,
                          .activations = plan->arena,
                          .data = data_bytes(r) - later_bytes(r, NULL) + later,
                          .program = r->program_bytes + plan->convolutions};
    struct dev_bytes of_shards = {0};

    if (r->options.train)
        m.gradients = values;
    if (r->shards)
        tr_shards_bytes(r->shards, &of_shards.device, &of_shards.host);
    m.gradients += of_shards.device;
    m.program += of_shards.host;
    if (!r->dev->host_memory) {
        /* with the sums of a batch, and what looks for numbers that are not finite */
        m.batches = plan->sent + mdl_table_bytes(r->model, plan->positions) +
                    mdl_small_bytes(r->model) +
                    ((uint64_t) params->n_variables + r->optimizer_bytes.n_slots) * sizeof(int64_t);
        if (r->options.train)
            m.saves = smaller(CKPT_PIECE_BYTES, copies_of_save(r, &m, values));
    }
    if (r->saves_aside)
        m.saves = copies_of_save(r, &m, values);
    dev_bytes_add(r->dev, &m.both,
                  m.parameters + m.gradients + m.optimizer + m.averages + m.activations + m.batches,
                  m.data + m.saves + m.program);
    m.sum = m.both.device + m.both.host;
    return m;
}

uint64_t tr_memory_of_save(const struct tr_run *r, const struct tr_memory *m)
{
    uint64_t copies = copies_of_save(r, m, m->parameters - m->rounded);

    return copies > m->saves ? copies - m->saves : 0;
}

struct tr_memory tr_memory_of(const struct tr_run *r)
{
    return memory_with(r, &r->plan, later_bytes(r, NULL));
}

/* plan: grows to what batches of this input need. */
static enum t2_status add_input(struct tr_run *r, enum mdl_mode mode, const struct in_input *in,
                                const struct mdl_hparams *hp, struct tr_batch_plan *plan,
                                struct t2_err *err)
{
    struct mdl_shape *shapes;
    uint64_t arena = 0;
    enum t2_status st;
    size_t n;

    if (!in)
        return T2_OK;
    T2_TRY(in_shapes(in, hp, &shapes, &n, err));
    st = mdl_plan_bytes(r->model, mode, shapes, n, &arena, err);
    plan->arena = larger(plan->arena, arena);
    if (mdl_convolves(r->model))
        plan->convolutions = library_bytes(r->dev, DEV_LIBRARY_CONVOLUTIONS);
    for (size_t i = 0; i < n; i++)
        plan->sent = larger(plan->sent, mdl_sent_bytes(r->model, &shapes[i]));
    if (plan->positions < mdl_positions_of(r->model, shapes, n))
        plan->positions = mdl_positions_of(r->model, shapes, n);
    t2_free(shapes);
    return st;
}

enum t2_status tr_plan_batches(struct tr_run *r, const struct mdl_hparams *hp,
                               struct tr_batch_plan *plan, struct t2_err *err)
{
    *plan = (struct tr_batch_plan){0};
    T2_TRY(add_input(r, MDL_TRAIN, r->train, hp, plan, err));
    return add_input(r, MDL_EVAL, r->eval, hp, plan, err);
}

/* What published runs have at most, where the rate is made for it: batches beyond it take longer
 * and teach little more. */
enum { MOST_TOKENS = 1 << 15, MOST_IMAGES = 1 << 13 };

/* A batch that is found must not be larger than an epoch, neither in samples nor in ids, nor than
 * what helps. */
static enum t2_status is_useful(struct tr_run *r, const struct mdl_hparams *hp, bool *useful,
                                struct t2_err *err)
{
    const bool images = tr_counts_rows(r);
    struct mdl_shape *shapes;
    size_t n;

    *useful = mdl_hp_int(hp, "batch_size") <= (images ? MOST_IMAGES : MOST_TOKENS);
    if (!r->train || !*useful)
        return T2_OK;
    if (!images && (uint64_t) mdl_hp_int(hp, "batch_size") > in_stats_of(r->train).n_longer_tokens)
        *useful = false;
    T2_TRY(in_shapes(r->train, hp, &shapes, &n, err));
    for (size_t i = 0; i < n; i++)
        *useful &= (uint64_t) shapes[i].batch <= in_stats_of(r->train).n_kept;
    t2_free(shapes);
    return T2_OK;
}

/* Is this batch size one to take: does it help, and, if graphs are to be planned for that, fit? */
static enum t2_status may_choose(struct tr_run *r, int64_t batch_size, bool plans, bool *may,
                                 struct t2_err *err)
{
    struct mdl_hparams *hp = mdl_hparams_copy(r->hp);
    struct tr_batch_plan plan;
    struct tr_memory m;
    enum t2_status st = T2_OK;

    mdl_hp_set_int(hp, "batch_size", batch_size);
    *may = true;
    if (plans) {
        st = tr_plan_batches(r, hp, &plan, err);
        m = memory_with(r, &plan, later_bytes(r, hp));
        *may = dev_bytes_fit(&m.both, &r->limit);
    } else if (batch_size > tr_batch_size_step(r)) { /* there is no smaller one */
        st = is_useful(r, hp, may, err);
    }
    mdl_hparams_free(hp);
    return st == T2_OK ? t2_check_interrupt(err) : st;
}

int64_t tr_batch_size_step(const struct tr_run *r)
{
    return tr_counts_rows(r) ? 1 : TR_BATCH_SIZE_STEP;
}

/* The largest number of steps from *takes on, which is taken, that is below `fails`. */
static enum t2_status halve(struct tr_run *r, bool plans, int64_t fails, int64_t *takes,
                            struct t2_err *err)
{
    while (fails - *takes > 1) {
        int64_t middle = *takes + (fails - *takes) / 2;
        bool may;

        T2_TRY(may_choose(r, middle * tr_batch_size_step(r), plans, &may, err));
        if (may)
            *takes = middle;
        else
            fails = middle;
    }
    return T2_OK;
}

enum t2_status tr_fit_batch_size(struct tr_run *r, int64_t *batch_size, struct t2_err *err)
{
    enum { FURTHER = 4 };
    const int64_t step = tr_batch_size_step(r);
    int64_t useful = 1, fails = 2, fits = 0; /* in steps */
    bool may;

    for (;; useful = fails, fails *= 2) { /* ends where it does not help */
        T2_TRY(may_choose(r, fails * step, false, &may, err));
        if (!may)
            break;
    }
    T2_TRY(halve(r, false, fails, &useful, err));
    T2_TRY(may_choose(r, useful * step, true, &may, err)); /* as a rule it fits */
    if (may)
        fits = useful;
    else
        T2_TRY(halve(r, true, useful, &fits, err));
    /* Convolutions are cut into pieces of as many images as divide the batch: a larger one may take
     * less. */
    for (int64_t k = fits + 1; fits > 0 && k <= fits + FURTHER && k < useful; k++) {
        T2_TRY(may_choose(r, k * step, true, &may, err));
        if (may)
            fits = k;
    }
    *batch_size = fits * step;
    return T2_OK;
}

/* The memory of which a plan needs more than there is. */
struct lack {
    const char *memory;
    uint64_t needed, there;
};

static struct lack lack_of(const struct tr_run *r, const struct dev_bytes *needed)
{
    if (needed->device > r->limit.device)
        return (struct lack){"device memory", needed->device, r->limit.device};
    return (struct lack){r->dev->host_memory ? "memory" : "the host's memory", needed->host,
                         r->limit.host};
}

/* ---- refusals ---- */

/* The plan of a memory by class: "parameters 1.2 MB, gradients 1.2 MB, ...". */
static char *text_of_plan(const struct tr_run *r, const struct tr_memory *m, bool of_device)
{
    const struct {
        const char *name;
        uint64_t bytes;
        bool on_device;
    } classes[] = {{"parameters", m->parameters, true},
                   {"gradients", m->gradients, true},
                   {"optimizer", m->optimizer, true},
                   {"averages", m->averages, true},
                   {"activations", m->activations, true},
                   {"batches", m->batches, true},
                   {"data", m->data, false},
                   {"saves", m->saves, false},
                   {"program", m->program, false}};
    struct t2_buf text = {0};
    char human[32];

    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (classes[i].bytes > 0 && (r->dev->host_memory || classes[i].on_device == of_device))
            t2_buf_printf(&text, "%s%s %s", text.len_bytes > 0 ? ", " : "", classes[i].name,
                          t2_human_bytes(classes[i].bytes, human, sizeof human));
    return t2_buf_detach(&text);
}

/* A way to train this model at all: with the smallest batch. */
struct way {
    bool remat;
    const char *optimizer; /* NULL: the run's */
    const char *text;
};

static const struct way ways[] = {{true, NULL, "--remat=layer"},
                                  {false, "Adafactor", "--hparams=optimizer=Adafactor"},
                                  {true, "Adafactor",
                                   "--hparams=optimizer=Adafactor --remat=layer"}};

/* Does the smallest batch fit so?  Leaves the run as it was. */
static bool fits_by(struct tr_run *r, const struct way *w)
{
    const struct opt_bytes before = r->optimizer_bytes;
    struct mdl_hparams *hp = mdl_hparams_copy(r->hp);
    struct t2_err ignored = T2_ERR_INIT;
    struct tr_batch_plan plan;
    struct tr_memory m;
    bool fits;

    mdl_hp_set_int(hp, "batch_size", tr_batch_size_step(r));
    if (w->optimizer)
        mdl_hp_set_string(hp, "optimizer", w->optimizer);
    mdl_set_remat(r->model, r->options.remat || w->remat);
    fits = (!w->optimizer ||
            opt_plan(hp, mdl_params(r->model), &r->optimizer_bytes, &ignored) == T2_OK) &&
           tr_plan_batches(r, hp, &plan, &ignored) == T2_OK;
    if (fits) {
        m = memory_with(r, &plan, later_bytes(r, hp));
        fits = dev_bytes_fit(&m.both, &r->limit);
    }
    mdl_set_remat(r->model, r->options.remat);
    r->optimizer_bytes = before;
    mdl_hparams_free(hp);
    return fits;
}

static const char *way_that_fits(struct tr_run *r)
{
    for (size_t i = 0; r->options.train && i < sizeof ways / sizeof *ways; i++)
        if (fits_by(r, &ways[i]))
            return ways[i].text;
    return NULL;
}

/* Not even the smallest batch fits; m: the plan with it, or without any. */
static enum t2_status fail_model(struct tr_run *r, const struct tr_memory *all, struct t2_err *err)
{
    struct tr_memory m = memory_with(r, &(struct tr_batch_plan){0}, later_bytes(r, NULL));
    bool of_device = all->both.device > r->limit.device;
    struct lack l = lack_of(r, &all->both);
    const char *way = way_that_fits(r);
    char *text = text_of_plan(r, all, of_device);
    char needed[32], there[32];

    (void) t2_fail(err, T2_ENOMEM,
                   "the model needs %s before the first batch, and there are %s of %s; take a "
                   "smaller --hparams_set%s%s; the plan: %s",
                   t2_human_bytes(of_device ? m.both.device : m.both.host, needed, sizeof needed),
                   t2_human_bytes(l.there, there, sizeof there), l.memory,
                   way ? ", or a small --batch_size with " : "", way ? way : "", text);
    t2_free(text);
    return T2_ENOMEM;
}

enum t2_status tr_check_model(struct tr_run *r, struct t2_err *err)
{
    struct tr_memory m = tr_memory_of(r);

    return dev_bytes_fit(&m.both, &r->limit) ? T2_OK : fail_model(r, &m, err);
}

enum t2_status tr_check_memory(struct tr_run *r, struct t2_err *err)
{
    struct tr_memory m = tr_memory_of(r);
    struct lack l = lack_of(r, &m.both);
    char needed[32], there[32], *text;
    bool remat_helps = r->options.train && !r->options.remat &&
                       (r->dev->host_memory || m.both.device > r->limit.device);
    int64_t fits;

    if (dev_bytes_fit(&m.both, &r->limit))
        return T2_OK;
    T2_TRY(tr_fit_batch_size(r, &fits, err));
    if (fits == 0)
        return fail_model(r, &m, err);
    text = text_of_plan(r, &m, m.both.device > r->limit.device);
    (void) t2_fail(err, T2_ENOMEM,
                   "batch_size=%" PRId64 " needs %s of %s, and there are %s; --batch_size=%" PRId64
                   " fits (auto finds it)%s; the plan: %s",
                   mdl_hp_int(r->hp, "batch_size"), t2_human_bytes(l.needed, needed, sizeof needed),
                   l.memory, t2_human_bytes(l.there, there, sizeof there), fits,
                   remat_helps ? ", or more with --remat=layer, which needs less and takes longer"
                               : "",
                   text);
    t2_free(text);
    return T2_ENOMEM;
}
