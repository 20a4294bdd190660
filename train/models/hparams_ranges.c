/*
 * train/models/hparams_ranges.c - values that no model and no optimizer can mean, or that nothing
 * here does.
 *
 * What a model can do within these ranges it says itself; here stands what would overflow a size,
 * or keep the program busy for ever, whoever reads it.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "train/models/hparams_store.h"

enum { WIDEST = 1 << 20, MOST_LAYERS = 1000, MOST_BLOCKS = 200, LARGEST_KERNEL = 1001 };

/* Both ends belong to the range; of lists every entry. */
static const struct {
    const char *name;
    int64_t least, most;
} ranges[] = {
    {"batch_size", 1, 1000000000},
    {"batch_shuffle_size", 0, INT32_MAX},
    {"init_kernel_size", 1, LARGEST_KERNEL},
    {"init_stride", 1, LARGEST_KERNEL},
    {"filter_size", 1, WIDEST},
    {"filter_sizes", 1, WIDEST},
    {"hidden_size", 1, WIDEST},
    {"kernel_height", 1, LARGEST_KERNEL},
    {"kernel_width", 1, LARGEST_KERNEL},
    {"ksize1", 1, LARGEST_KERNEL},
    {"ksize2", 1, LARGEST_KERNEL},
    {"layer_sizes", 1, MOST_BLOCKS},
    {"bottleneck_ratios", 1, WIDEST},
    {"nfil1", 1, WIDEST},
    {"nfil2", 1, WIDEST},
    {"num_block_repeat", 1, MOST_LAYERS},
    {"num_channels", 1, WIDEST},
    {"num_channels_init_block", 1, WIDEST},
    {"num_heads", 1, WIDEST},
    {"num_hidden_layers", 0, MOST_LAYERS},
    {"num_layers_per_block", 1, MOST_BLOCKS},
    {"strides", 1, LARGEST_KERNEL},
    {"vocab_divisor", 1, WIDEST},
};

static enum t2_status check_int(const char *name, int64_t value, struct t2_err *err)
{
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (strcmp(ranges[i].name, name) == 0 &&
            (value < ranges[i].least || value > ranges[i].most))
            return t2_fail(err, T2_EUSAGE,
                           "hparam %s=%" PRId64 " is not between %" PRId64 " and %" PRId64, name,
                           value, ranges[i].least, ranges[i].most);
    return T2_OK;
}

/* Tensors are of float32. */
static enum t2_status check_float(const char *name, double value, struct t2_err *err)
{
    if (fabs(value) <= (double) FLT_MAX)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE, "hparam %s=%g is not a finite number of float32", name, value);
}

/* Hparams whose effect in the original is not built: any value but the default is refused, not
 * passed over. */
static const struct {
    const char *name, *normal, *way_out;
} refused[] = {
    {"eval_run_autoregressive", "false",
     "translate with t2t-decoder and score with t2t-bleu instead"},
    {"overload_eval_metric_name", "", "metrics.jsonl has the scores of one problem only"},
    {"pretrained_model_dir", "", "begin with a copy of that run as --output_dir"},
    {"warm_start_from_second", "", "begin with a copy of that run as --output_dir"},
};

static enum t2_status check_refused(const struct mdl_hparams *hp, struct t2_err *err)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const struct mdl_value *v = mdl_hparams_find(hp, refused[i].name);

        if (!v)
            continue;
        mdl_read_mark_set(mdl_read_mark_of(refused[i].name));
        if (v->type == MDL_HP_BOOL ? !v->b : v->is_null || strcmp(v->s, refused[i].normal) == 0)
            continue;
        return t2_fail(err, T2_EUNSUPPORTED, "hparam %s is not supported (other than '%s'): %s",
                       refused[i].name, refused[i].normal, refused[i].way_out);
    }
    return T2_OK;
}

enum t2_status mdl_hparams_check(const struct mdl_hparams *hp, struct t2_err *err)
{
    T2_TRY(check_refused(hp, err));
    for (size_t i = 0; i < hp->n; i++) {
        const struct mdl_value *v = &hp->entries[i].value;
        const char *name = hp->entries[i].name;

        if (v->type == MDL_HP_INT)
            T2_TRY(check_int(name, v->i, err));
        else if (v->type == MDL_HP_FLOAT)
            T2_TRY(check_float(name, v->f, err));
        for (size_t k = 0; k < v->n; k++)
            T2_TRY(v->type == MDL_HP_INT_LIST ? check_int(name, v->ints[k], err)
                                              : check_float(name, v->floats[k], err));
    }
    return T2_OK;
}
