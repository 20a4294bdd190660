/*
 * train/t2t_exporter_main.c - t2t-exporter: a trained model for other programs, or in one file.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/run_tool.h"
#include "base/shown.h"
#include "base/str.h"
#include "train/ckpt/bundle.h"
#include "train/decode/decode_hparams.h"
#include "train/exchange/check_logits.h"
#include "train/exchange/exchange.h"
#include "train/exchange/model_file.h"
#include "train/exchange/onnx.h"
#include "train/exchange/saved_model.h"
#include "train/runs/foreign_flags.h"
#include "train/runs/plugins.h"
#include "train/runs/registry_names.h"
#include "train/runs/run_hparams.h"
#include "train/trained/trained.h"

static struct {
    const char *output_dir, *checkpoint_path, *data_dir, *problem, *model, *hparams_set, *hparams;
    const char *decode_hparams, *export_dir, *format, *storage, *inspect, *device, *t2t_usr_dir;
    int64_t average_checkpoints;
    bool check;
    /* accepted by the original, not usable here */
    bool bool_later;
} flags = {.output_dir = "",
           .checkpoint_path = "",
           .data_dir = "",
           .problem = "",
           .model = "",
           .hparams_set = "",
           .hparams = "",
           .decode_hparams = "",
           .export_dir = "",
           .format = "tensorflow",
           .storage = "float32",
           .inspect = "",
           .device = "cpu",
           .t2t_usr_dir = "",
           .average_checkpoints = 1};

static bool given_as_text, given_tfhub;

/* clang-format off */
static const struct t2_flag table[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "The trained model", NULL},
    {"output_dir", T2_FLAG_STRING, &flags.output_dir, "DIR",
     "Folder of the training run, of this program or of Tensor2Tensor; its newest checkpoint is taken.", NULL},
    {"checkpoint_path", T2_FLAG_STRING, &flags.checkpoint_path, "STEP|FILE",
     "Another checkpoint: a step of --output_dir, or a file such as run/state-1000.json.", NULL},
    {"average_checkpoints", T2_FLAG_INT, &flags.average_checkpoints, "N",
     "Export the mean of the newest N checkpoints.", NULL},
    {"data_dir", T2_FLAG_STRING, &flags.data_dir, "DIR",
     "Folder of the data set it was trained on; its vocabulary is read.", NULL},
    {"problem", T2_FLAG_STRING, &flags.problem, "NAME",
     "Compared with what the checkpoint says; needed where it does not.", NULL},
    {"model", T2_FLAG_STRING, &flags.model, "NAME", "Likewise.", NULL},
    {"hparams_set", T2_FLAG_STRING, &flags.hparams_set, "NAME", "Likewise.", NULL},
    {"hparams", T2_FLAG_STRING, &flags.hparams, "LIST",
     "Overrides of the checkpoint's hparams, 'name=value,...'.", NULL},
    {"t2t_usr_dir", T2_FLAG_STRING, &flags.t2t_usr_dir, "DIR",
     "Plug-ins with models of your own (.so), as t2t-trainer had them.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "What is made of it", NULL},
    {"format", T2_FLAG_STRING, &flags.format, "NAME",
     "tensorflow: a checkpoint with optimizer, as Tensor2Tensor's trainer writes; ctranslate2: a folder for CTranslate2; marian: model.npz as Marian's; huggingface: one for transformers; onnx: model.onnx; saved_model: saved_model.pb for TensorFlow; bundle: one file for t2t-decoder --model=FILE, with vocabulary, hparams and settings.", NULL},
    {"export_dir", T2_FLAG_STRING, &flags.export_dir, "DIR",
     "Where it goes; of a bundle the file. Without it 'export', or 'export/model.safetensors', in the checkpoint's folder.", NULL},
    {"storage", T2_FLAG_STRING, &flags.storage, "TYPE",
     "Of a bundle: float32, bfloat16, or int8 with scales, in which matrices are kept.", NULL},
    {"decode_hparams", T2_FLAG_STRING, &flags.decode_hparams, "LIST",
     "Of a bundle: what decoding begins with, 'beam_size=4,alpha=0.6'.", NULL},
    {"check", T2_FLAG_BOOL, &flags.check, NULL,
     "Read back what was written, run both models, and print the largest difference of logits; of a format that only others read, leave made-up examples and their logits beside it, in check.safetensors.", NULL},
    {"device", T2_FLAG_STRING, &flags.device, "NAME", "Where --check computes.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Instead of exporting", NULL},
    {"inspect", T2_FLAG_STRING, &flags.inspect, "PREFIX",
     "Verify a checkpoint of TensorFlow's, such as run/model.ckpt-1000, and list its tensors: name, type, shape.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Flags of the original that are not in this version: an error", NULL},
    {"as_text", T2_FLAG_BOOL, &flags.bool_later, NULL, "A SavedModel as text: an error.", &given_as_text},
    {"export_as_tfhub", T2_FLAG_BOOL, &flags.bool_later, NULL, "A module for TensorFlow Hub: an error.", &given_tfhub},
};
static const struct t2_flag_values values[] = {
    {"problem", NULL, tr_list_problems},
    {"model", NULL, tr_list_models},
    {"hparams_set", NULL, tr_list_hparams_sets},
    {NULL, NULL, NULL},
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "t2t-exporter",
    .usage = "--output_dir=DIR --data_dir=DIR [--format=NAME] [flags]",
    .summary = "Writes a trained model for other programs, or as one file that t2t-decoder needs "
               "nothing beside.",
    .examples = "  t2t-exporter --output_dir=run --data_dir=data --format=bundle \\\n"
                "      --export_dir=model.safetensors --storage=bfloat16 --check\n"
                "  t2t-exporter --inspect=run/model.ckpt-1000\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
    .values = values,
    .local_flags = "t2t_usr_dir", /* plug-ins are opened by the system */
    .foreign = {tr_foreign_flags, tr_absl_flags},
};

/* ---- what is in a bundle of TensorFlow's ---- */

static void show_tensor(const struct ckpt_tensor *t)
{
    struct t2_buf line = {0};

    t2_buf_printf(&line, "%s\t%s\t[", t->name, ckpt_type_name(t->type));
    for (int i = 0; i < t->rank; i++)
        t2_buf_printf(&line, "%s%" PRId64, i > 0 ? ", " : "", t->dims[i]);
    t2_buf_puts(&line, "]\n");
    t2_show_stdout(t2_buf_slice(&line));
    t2_buf_release(&line);
}

static enum t2_status inspect(struct t2_err *err)
{
    char *prefix = t2_path_expand(flags.inspect);
    struct ckpt_file *f = NULL;
    uint64_t n_bytes = 0;
    char bytes[32];

    if (t2_ends_with(prefix, ".index"))
        prefix[strlen(prefix) - strlen(".index")] = '\0';
    if (ckpt_open_bundle(prefix, &f, err) != T2_OK) {
        t2_free(prefix);
        return err->status;
    }
    for (size_t i = 0; i < ckpt_count(f); i++) {
        show_tensor(ckpt_at(f, i));
        n_bytes += ckpt_at(f, i)->n_bytes;
    }
    for (size_t i = 0; i < ckpt_count_others(f); i++) {
        struct t2_buf line = {0};

        t2_buf_printf(&line, "%s\tno numbers\n", ckpt_other(f, i));
        t2_show_stdout(t2_buf_slice(&line));
        t2_buf_release(&line);
    }
    t2_info("%zu tensors, %s; all checksums are right", ckpt_count(f),
            t2_human_bytes(n_bytes, bytes, sizeof bytes));
    ckpt_close(f);
    t2_free(prefix);
    return T2_OK;
}

/* ---- formats ---- */

/* A run of TensorFlow's keeps its slots among the variables. */
static enum t2_status write_tensorflow(const struct tr_trained *t, const struct xch_model *m,
                                       const char *to, struct t2_err *err)
{
    struct ckpt_tensor *slots = NULL;
    struct ckpt_file *f = NULL;
    int64_t updates = t->state.step;
    size_t n = 0;
    enum t2_status st;

    if (flags.average_checkpoints == 1)
        T2_TRY(ckpt_open_slots(t->dir, t->state.step, &f, &updates, err));
    slots = t2_alloc(f ? ckpt_count(f) : 0, sizeof *slots);
    for (size_t i = 0; f && i < ckpt_count(f); i++)
        if (t2_starts_with(ckpt_at(f, i)->name, "training/") && ckpt_at(f, i)->rank > 0)
            slots[n++] = *ckpt_at(f, i);
    st = xch_write_tensorflow(m, to, slots, n, updates, err);
    if (st == T2_OK)
        st = tr_hparams_write(to, m->hp, NULL, 0, err);
    if (st == T2_OK)
        t2_info("'%s/model.ckpt-%" PRId64 "': %d variables, %zu slots", to, t->state.step,
                m->params->n_variables, n);
    t2_free(slots);
    ckpt_close(f);
    return st;
}

static const struct format {
    const char *name;
    const char *where; /* in the checkpoint's folder */
    bool is_file, reads_back;
} formats[] = {{"tensorflow", "export", false, true},
               {"ctranslate2", "export", false, false},
               {"marian", "export", false, false},
               {"huggingface", "export", false, false},
               {"onnx", "export", false, false},
               {"saved_model", "export", false, false},
               {"bundle", "export/model.safetensors", true, true}};
enum { N_FORMATS = sizeof formats / sizeof *formats };

enum { EXTRA_LENGTH = 50 }; /* of decoding: Tensor2Tensor's default */

static enum t2_status find_storage(enum xch_storage *storage, struct t2_err *err)
{
    static const char *const names[] = {"float32", "bfloat16", "int8"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(flags.storage, names[i]) == 0) {
            *storage = (enum xch_storage) i;
            return T2_OK;
        }
    return t2_fail(err, T2_EUSAGE, "--storage=%s: float32, bfloat16 or int8", flags.storage);
}

static enum t2_status write_format(const struct tr_trained *t, const struct format *format,
                                   const char *to, struct t2_err *err)
{
    struct xch_model m = {.state = &t->state,
                          .hp = t->hp,
                          .problem = mdl_problem_of(t->m),
                          .params = mdl_params(t->m),
                          .inputs = t->inputs,
                          .targets = t->targets,
                          .context_separator = t->data.view->context_separator,
                          .decode_hparams = flags.decode_hparams,
                          .pixels = t->data.images.eval};
    enum xch_storage storage = XCH_FLOAT32;

    T2_TRY(find_storage(&storage, err));
    if (!format->is_file && storage != XCH_FLOAT32)
        return t2_fail(err, T2_EUSAGE, "--storage is for --format=bundle");
    if (strcmp(format->name, "tensorflow") == 0)
        return write_tensorflow(t, &m, to, err);
    if (strcmp(format->name, "ctranslate2") == 0)
        return xch_write_ctranslate2(&m, to, err);
    if (strcmp(format->name, "marian") == 0)
        return xch_write_marian(&m, to, err);
    if (strcmp(format->name, "huggingface") == 0)
        return xch_write_hugging_face(&m, to, err);
    if (strcmp(format->name, "onnx") == 0)
        return xch_write_onnx(&m, t->m, to, err);
    if (strcmp(format->name, "saved_model") == 0)
        return xch_write_saved_model(&m, t->m, EXTRA_LENGTH, to, err);
    return xch_write_model_file(&m, to, storage, err);
}

/* ---- the check ---- */

/* A format that only others read: what they can compare with. */
static enum t2_status leave_check(const struct tr_trained *t, const char *to, struct t2_err *err)
{
    char *path = t2_path_join(to, "check.safetensors");
    struct xch_check c;
    enum t2_status st = xch_check_run(t->m, &c, err);

    if (st == T2_OK) {
        st = xch_check_write(&c, path, err);
        xch_check_release(&c);
    }
    if (st == T2_OK)
        t2_info("'%s' holds made-up examples and the logits that they must give", path);
    t2_free(path);
    return st;
}

static enum t2_status check(const struct tr_trained *t, const struct format *format, const char *to,
                            struct t2_err *err)
{
    struct tr_trained_options o = {.output_dir = format->is_file ? "" : to,
                                   .model_file = format->is_file ? to : "",
                                   .checkpoint_path = "",
                                   .average = 1,
                                   .data_dir = flags.data_dir,
                                   .problem = t->state.problem,
                                   .model = t->state.model,
                                   .hparams_set = t->state.hparams_set,
                                   .hparams = "",
                                   .device = flags.device,
                                   .num_threads = t2_flags_num_threads()};
    struct tr_trained back;
    struct xch_check ours = {0}, theirs = {0};
    double most, largest;
    char text[160];
    enum t2_status st;

    if (!format->reads_back)
        return leave_check(t, to, err);
    T2_TRY(tr_trained_open(&o, &back, err));
    T2_GOTO(st, out, xch_check_run(t->m, &ours, err));
    T2_GOTO(st, out, xch_check_run(back.m, &theirs, err));
    T2_GOTO(st, out, xch_check_compare(&ours, &theirs, &most, &largest, err));
    snprintf(text, sizeof text, "largest difference of logits: %.9g (largest logit: %.9g)\n", most,
             largest);
    t2_show_stdout(t2_slice_of(text));
out:
    xch_check_release(&ours);
    xch_check_release(&theirs);
    tr_trained_close(&back);
    return st;
}

/* ---- all ---- */

static enum t2_status check_flags(const struct format **format, struct t2_err *err)
{
    struct dec_hparams settings;

    if (given_as_text || given_tfhub)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "--%s is another form of SavedModel than --format=saved_model writes, which "
                       "is a binary saved_model.pb",
                       given_as_text ? "as_text" : "export_as_tfhub");
    if (flags.average_checkpoints < 1)
        return t2_fail(err, T2_EUSAGE, "--average_checkpoints must be at least 1");
    for (size_t i = 0; i < N_FORMATS; i++)
        if (strcmp(flags.format, formats[i].name) == 0)
            *format = &formats[i];
    if (!*format)
        return t2_fail(
            err, T2_EUSAGE,
            "--format=%s: tensorflow, ctranslate2, marian, huggingface, onnx, saved_model or "
            "bundle",
            flags.format);
    if (flags.decode_hparams[0] && !(*format)->is_file)
        return t2_fail(err, T2_EUSAGE, "--decode_hparams is for --format=bundle");
    return dec_hparams_parse(flags.decode_hparams, &settings, err);
}

static enum t2_status run(struct t2_err *err)
{
    struct tr_trained_options o = {flags.output_dir,
                                   flags.checkpoint_path,
                                   flags.average_checkpoints,
                                   flags.data_dir,
                                   flags.problem,
                                   flags.model,
                                   flags.hparams_set,
                                   flags.hparams,
                                   flags.device,
                                   t2_flags_num_threads(),
                                   "",
                                   ""};
    const struct format *format = NULL;
    struct tr_trained t;
    char *to;
    enum t2_status st;

    if (flags.inspect[0])
        return inspect(err);
    T2_TRY(check_flags(&format, err));
    T2_TRY(tr_need_plugins(flags.t2t_usr_dir, err));
    T2_TRY(tr_trained_open(&o, &t, err));
    to =
        flags.export_dir[0] ? t2_path_expand(flags.export_dir) : t2_path_join(t.dir, format->where);
    st = write_format(&t, format, to, err);
    if (st == T2_OK)
        t2_info("step %" PRId64 " of '%s' is written to '%s'", t.state.step, t.dir, to);
    if (st == T2_OK && flags.check)
        st = check(&t, format, to, err);
    t2_free(to);
    tr_trained_close(&t);
    return st;
}

int main(int argc, char **argv)
{
    t2_begin_tool(tool.name);
    return t2_run_tool(&tool, argc, argv, run);
}
