/*
 * train/t2t_decoder_main.c - t2t-decoder: translates files, or line by line, with a trained model;
 * or says what is on images.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory_available.h"
#include "base/pool.h"
#include "base/progress.h"
#include "base/run_tool.h"
#include "base/str.h"
#include "base/text.h"
#include "train/decode/decode_file.h"
#include "train/decode/decode_typed.h"
#include "train/decode/draw_id.h"
#include "train/decode/score_file.h"
#include "train/eval/bleu.h"
#include "train/exchange/model_file.h"
#include "train/runs/foreign_flags.h"
#include "train/runs/launch.h"
#include "train/runs/memory_plan.h"
#include "train/runs/plugins.h"
#include "train/runs/registry_names.h"
#include "train/trained/decode_media.h"
#include "train/trained/ensemble.h"
#include "train/trained/report_decoding.h"
#include "train/trained/serve_trained.h"
#include "train/trained/trained.h"

static struct {
    const char *problem, *data_dir, *output_dir, *model, *hparams_set, *hparams, *t2t_usr_dir;
    const char *checkpoint_path, *decode_hparams, *decode_from_file, *decode_to_file;
    const char *decode_reference, *device, *precision, *contact_sheet, *score_file, *serve;
    const char *serve_name, *ensemble;
    int64_t average_checkpoints, random_seed, decode_shards, worker_id, draw_images;
    int64_t serve_instances, serve_ids, serve_queue, serve_timeout;
    uint64_t max_memory, serve_body;
    bool decode_interactive, keep_timestamp, json;
} flags = {
    .problem = "",
    .data_dir = "",
    .output_dir = "",
    .model = "",
    .hparams_set = "",
    .hparams = "",
    .checkpoint_path = "",
    .decode_hparams = "",
    .decode_from_file = "",
    .decode_to_file = "",
    .decode_reference = "",
    .device = "auto",
    .precision = "float32",
    .contact_sheet = "",
    .score_file = "",
    .ensemble = "",
    .serve = "",
    .serve_name = "",
    .t2t_usr_dir = "",
    .serve_instances = 64,
    .serve_ids = 1024,
    .serve_queue = 512,
    .serve_timeout = 60,
    .serve_body = 1 << 20,
    .decode_shards = 1,
    .average_checkpoints = 1,
    .random_seed = 1,
};

static bool given_shards, given_worker, given_seed;

/* The processes that mpirun or srun have started with this one; one that is silent for so long is
 * lost. */
enum { RANK_TIMEOUT_S = 20 };
static struct dist *ranks;

/* clang-format off */
static const struct t2_flag table[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "The trained model", NULL},
    {"output_dir", T2_FLAG_STRING, &flags.output_dir, "DIR", "Folder of the training run; its newest checkpoint is taken.", NULL},
    {"checkpoint_path", T2_FLAG_STRING, &flags.checkpoint_path, "STEP|FILE",
     "Another checkpoint: a step of --output_dir, or a file such as run/state-1000.json.", NULL},
    {"average_checkpoints", T2_FLAG_INT, &flags.average_checkpoints, "N", "Translate with the mean of the newest N checkpoints.", NULL},
    {"ensemble", T2_FLAG_STRING, &flags.ensemble, "LIST",
     "Further models, with commas between them, that translate together with the first: steps of "
     "--output_dir, folders of other runs, files such as run2/state-1000.json; beside a model that "
     "stands alone, other such files. Each id is chosen by the mean of their logits.", NULL},
    {"data_dir", T2_FLAG_STRING, &flags.data_dir, "DIR", "Folder of the data set it was trained on; its vocabulary is read.", NULL},
    {"problem", T2_FLAG_STRING, &flags.problem, "NAME", "Compared with what the checkpoint says; may be left out.", NULL},
    {"model", T2_FLAG_STRING, &flags.model, "FILE|NAME",
     "A file of t2t-exporter --format=bundle, which needs neither --output_dir nor --data_dir. A name is compared with what the checkpoint says, and may be left out.", NULL},
    {"hparams_set", T2_FLAG_STRING, &flags.hparams_set, "NAME", "Compared with what the checkpoint says; may be left out.", NULL},
    {"hparams", T2_FLAG_STRING, &flags.hparams, "LIST", "Overrides of the checkpoint's hparams, 'name=value,...'.", NULL},
    {"t2t_usr_dir", T2_FLAG_STRING, &flags.t2t_usr_dir, "DIR", "Plug-ins with models of your own (.so), as t2t-trainer had them.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "What to translate", NULL},
    {"decode_from_file", T2_FLAG_STRING, &flags.decode_from_file, "FILE",
     "Text, one sentence a line; .gz is understood, - is stdin. For a model of images: an image, a folder of them, a list of files, or a shard. For one of speech: a sound file, a folder, or a "
     "list of them, with what is said behind a tab if it is known.", NULL},
    {"decode_to_file", T2_FLAG_STRING, &flags.decode_to_file, "FILE",
     "Where the translation goes, line by line, when it is complete; - is stdout. Without it the name is made of that of the input, model, set, problem, beam and alpha. Of images: "
     "lines of file, class and probability, apart by tabs; without it to stdout.", NULL},
    {"decode_reference", T2_FLAG_STRING, &flags.decode_reference, "FILE",
     "Score the translation against this file afterwards.", NULL},
    {"contact_sheet", T2_FLAG_STRING, &flags.contact_sheet, "FILE",
     "Of images: a PNG page of the first 96 with their classes; green and red where the names of folders, or records, tell the right one.", NULL},
    {"decode_interactive", T2_FLAG_BOOL, &flags.decode_interactive, NULL,
     "Translate what is typed, line by line; q ends.", NULL},
    {"score_file", T2_FLAG_STRING, &flags.score_file, "FILE",
     "Lines of source, TAB, translation (of a language model a text): the loss of each translation, in nats an id, becomes a line of --decode_to_file.", NULL},
    {"draw_images", T2_FLAG_INT, &flags.draw_images, "N",
     "With a model that makes images: draw N, of each class where it has classes, by hparams sampling_method and sampling_temp. They become PNG files in folder --decode_to_file, and the "
     "first 256 the page --contact_sheet.", NULL},
    {"keep_timestamp", T2_FLAG_BOOL, &flags.keep_timestamp, NULL,
     "Give the output file the time of the checkpoint.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Serving", NULL},
    {"serve", T2_FLAG_STRING, &flags.serve, "HOST:PORT",
     "Answer requests over HTTP, in the shape of TensorFlow Serving's REST interface, until a signal comes; a newer checkpoint of --output_dir is taken up. Port 0 is any; the address is printed.", NULL},
    {"serve_name", T2_FLAG_STRING, &flags.serve_name, "NAME",
     "NAME of /v1/models/NAME:predict; without it that of the model.", NULL},
    {"serve_body", T2_FLAG_SIZE, &flags.serve_body, "SIZE", "The longest body of a request.", NULL},
    {"serve_instances", T2_FLAG_INT, &flags.serve_instances, "N", "The most instances of a request.", NULL},
    {"serve_ids", T2_FLAG_INT, &flags.serve_ids, "N", "The longest source, in ids.", NULL},
    {"serve_queue", T2_FLAG_INT, &flags.serve_queue, "N", "Instances that may wait; 429 beyond.", NULL},
    {"serve_timeout", T2_FLAG_INT, &flags.serve_timeout, "SECONDS",
     "What has waited so long is answered with 503; a client that sends nothing so long is left.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "How", NULL},
    {"decode_hparams", T2_FLAG_STRING, &flags.decode_hparams, "LIST",
     "'beam_size=4,alpha=0.6,...': beam_size (1 is greedy), alpha, extra_length, "
     "no_repeat_ngram_size, batch_size (32), max_input_size, return_beams, write_beam_scores, "
     "identity_output, delimiter, num_decodes, skip_eos_postprocess, force_decode_length, shards, "
     "multiproblem_task_id, decode_to_file, decode_reference, shard_id, shards_start_offset, "
     "shard_google_format.", NULL},
    {"decode_shards", T2_FLAG_INT, &flags.decode_shards, "N",
     "shards of --decode_hparams: the file is one of so many.", &given_shards},
    {"worker_id", T2_FLAG_INT, &flags.worker_id, "N", "shard_id of --decode_hparams.",
     &given_worker},
    {"random_seed", T2_FLAG_INT, &flags.random_seed, "N",
     "With hparam sampling_method=random: what is drawn follows from it; that of the training run when "
     "not given.", &given_seed},
    {"max_memory", T2_FLAG_SIZE, &flags.max_memory, "SIZE",
     "What batches may take by their plan; 0 is what is available beside the model, to the machine "
     "or its container. Batches are made smaller, and sources of which not one fits are cut, with "
     "a warning.", NULL},
    {"device", T2_FLAG_STRING, &flags.device, "NAME", "auto: a GPU where there is one, else cpu; cuda, cuda:1, cpu, reference.", NULL},
    {"precision", T2_FLAG_STRING, &flags.precision, "NAME", "float32, or int8: weights of dense layers and logits as 8-bit whole numbers with a scale a column, activations with a scale a row; attention and sums stay float32.", NULL},
    {"json", T2_FLAG_BOOL, &flags.json, NULL,
     "Print one JSON object about the run to stdout at the end. Of images: an object for each, "
     "with its five likeliest classes, in place of a line.", NULL},
};
static const struct t2_flag_values values[] = {
    {"problem", NULL, tr_list_problems},
    {"model", NULL, tr_list_models},
    {"hparams_set", NULL, tr_list_hparams_sets},
    {NULL, NULL, NULL},
};
static const struct t2_foreign foreign[] = {
    {"decode_in_memory", true, NULL, "results are always held until they are complete"},
    {"disable_grappler_optimizations", true, NULL, "it is TensorFlow's"},
    {"worker_gpu", false, NULL, "--device says what is computed on"},
    {"eval_use_test_set", true, "false", "give the text of the test set by --decode_from_file"},
    {NULL, false, NULL, NULL},
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "t2t-decoder",
    .usage = "--output_dir=DIR --data_dir=DIR --decode_from_file=FILE [flags]",
    .summary =
        "Translates with a trained model: a file, line for line, or what is typed; or scores "
        "given translations; or answers requests over HTTP.  With a model of images: says what is "
        "on each.",
    .examples = "  t2t-decoder --output_dir=run --data_dir=data --decode_from_file=in.en \\\n"
                "      --decode_to_file=out.de --decode_hparams='beam_size=4,alpha=0.6'\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
    .values = values,
    .foreign = {foreign, tr_foreign_flags, tr_absl_flags},
    .local_flags = "t2t_usr_dir", /* plug-ins are opened by the system */
    .more = dec_hparams_markdown,
};

/* Refuses flags about files where lines are typed. */
static enum t2_status check_interactive(struct t2_err *err)
{
    const struct {
        bool given;
        const char *name;
    } of_files[] = {{flags.decode_to_file[0] != '\0', "decode_to_file"},
                    {flags.decode_reference[0] != '\0', "decode_reference"},
                    {flags.keep_timestamp, "keep_timestamp"},
                    {flags.json, "json"}};

    if (flags.decode_from_file[0])
        return t2_fail(err, T2_EUSAGE,
                       "--decode_interactive and --decode_from_file exclude each other");
    if (flags.contact_sheet[0])
        return t2_fail(err, T2_EUSAGE, "--contact_sheet is for images in --decode_from_file");
    for (size_t i = 0; i < sizeof of_files / sizeof *of_files; i++)
        if (of_files[i].given)
            return t2_fail(err, T2_EUSAGE,
                           "--%s is for --decode_from_file; what --decode_interactive translates "
                           "goes to stdout",
                           of_files[i].name);
    return T2_OK;
}

/* Scores are all that --score_file gives. */
static enum t2_status check_score(struct t2_err *err)
{
    if (flags.decode_from_file[0] || flags.decode_interactive)
        return t2_fail(err, T2_EUSAGE,
                       "--score_file excludes --decode_from_file and --decode_interactive");
    if (!flags.decode_to_file[0])
        return t2_fail(err, T2_EUSAGE, "--score_file needs --decode_to_file");
    if (flags.decode_reference[0] || flags.contact_sheet[0] || flags.json || flags.keep_timestamp)
        return t2_fail(err, T2_EUSAGE,
                       "--decode_reference, --contact_sheet, --json and --keep_timestamp are for "
                       "--decode_from_file, not for --score_file");
    return T2_OK;
}

/* Images come from nothing. */
static enum t2_status check_draw(struct t2_err *err)
{
    if (flags.decode_from_file[0] || flags.decode_interactive || flags.json)
        return t2_fail(err, T2_EUSAGE,
                       "--draw_images excludes --decode_from_file, --decode_interactive, --json");
    if (flags.draw_images < 1 || (!flags.decode_to_file[0] && !flags.contact_sheet[0]))
        return t2_fail(err, T2_EUSAGE,
                       "--draw_images=N, N above 0, needs --decode_to_file=FOLDER, "
                       "--contact_sheet=FILE or both");
    return T2_OK;
}

/* Whole numbers of a server, within their ranges. */
static enum t2_status check_serve(struct t2_err *err)
{
    const struct {
        const char *name;
        int64_t value, most;
    } numbers[] = {{"serve_instances", flags.serve_instances, 1 << 16},
                   {"serve_ids", flags.serve_ids, 1 << 20},
                   {"serve_queue", flags.serve_queue, 1 << 20},
                   {"serve_timeout", flags.serve_timeout, 1 << 20},
                   {"serve_body", (int64_t) (flags.serve_body >> 1), 1 << 29}};

    if (flags.decode_from_file[0] || flags.decode_interactive || flags.score_file[0])
        return t2_fail(
            err, T2_EUSAGE,
            "--serve excludes --decode_from_file, --decode_interactive and --score_file");
    if (flags.decode_to_file[0] || flags.decode_reference[0] || flags.contact_sheet[0] ||
        flags.json || flags.keep_timestamp)
        return t2_fail(err, T2_EUSAGE,
                       "--decode_to_file, --decode_reference, --contact_sheet, --json and "
                       "--keep_timestamp are for --decode_from_file, not for --serve");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].value < 1 || numbers[i].value > numbers[i].most)
            return t2_fail(err, T2_EUSAGE, "--%s is out of range", numbers[i].name);
    if (flags.serve_queue < flags.serve_instances)
        return t2_fail(err, T2_EUSAGE,
                       "--serve_queue=%" PRId64 " is less than the %" PRId64
                       " of --serve_instances",
                       flags.serve_queue, flags.serve_instances);
    if (strspn(flags.serve_name,
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") !=
        strlen(flags.serve_name))
        return t2_fail(err, T2_EUSAGE, "--serve_name='%s': letters, digits and ._- make a name",
                       flags.serve_name);
    return T2_OK;
}

static struct tr_trained_options trained_options(void)
{
    return (struct tr_trained_options){flags.output_dir,
                                       flags.checkpoint_path,
                                       flags.average_checkpoints,
                                       flags.data_dir,
                                       flags.problem,
                                       flags.model,
                                       flags.hparams_set,
                                       flags.hparams,
                                       flags.device,
                                       tr_launch_threads(ranks, t2_flags_num_threads()),
                                       xch_is_model_file(flags.model) ? flags.model : "",
                                       flags.precision};
}

static enum t2_status check_flags(struct t2_err *err)
{
    if (flags.ensemble[0] && (flags.serve[0] || flags.score_file[0] || flags.draw_images != 0))
        return t2_fail(err, T2_EUSAGE,
                       "--ensemble is for --decode_from_file and --decode_interactive");
    if (flags.average_checkpoints < 1)
        return t2_fail(err, T2_EUSAGE, "--average_checkpoints must be at least 1");
    if (flags.serve[0])
        return check_serve(err);
    if (flags.score_file[0])
        return check_score(err);
    if (flags.draw_images != 0)
        return check_draw(err);
    if (flags.decode_interactive)
        return check_interactive(err);
    if (!flags.decode_from_file[0])
        return t2_fail(
            err, T2_EUSAGE,
            "--decode_from_file, --score_file, --decode_interactive, --draw_images or --serve is "
            "needed");
    if (flags.json && strcmp(flags.decode_to_file, "-") == 0)
        return t2_fail(err, T2_EUSAGE, "--json and --decode_to_file=- both want stdout");
    if (flags.decode_reference[0] && strcmp(flags.decode_to_file, "-") == 0)
        return t2_fail(err, T2_EUSAGE, "--decode_reference needs a file in --decode_to_file");
    if (flags.keep_timestamp && strcmp(flags.decode_to_file, "-") == 0)
        return t2_fail(err, T2_EUSAGE, "--keep_timestamp needs a file in --decode_to_file");
    if (strcmp(flags.decode_from_file, "-") == 0 && !flags.decode_to_file[0])
        return t2_fail(err, T2_EUSAGE, "--decode_from_file=- needs --decode_to_file");
    return T2_OK;
}

/* What flags and --decode_hparams both may say: the flag counts, as in the original. */
static enum t2_status join_flags(struct dec_hparams *hp, struct t2_err *err)
{
    bool of_file = flags.decode_from_file[0] || flags.score_file[0];

    if (of_file && !flags.decode_to_file[0])
        flags.decode_to_file = hp->decode_to_file;
    if (of_file && !flags.decode_reference[0])
        flags.decode_reference = hp->decode_reference;
    if (given_shards)
        hp->shards = flags.decode_shards;
    if (given_worker)
        hp->shard_id = flags.worker_id;
    if (hp->shards < 1 || hp->shard_id < 0 || hp->shard_id >= hp->shards)
        return t2_fail(err, T2_EUSAGE,
                       "--worker_id=%" PRId64 " is not one of the %" PRId64 " of --decode_shards",
                       hp->shard_id, hp->shards);
    return T2_OK;
}

static void describe(const struct tr_trained *t, const struct dec_hparams *hp)
{
    t2_info("%s, %s of problem %s, step %" PRId64 "%s in '%s'", t->state.model,
            t->state.hparams_set, t->state.problem, t->state.step,
            flags.average_checkpoints > 1 ? " and before, averaged," : "", t->dir);
    t2_info("%s; %s", t->dev->describe(t->dev),
            t->data.problem.class_labels        ? "labels, or values"
            : t->data.problem.pixels.height > 0 ? "images"
            : hp->beam_size > 1                 ? "beam search"
                                                : "greedy");
}

/* ---- a file ---- */

static enum t2_status score(const char *to, double *bleu, struct t2_err *err)
{
    const bool lower_case[] = {true, false};
    struct ev_bleu scores[2];

    T2_TRY(ev_bleu_files(to, flags.decode_reference, lower_case, 2, scores, err));
    t2_info("BLEU_uncased = %6.2f, BLEU_cased = %6.2f", scores[0].score, scores[1].score);
    *bleu = scores[0].score;
    return T2_OK;
}

static void report_text(const struct dec_file_report *r, const char *to)
{
    char time[32];

    t2_info("%" PRIu64 " lines in %s: %.1f sentences/s, %.1f target tokens/s; written to '%s'",
            r->n_lines, t2_human_seconds(r->seconds, time, sizeof time),
            (double) r->n_lines / r->seconds, (double) r->n_target_ids / r->seconds, to);
}

static enum t2_status decode_file(const struct tr_trained *t, struct dec_translator *translator,
                                  const struct dec_hparams *hp, struct t2_err *err)
{
    bool from_stdin = strcmp(flags.decode_from_file, "-") == 0;
    char *from = from_stdin ? t2_strdup("-") : t2_path_expand(flags.decode_from_file), *to, *name;
    struct dec_file_report report;
    double bleu = 0;
    enum t2_status st;

    name = from_stdin ? from : dec_shard_name(from, hp);
    if (flags.decode_to_file[0] == '\0')
        to = dec_output_name(name, t->state.model, t->state.hparams_set, t->state.problem, hp);
    else if (strcmp(flags.decode_to_file, "-") == 0)
        to = t2_strdup("-");
    else
        to = dec_shard_name(flags.decode_to_file, hp);
    if (strcmp(to, "-") != 0) {
        char *expanded = t2_path_expand(to);

        t2_free(to);
        to = expanded;
    }
    T2_GOTO(st, out, dec_file(translator, hp, name, to, flags.max_memory, &report, err));
    if (dist_rank(ranks) > 0)
        goto out;
    report_text(&report, to);
    if (flags.keep_timestamp && strcmp(to, "-") != 0)
        T2_GOTO(st, out, tr_trained_set_time(t, to, err));
    if (flags.decode_reference[0])
        T2_GOTO(st, out, score(to, &bleu, err));
    if (flags.json) {
        struct tr_decoded d = {.from = name, .to = to, .average = flags.average_checkpoints};
        struct t2_buf json = {0};

        d.bleu = flags.decode_reference[0] ? &bleu : NULL;
        tr_report_decoding(t, hp, &report, &d, &json);
        (void) puts(t2_buf_cstr(&json)); /* checked when stdout is closed */
        t2_buf_release(&json);
    }
out:
    t2_free(to);
    if (name != from)
        t2_free(name);
    t2_free(from);
    return st;
}

/* ---- over HTTP ---- */

static int64_t image_batch(const struct dec_hparams *hp)
{
    return hp->batch_size > 0 ? hp->batch_size : 32;
}

static void print_url(void *context, const char *url)
{
    (void) context;
    printf("%s\n", url);
    fflush(stdout);
}

/* *translator is NULL of a model of images. */
static enum t2_status serve(struct tr_trained *t, struct dec_translator **translator,
                            const struct dec_parts *parts, struct t2_err *err)
{
    const struct tr_trained_options o = trained_options();
    struct srv_options service = {.address = flags.serve,
                                  .name = flags.serve_name,
                                  .hp = parts->hp,
                                  .max_body_bytes = flags.serve_body,
                                  .max_instances = flags.serve_instances,
                                  .max_ids = flags.serve_ids,
                                  .max_waiting = flags.serve_queue,
                                  .timeout_s = flags.serve_timeout,
                                  .listening = print_url};

    if (t->data.view->is_images)
        return tr_serve_images(&o, t, image_batch(parts->hp), &service, err);
    return tr_serve(&o, t, translator, parts, &service, err);
}

/* ---- given translations ---- */

static enum t2_status score_lines(const struct tr_trained *t, struct t2_err *err)
{
    struct dec_scored scored = {t->m, t->inputs, t->targets, ranks};
    char *from = t2_path_expand(flags.score_file), *to = t2_path_expand(flags.decode_to_file);
    struct dec_score_report r;
    enum t2_status st = T2_OK;

    if (t->data.view->is_images || t->data.view->is_speech || t->data.view->context_separator != 0)
        st = t2_fail(err, T2_EUNSUPPORTED, "--score_file: '%s' is not of lines of text alone",
                     t->state.problem);
    else
        st = dec_score_file(&scored, from, to, flags.max_memory, &r, err);
    if (st == T2_OK && dist_rank(ranks) == 0)
        t2_info("%" PRIu64 " lines: a loss of %.6f an id, of %" PRIu64 "; written to '%s'",
                r.n_lines, r.loss, r.n_target_ids, to);
    t2_free(to);
    t2_free(from);
    return st;
}

/* ---- images and speech ---- */

static enum t2_status decode_media(const struct tr_trained *t, struct dec_translator *translator,
                                   const struct dec_hparams *hp, struct t2_err *err)
{
    char *to = flags.decode_to_file[0] || flags.draw_images > 0
                   ? t2_path_expand(flags.decode_to_file)
                   : t2_strdup("-");
    struct tr_media_options o = {.from = flags.decode_from_file,
                                 .to = to,
                                 .contact_sheet = flags.contact_sheet,
                                 .draw = flags.draw_images,
                                 .batch_size = image_batch(hp),
                                 .seed = given_seed ? (uint64_t) flags.random_seed : t->state.seed,
                                 .json = flags.json};
    enum t2_status st = tr_decode_media(t, translator, &o, err);

    t2_free(to);
    return st;
}

/* Checks the flags against the kind of problem that the model was trained on. */
static enum t2_status check_kind(const struct tr_trained *t, struct t2_err *err)
{
    bool makes = t->data.problem.pixels.height > 0;
    bool other = flags.decode_interactive || flags.serve[0] || flags.decode_reference[0] ||
                 flags.keep_timestamp || dist_size(ranks) > 1; /* than a file, by one process */

    if (makes != (flags.draw_images > 0))
        return t2_fail(err, T2_EUSAGE,
                       "--draw_images is for models that make images; that of '%s' %s",
                       t->state.problem, makes ? "does, and needs it" : "does not");
    if (makes)
        return T2_OK;
    if (flags.ensemble[0] && (t->data.view->is_images || t->data.view->is_speech))
        return t2_fail(err, T2_EUNSUPPORTED, "--ensemble: '%s' is not of texts", t->state.problem);
    if (flags.serve[0] && t->data.view->is_speech)
        return t2_fail(err, T2_EUNSUPPORTED, "--serve: '%s' is of speech; use --decode_from_file",
                       t->state.problem);
    if (t->data.view->is_speech &&
        (flags.decode_interactive || strcmp(flags.decode_from_file, "-") == 0 ||
         flags.decode_reference[0] || flags.keep_timestamp))
        return t2_fail(err, T2_EUSAGE,
                       "'%s' is of speech: --decode_from_file is a sound file, a folder or a list, "
                       "whose lines may say behind a tab what is said; --decode_interactive, "
                       "--decode_reference and --keep_timestamp are for text",
                       t->state.problem);
    T2_TRY(tr_check_of_values(t, other, err));
    if (!t->data.view->is_images) {
        if (flags.contact_sheet[0])
            return t2_fail(err, T2_EUSAGE, "--contact_sheet is for images, and '%s' is not of them",
                           t->state.problem);
        return T2_OK;
    }
    if (flags.decode_interactive || strcmp(flags.decode_from_file, "-") == 0)
        return t2_fail(err, T2_EUSAGE,
                       "'%s' is of images: --decode_from_file is an image, a folder, a list or a "
                       "shard",
                       t->state.problem);
    if (flags.decode_reference[0] || flags.keep_timestamp)
        return t2_fail(err, T2_EUSAGE,
                       "--decode_reference and --keep_timestamp are for text, and '%s' is of "
                       "pictures",
                       t->state.problem);
    return T2_OK;
}

/* ---- ranks ---- */

/* What only one process does. */
static enum t2_status check_ranks(const struct tr_trained *t, struct t2_err *err)
{
    const char *what = t->data.view->is_images    ? "decoding of images"
                       : t->data.view->is_speech  ? "decoding of speech"
                       : flags.decode_interactive ? "--decode_interactive"
                       : flags.serve[0]           ? "--serve"
                                                  : NULL;

    if (!what || dist_size(ranks) == 1)
        return T2_OK;
    return tr_launch_check_alone(what, "start it without mpirun or srun", err);
}

/* ---- all ---- */

/* Flags and keys that this model, or this way, does not read. */
static void name_unread(const struct tr_trained *t, const struct dec_hparams *hp)
{
    bool is_images = t->data.view->is_images || tr_has_values(&t->data.problem);

    dec_hparams_name_unread(hp, is_images                  ? DEC_USE_IMAGES
                                : flags.decode_interactive ? DEC_USE_TYPED
                                                           : DEC_USE_FILE);
    if (given_seed && ((is_images && flags.draw_images == 0) || !dec_draws(mdl_hparams_of(t->m))))
        t2_warn("--random_seed means nothing here: nothing is drawn without hparam "
                "sampling_method=random");
    if (is_images && flags.max_memory > 0)
        t2_warn("--max_memory means nothing here; --decode_hparams=batch_size=N does");
}

/* What batches may take when nobody says it: of what is left when the rest of the program has what
 * it will take, three quarters.  The fourth is for the lines of the file, and for address space
 * that threads and libraries reserve and do not use, where that is what is limited (ulimit -v).
 * Ranks of one machine share it. */
static uint64_t left_for_batches(const struct tr_trained *t)
{
    uint64_t left = t2_memory_available() / (uint64_t) ranks->n_here;
    uint64_t later = tr_program_bytes(t->dev, 0);

    return left > later ? (left - later) / 4 * 3 + 1 : 1;
}

static void report_memory(const struct dev *dev, uint64_t before_bytes,
                          const struct dec_translator *t)
{
    const double mib = 1024.0 * 1024.0;
    struct dev_bytes batch = dec_planned_bytes(t);

    if (!dev->host_memory)
        t2_info("device memory: batch %.1f MiB, of %.1f MiB", (double) batch.device / mib,
                (double) dev->memory(dev).limit_bytes / mib);
    t2_info("memory: %.1f MiB = batch %.1f, model and program %.1f; at most %.1f MiB were used",
            (double) (batch.host + before_bytes) / mib, (double) batch.host / mib,
            (double) before_bytes / mib, (double) t2_memory_peak() / mib);
}

static enum t2_status decode(struct tr_trained *t, const struct tr_ensemble *others,
                             const struct dec_hparams *hp, struct t2_err *err)
{
    struct dec_parts parts = {.m = t->m,
                              .inputs = t->inputs,
                              .targets = t->targets,
                              .hp = hp,
                              .seed = given_seed ? (uint64_t) flags.random_seed : t->state.seed,
                              .max_memory =
                                  flags.max_memory ? flags.max_memory : left_for_batches(t),
                              .context_separator = t->data.view->context_separator,
                              .keep_ids = flags.serve[0] != '\0',
                              .others = others->models,
                              .n_others = others->n,
                              .dist = ranks};
    uint64_t before_bytes = tr_program_bytes(t->dev, t2_memory_resident());
    struct dec_translator *translator = NULL;
    enum t2_status st;

    if (flags.score_file[0])
        return score_lines(t, err);
    name_unread(t, hp);
    if (t->data.view->is_images || tr_has_values(&t->data.problem)) {
        describe(t, hp);
        return flags.serve[0] ? serve(t, NULL, &parts, err) : decode_media(t, NULL, hp, err);
    }
    T2_TRY(dist_agree(ranks, dec_translator_new(&parts, &translator, err), err));
    describe(t, hp);
    if (t->data.view->is_speech)
        st = decode_media(t, translator, hp, err);
    else if (flags.serve[0])
        st = serve(t, &translator, &parts, err);
    else
        st = flags.decode_interactive
                 ? dec_decode_typed(translator, hp, flags.max_memory, stdout, err)
                 : decode_file(t, translator, hp, err);
    if (st == T2_OK && !flags.decode_interactive)
        report_memory(t->dev, before_bytes, translator);
    dec_translator_free(translator);
    return st;
}

static enum t2_status check_model_file(struct t2_err *err)
{
    if (flags.output_dir[0] || flags.checkpoint_path[0] || flags.average_checkpoints > 1)
        return t2_fail(err, T2_EUSAGE,
                       "--model=%s is a model that stands alone: --output_dir, --checkpoint_path "
                       "and --average_checkpoints are for runs",
                       flags.model);
    if (flags.keep_timestamp)
        return t2_fail(err, T2_EUSAGE, "--keep_timestamp is for checkpoints of runs");
    if (flags.data_dir[0])
        t2_warn("--data_dir means nothing beside a model that stands alone");
    return T2_OK;
}

/* The model, and what is wanted of it. */
static enum t2_status open_model(struct dec_hparams *hp, struct tr_trained *t, struct t2_err *err)
{
    bool of_file = xch_is_model_file(flags.model);
    struct tr_trained_options o;

    T2_TRY(dec_hparams_parse(flags.decode_hparams, hp, err));
    T2_TRY(join_flags(hp, err));
    T2_TRY(check_flags(err));
    o = trained_options();
    if (of_file)
        T2_TRY(check_model_file(err));
    T2_TRY(tr_need_plugins(flags.t2t_usr_dir, err));
    T2_TRY(tr_trained_open(&o, t, err));
    if (of_file) {
        T2_TRY(dec_hparams_join(t->decode_hparams, flags.decode_hparams, hp, err));
        T2_TRY(join_flags(hp, err));
    }
    if (t->task_id > 0 && hp->multiproblem_task_id < 0)
        hp->multiproblem_task_id = t->task_id;
    T2_TRY(check_ranks(t, err));
    return flags.score_file[0] ? T2_OK : check_kind(t, err);
}

static enum t2_status open_others(const struct tr_trained *t, struct tr_ensemble *others,
                                  struct t2_err *err)
{
    const struct tr_trained_options o = trained_options();

    return tr_ensemble_open(&o, flags.ensemble, t, others, err);
}

static enum t2_status run(struct t2_err *err)
{
    struct tr_trained t = {.dir = NULL};
    struct tr_ensemble others = {.n = 0};
    struct dec_hparams hp;
    enum t2_status st;

    T2_TRY(tr_launch_open(RANK_TIMEOUT_S, &ranks, err));
    st = dist_agree(ranks, open_model(&hp, &t, err), err);
    if (st == T2_OK)
        st = tr_trained_check_alike(&t, ranks, &tool, err);
    if (st == T2_OK && flags.ensemble[0])
        st = dist_agree(ranks, open_others(&t, &others, err), err);
    if (st == T2_OK)
        st = decode(&t, &others, &hp, err);
    tr_ensemble_close(&others);
    tr_trained_close(&t);
    return st;
}

int main(int argc, char **argv)
{
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;

    t2_begin_tool(tool.name);
    st = t2_try_tool(&tool, argc, argv, run, &err);
    return tr_launch_end(ranks, st, &err);
}
