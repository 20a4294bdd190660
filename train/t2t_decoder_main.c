/*
 * train/t2t_decoder_main.c - t2t-decoder: translates files, or line by line, with a trained model;
 * or says what is on images.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/memory_available.h"
#include "base/pool.h"
#include "base/progress.h"
#include "base/run_tool.h"
#include "base/str.h"
#include "base/text.h"
#include "train/decode/decode_file.h"
#include "train/decode/draw_id.h"
#include "train/decode/line_editor.h"
#include "train/eval/bleu.h"
#include "train/runs/memory_plan.h"
#include "train/runs/registry_names.h"
#include "train/runs/run_flags.h"
#include "train/trained/classify.h"
#include "train/trained/trained.h"

static struct {
    const char *problem, *data_dir, *output_dir, *model, *hparams_set, *hparams;
    const char *checkpoint_path, *decode_hparams, *decode_from_file, *decode_to_file;
    const char *decode_reference, *device, *contact_sheet;
    int64_t average_checkpoints, random_seed;
    uint64_t max_memory;
    bool decode_interactive, keep_timestamp, json;
    /* accepted by the original, not usable here */
    const char *text_later;
    int64_t int_later;
    bool bool_later;
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
    .device = "cpu",
    .contact_sheet = "",
    .average_checkpoints = 1,
    .random_seed = 1,
    .text_later = "",
};

static bool given_score, given_test_set, given_shards, given_seed;
static bool given_gpu, given_in_memory, given_grappler, given_usr_dir;

/* clang-format off */
static const struct t2_flag table[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "The trained model", NULL},
    {"output_dir", T2_FLAG_STRING, &flags.output_dir, "DIR",
     "Folder of the training run; its newest checkpoint is taken.", NULL},
    {"checkpoint_path", T2_FLAG_STRING, &flags.checkpoint_path, "STEP|FILE",
     "Another checkpoint: a step of --output_dir, or a file such as run/state-1000.json.", NULL},
    {"average_checkpoints", T2_FLAG_INT, &flags.average_checkpoints, "N",
     "Translate with the mean of the newest N checkpoints.", NULL},
    {"data_dir", T2_FLAG_STRING, &flags.data_dir, "DIR",
     "Folder of the data set it was trained on; its vocabulary is read.", NULL},
    {"problem", T2_FLAG_STRING, &flags.problem, "NAME",
     "Compared with what the checkpoint says; may be left out.", NULL},
    {"model", T2_FLAG_STRING, &flags.model, "NAME",
     "Compared with what the checkpoint says; may be left out.", NULL},
    {"hparams_set", T2_FLAG_STRING, &flags.hparams_set, "NAME",
     "Compared with what the checkpoint says; may be left out.", NULL},
    {"hparams", T2_FLAG_STRING, &flags.hparams, "LIST",
     "Overrides of the checkpoint's hparams, 'name=value,...'.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "What to translate", NULL},
    {"decode_from_file", T2_FLAG_STRING, &flags.decode_from_file, "FILE",
     "Text, one sentence a line; .gz is understood, - is stdin. For a model of images: an image, a "
     "folder of them, a list of files, or a shard.", NULL},
    {"decode_to_file", T2_FLAG_STRING, &flags.decode_to_file, "FILE",
     "Where the translation goes, line by line, when it is complete; - is stdout. Without it "
     "the name is made of that of the input, model, set, problem, beam and alpha. Of images: "
     "lines of file, class and probability, apart by tabs; without it to stdout.", NULL},
    {"decode_reference", T2_FLAG_STRING, &flags.decode_reference, "FILE",
     "Score the translation against this file afterwards.", NULL},
    {"contact_sheet", T2_FLAG_STRING, &flags.contact_sheet, "FILE",
     "Of images: a PNG page of the first 96 with their classes; green and red where the names of "
     "folders, or records, tell the right one.", NULL},
    {"decode_interactive", T2_FLAG_BOOL, &flags.decode_interactive, NULL,
     "Translate what is typed, line by line; q ends.", NULL},
    {"keep_timestamp", T2_FLAG_BOOL, &flags.keep_timestamp, NULL,
     "Give the output file the time of the checkpoint.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "How", NULL},
    {"decode_hparams", T2_FLAG_STRING, &flags.decode_hparams, "LIST",
     "'beam_size=4,alpha=0.6,...': beam_size (1 is greedy), alpha (length penalty), "
     "extra_length (100, of the official Transformer 50), batch_size (32), max_input_size, return_beams, write_beam_scores, "
     "identity_output, shards, shard_id, shards_start_offset, shard_google_format.", NULL},
    {"random_seed", T2_FLAG_INT, &flags.random_seed, "N",
     "With hparam sampling_method=random: what is drawn follows from it; that of the training run when "
     "not given.", &given_seed},
    {"max_memory", T2_FLAG_SIZE, &flags.max_memory, "SIZE",
     "What batches may take by their plan; 0 is what is available beside the model, to the machine "
     "or its container. Batches are made smaller, and sources of which not one fits are cut, with "
     "a warning.", NULL},
    {"device", T2_FLAG_STRING, &flags.device, "NAME", "Where to compute.", NULL},
    {"json", T2_FLAG_BOOL, &flags.json, NULL,
     "Print one JSON object about the run to stdout at the end. Of images: an object for each, "
     "with its five likeliest classes, in place of a line.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL,
     "Flags of the original without a meaning here, passed over with a warning", NULL},
    {"worker_gpu", T2_FLAG_INT, &flags.int_later, "N", "There are no GPUs.", &given_gpu},
    {"decode_in_memory", T2_FLAG_BOOL, &flags.bool_later, NULL, "It always is.", &given_in_memory},
    {"disable_grappler_optimizations", T2_FLAG_BOOL, &flags.bool_later, NULL, "TensorFlow's.",
     &given_grappler},
    {"t2t_usr_dir", T2_FLAG_STRING, &flags.text_later, "DIR",
     "--data_dir tells what the data are.", &given_usr_dir},
    {NULL, T2_FLAG_GROUP, NULL, NULL,
     "Flags of the original that are not in this version: an error", NULL},
    {"score_file", T2_FLAG_STRING, &flags.text_later, "FILE", "Losses of given translations.",
     &given_score},
    {"eval_use_test_set", T2_FLAG_BOOL, &flags.bool_later, NULL, "Translate a data set's shards.",
     &given_test_set},
    {"decode_shards", T2_FLAG_INT, &flags.int_later, "N", "Use shards in --decode_hparams.",
     &given_shards},
};
static const struct t2_flag_values values[] = {
    {"problem", NULL, tr_list_problems},
    {"model", NULL, tr_list_models},
    {"hparams_set", NULL, tr_list_hparams_sets},
    {NULL, NULL, NULL},
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "t2t-decoder",
    .usage = "--output_dir=DIR --data_dir=DIR --decode_from_file=FILE [flags]",
    .summary = "Translates with a trained model: a file, line for line, or what is typed.  With a "
               "model of images: says what is on each.",
    .examples = "  t2t-decoder --output_dir=run --data_dir=data --decode_from_file=in.en \\\n"
                "      --decode_to_file=out.de --decode_hparams='beam_size=4,alpha=0.6'\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
    .values = values,
};

static void name_passed_over(void)
{
    const struct {
        bool given;
        const char *name;
    } passed[] = {{given_gpu, "worker_gpu"},
                  {given_in_memory, "decode_in_memory"},
                  {given_grappler, "disable_grappler_optimizations"},
                  {given_usr_dir, "t2t_usr_dir"}};

    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (passed[i].given)
            t2_warn("--%s means nothing here and is passed over", passed[i].name);
}

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

static enum t2_status check_flags(struct t2_err *err)
{
    if (given_score)
        return t2_fail(err, T2_EUNSUPPORTED, "--score_file is not supported yet");
    if (given_test_set)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "--eval_use_test_set: translating shards is not supported "
                       "yet; give the text by --decode_from_file");
    if (given_shards && flags.int_later > 1)
        return t2_fail(
            err, T2_EUNSUPPORTED,
            "--decode_shards is not supported: use shards and shard_id in --decode_hparams");
    name_passed_over();
    if (flags.average_checkpoints < 1)
        return t2_fail(err, T2_EUSAGE, "--average_checkpoints must be at least 1");
    if (flags.decode_interactive)
        return check_interactive(err);
    if (!flags.decode_from_file[0])
        return t2_fail(err, T2_EUSAGE, "--decode_from_file or --decode_interactive is needed");
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

static void describe(const struct tr_trained *t, const struct dec_hparams *hp)
{
    t2_info("%s, %s of problem %s, step %" PRId64 "%s in '%s'", t->state.model,
            t->state.hparams_set, t->state.problem, t->state.step,
            flags.average_checkpoints > 1 ? " and before, averaged," : "", t->dir);
    t2_info("%s; %s", t->dev->describe(t->dev),
            t->data.problem.class_labels ? "class labels"
            : hp->beam_size > 1          ? "beam search"
                                         : "greedy");
}

/* ---- a file ---- */

static enum t2_status set_time(const struct tr_trained *t, const char *to, struct t2_err *err)
{
    char *state = t2_asprintf("%s/state-%" PRId64 ".json", t->dir, t->state.step);
    struct timespec times[2];
    struct stat info;
    enum t2_status st = T2_OK;

    if (stat(state, &info) == 0) {
        times[0] = times[1] = info.st_mtim;
        if (utimensat(AT_FDCWD, to, times, 0) != 0)
            st = t2_fail(err, T2_EIO, "'%s': its time cannot be set", to);
    } else if (errno != ENOENT) {
        st = t2_fail_errno(err, errno, "cannot look at '%s'", state);
    }
    t2_free(state);
    return st;
}

static enum t2_status score(const char *to, double *bleu, struct t2_err *err)
{
    const bool lower_case[] = {true, false};
    struct ev_bleu scores[2];

    T2_TRY(ev_bleu_files(EV_BLEU_T2T, to, flags.decode_reference, lower_case, 2, scores, err));
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

static void report_json(const struct tr_trained *t, const struct dec_hparams *hp,
                        const struct dec_file_report *r, const char *from, const char *to,
                        const double *bleu)
{
    struct t2_buf out = {NULL, 0, 0};
    struct t2_json json;

    t2_json_init(&json, &out, 0);
    t2_json_object(&json);
    t2_json_kv_string(&json, "problem", t->state.problem);
    t2_json_kv_string(&json, "model", t->state.model);
    t2_json_kv_string(&json, "hparams_set", t->state.hparams_set);
    t2_json_kv_string(&json, "checkpoint_dir", t->dir);
    t2_json_kv_i64(&json, "step", t->state.step);
    t2_json_kv_i64(&json, "average_checkpoints", flags.average_checkpoints);
    t2_json_kv_i64(&json, "beam_size", hp->beam_size);
    t2_json_key(&json, "alpha");
    t2_json_float9(&json, hp->alpha);
    t2_json_kv_string(&json, "decode_from_file", from);
    t2_json_kv_string(&json, "decode_to_file", to);
    t2_json_kv_u64(&json, "lines", r->n_lines);
    t2_json_kv_u64(&json, "empty_lines", r->n_empty);
    t2_json_kv_u64(&json, "cut_lines", r->n_cut);
    t2_json_kv_u64(&json, "target_tokens", r->n_target_ids);
    t2_json_key(&json, "seconds");
    t2_json_float9(&json, r->seconds);
    t2_json_key(&json, "sentences_per_second");
    t2_json_float9(&json, (double) r->n_lines / r->seconds);
    t2_json_key(&json, "target_tokens_per_second");
    t2_json_float9(&json, (double) r->n_target_ids / r->seconds);
    if (flags.decode_reference[0]) {
        t2_json_key(&json, "bleu_uncased");
        t2_json_float9(&json, *bleu);
    }
    t2_json_end_object(&json);
    (void) puts(t2_buf_cstr(&out)); /* main checks when it closes stdout */
    t2_buf_release(&out);
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
    report_text(&report, to);
    if (flags.keep_timestamp && strcmp(to, "-") != 0)
        T2_GOTO(st, out, set_time(t, to, err));
    if (flags.decode_reference[0])
        T2_GOTO(st, out, score(to, &bleu, err));
    if (flags.json)
        report_json(t, hp, &report, name, to, &bleu);
out:
    t2_free(to);
    if (name != from)
        t2_free(name);
    t2_free(from);
    return st;
}

/* ---- line by line ---- */

/* Prints "<translation>" TAB "<score>", one line per hypothesis. */
static enum t2_status translate_line(struct dec_translator *t, const struct dec_hparams *hp,
                                     struct t2_slice line, struct t2_err *err)
{
    int32_t n_best = dec_n_best(hp);
    struct dec_hypothesis *h = t2_alloc((size_t) n_best, sizeof *h);
    struct tok_ids ids = {NULL, 0, 0};
    size_t n_cut;
    enum t2_status st;

    T2_GOTO(st, out, dec_encode(t, line, &ids, &n_cut, err));
    if (n_cut > 0)
        t2_warn("the last %zu ids of the line are left out", n_cut);
    if (ids.n > 0)
        T2_GOTO(st, out, dec_translate(t, &ids, 1, h, err));
    for (int32_t k = 0; k < n_best; k++) {
        fwrite(t2_buf_cstr(&h[k].text), 1, h[k].text.len_bytes, stdout);
        printf("\t%.4f\n", h[k].score);
    }
    fflush(stdout);
out:
    for (int32_t k = 0; k < n_best; k++)
        t2_buf_release(&h[k].text);
    t2_free(h);
    tok_ids_release(&ids);
    return st;
}

/* Lines of a person or of a pipe. */
struct typed {
    struct dec_line_editor *editor; /* NULL: plain lines */
    struct t2_in *in;
    uint64_t n;
};

static enum t2_status next_typed(struct typed *t, struct t2_slice *line, struct t2_err *err)
{
    t->n++;
    if (t->editor)
        return dec_line_editor_next(t->editor, line, err);
    if (isatty(STDIN_FILENO)) {
        fputs("> ", stderr);
        fflush(stderr);
    }
    return t2_in_line(t->in, line, err);
}

static enum t2_status decode_interactive(struct dec_translator *t, const struct dec_hparams *hp,
                                         struct t2_err *err)
{
    struct typed typed = {.editor = NULL};
    struct t2_slice line;
    enum t2_status st;

    T2_TRY(t2_in_new("-", &typed.in, err));
    t2_in_limit_line(typed.in, flags.max_memory);
    typed.editor = dec_line_editor_new("> ");
    if (isatty(STDIN_FILENO))
        t2_info("type a sentence to translate it, q to end%s",
                typed.editor ? "; cursor keys edit it and bring earlier ones back" : "");
    while ((st = next_typed(&typed, &line, err)) == T2_OK) {
        size_t bad = t2_utf8_invalid_at(line.data, line.len_bytes);

        if (line.len_bytes == 1 && line.data[0] == 'q')
            break;
        if (bad < line.len_bytes)
            t2_warn("line %" PRIu64 ", byte %zu: not UTF-8; skipped", typed.n, bad + 1);
        else if ((st = translate_line(t, hp, line, err)) != T2_OK)
            break;
    }
    dec_line_editor_free(typed.editor);
    t2_in_free(typed.in);
    return st == T2_EOF ? T2_OK : st;
}

/* ---- images ---- */

static enum t2_status decode_images(const struct tr_trained *t, const struct dec_hparams *hp,
                                    struct t2_err *err)
{
    char *to = flags.decode_to_file[0] ? t2_path_expand(flags.decode_to_file) : t2_strdup("-");
    struct tr_classify_options o = {.from = flags.decode_from_file,
                                    .to = to,
                                    .contact_sheet = flags.contact_sheet,
                                    .batch_size = hp->batch_size > 0 ? hp->batch_size : 32,
                                    .json = flags.json};
    struct tr_classify_report r;
    enum t2_status st;

    describe(t, hp);
    st = tr_classify(t, &o, &r, err);
    t2_free(to);
    if (st != T2_OK)
        return st;
    if (r.n_known > 0)
        t2_info("%" PRIu64 " of %" PRIu64 " whose class is known are right: %.2f %%", r.n_right,
                r.n_known, 100.0 * (double) r.n_right / (double) r.n_known);
    t2_info("%" PRIu64 " images in %.1f s, %.1f a second%s", r.n_images, r.seconds,
            (double) r.n_images / fmax(r.seconds, 1e-9),
            r.n_bad > 0 ? "; others could not be decoded, see above" : "");
    return T2_OK;
}

/* Checks the flags against the kind of problem that the model was trained on. */
static enum t2_status check_kind(const struct tr_trained *t, struct t2_err *err)
{
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

/* ---- all ---- */

/* Flags and keys that this model, or this way, does not read. */
static void name_unread(const struct tr_trained *t, const struct dec_hparams *hp)
{
    bool is_images = t->data.view->is_images;

    dec_hparams_name_unread(hp, is_images                  ? DEC_USE_IMAGES
                                : flags.decode_interactive ? DEC_USE_TYPED
                                                           : DEC_USE_FILE);
    if (given_seed && (is_images || !dec_draws(mdl_hparams_of(t->m))))
        t2_warn("--random_seed means nothing here: nothing is drawn without hparam "
                "sampling_method=random");
    if (is_images && flags.max_memory > 0)
        t2_warn("--max_memory means nothing here: images are decoded by batches of "
                "--decode_hparams=batch_size=N");
}

/* What batches may take when nobody says it: of what is left when the rest of the program has what
 * it will take, three quarters.  The fourth is for the lines of the file, and for address space
 * that threads and libraries reserve and do not use, where that is what is limited (ulimit -v). */
static uint64_t left_for_batches(const struct tr_trained *t)
{
    uint64_t left = t2_memory_available(), later = tr_program_bytes(t->dev, 0);

    return left > later ? (left - later) / 4 * 3 + 1 : 1;
}

static void report_memory(uint64_t before_bytes, const struct dec_translator *t)
{
    const double mib = 1024.0 * 1024.0;
    uint64_t batch = dec_planned_bytes(t);

    t2_info("memory: %.1f MiB = batch %.1f, model and program %.1f; at most %.1f MiB were used",
            (double) (batch + before_bytes) / mib, (double) batch / mib,
            (double) before_bytes / mib, (double) t2_memory_peak() / mib);
}

static enum t2_status decode(const struct tr_trained *t, const struct dec_hparams *hp,
                             struct t2_err *err)
{
    struct dec_parts parts = {.m = t->m,
                              .inputs = t->inputs,
                              .targets = t->targets,
                              .hp = hp,
                              .pool = t->dev->pool,
                              .seed = given_seed ? (uint64_t) flags.random_seed : t->state.seed,
                              .max_memory =
                                  flags.max_memory ? flags.max_memory : left_for_batches(t),
                              .context_separator = t->data.view->context_separator};
    uint64_t before_bytes = tr_program_bytes(t->dev, t2_memory_resident());
    struct dec_translator *translator;
    enum t2_status st;

    T2_TRY(check_kind(t, err));
    name_unread(t, hp);
    if (t->data.view->is_images)
        return decode_images(t, hp, err);
    T2_TRY(dec_translator_new(&parts, &translator, err));
    describe(t, hp);
    st = flags.decode_interactive ? decode_interactive(translator, hp, err)
                                  : decode_file(t, translator, hp, err);
    if (st == T2_OK && !flags.decode_interactive)
        report_memory(before_bytes, translator);
    dec_translator_free(translator);
    return st;
}

static enum t2_status run(struct t2_err *err)
{
    struct tr_trained_options o;
    struct dec_hparams hp;
    struct tr_trained t;
    enum t2_status st;

    T2_TRY(check_flags(err));
    T2_TRY(dec_hparams_parse(flags.decode_hparams, &hp, err));
    o = (struct tr_trained_options){
        flags.output_dir, flags.checkpoint_path, flags.average_checkpoints, flags.data_dir,
        flags.problem,    flags.model,           flags.hparams_set,         flags.hparams,
        flags.device,     t2_flags_num_threads()};
    T2_TRY(tr_trained_open(&o, &t, err));
    st = decode(&t, &hp, err);
    tr_trained_close(&t);
    return st;
}

int main(int argc, char **argv)
{
    struct t2_err err = T2_ERR_INIT;
    char **kept = NULL;
    int n_kept = 0, code;

    t2_begin_tool(tool.name);
    if (tr_flags_take_foreign(&tool, argc, argv, &kept, &n_kept, &err) != T2_OK)
        return t2_report(&err);
    code = t2_run_tool(&tool, n_kept, kept, run);
    t2_free(kept);
    return code;
}
