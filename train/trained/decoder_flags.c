/*
 * train/trained/decoder_flags.c - see the header.
 */
#include "train/trained/decoder_flags.h"

#include <inttypes.h>
#include <string.h>

#include "train/exchange/model_file.h"
#include "train/runs/foreign_flags.h"
#include "train/runs/registry_names.h"

struct tr_decoder_flags tr_decoder_flags = {
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
    .shortlist = "",
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

/* clang-format off */
static const struct t2_flag table[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "The trained model", NULL},
    {"output_dir", T2_FLAG_STRING, &tr_decoder_flags.output_dir, "DIR", "Folder of the training run; its newest checkpoint is taken.", NULL},
    {"checkpoint_path", T2_FLAG_STRING, &tr_decoder_flags.checkpoint_path, "STEP|FILE",
     "Another checkpoint: a step of --output_dir, or a file such as run/state-1000.json.", NULL},
    {"average_checkpoints", T2_FLAG_INT, &tr_decoder_flags.average_checkpoints, "N", "Translate with the mean of the newest N checkpoints.", NULL},
    {"ensemble", T2_FLAG_STRING, &tr_decoder_flags.ensemble, "LIST",
     "Further models, with commas between them, that translate together with the first: steps of "
     "--output_dir, folders of other runs, files such as run2/state-1000.json; beside a model that "
     "stands alone, other such files. Each id is chosen by the mean of their logits.", NULL},
    {"data_dir", T2_FLAG_STRING, &tr_decoder_flags.data_dir, "DIR", "Folder of the data set it was trained on; its vocabulary is read.", NULL},
    {"problem", T2_FLAG_STRING, &tr_decoder_flags.problem, "NAME", "Compared with what the checkpoint says; may be left out.", NULL},
    {"model", T2_FLAG_STRING, &tr_decoder_flags.model, "FILE|NAME",
     "A file of t2t-exporter --format=bundle, which needs neither --output_dir nor --data_dir. A name is compared with what the checkpoint says, and may be left out.", NULL},
    {"hparams_set", T2_FLAG_STRING, &tr_decoder_flags.hparams_set, "NAME", "Compared with what the checkpoint says; may be left out.", NULL},
    {"hparams", T2_FLAG_STRING, &tr_decoder_flags.hparams, "LIST", "Overrides of the checkpoint's hparams, 'name=value,...'.", NULL},
    {"t2t_usr_dir", T2_FLAG_STRING, &tr_decoder_flags.t2t_usr_dir, "DIR", "Plug-ins with models of your own (.so), as t2t-trainer had them.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "What to translate", NULL},
    {"decode_from_file", T2_FLAG_STRING, &tr_decoder_flags.decode_from_file, "FILE",
     "Text, one sentence a line; .gz is understood, - is stdin. For a model of images: an image, a folder of them, a list of files, or a shard. For one of speech: a sound file, a folder, or a "
     "list of them, with what is said behind a tab if it is known. For one that finds answers: SQuAD's JSON. Without it, and no other flag that says what: the samples of the data set.", NULL},
    {"eval_use_test_set", T2_FLAG_BOOL, &tr_decoder_flags.eval_use_test_set, NULL,
     "Of the data set decode the test samples in place of those of dev.", NULL},
    {"decode_to_file", T2_FLAG_STRING, &tr_decoder_flags.decode_to_file, "FILE",
     "Where the translation goes, line by line, when it is complete; - is stdout. Without it the name is made of that of the input, model, set, problem, beam and alpha; of samples it is DIR/decode_00000/PROBLEM-STEP.decodes, DIR that of the run. Of images: "
     "lines of file, class and probability, apart by tabs; without it to stdout.", NULL},
    {"decode_reference", T2_FLAG_STRING, &tr_decoder_flags.decode_reference, "FILE",
     "Score the translation against this file afterwards.", NULL},
    {"contact_sheet", T2_FLAG_STRING, &tr_decoder_flags.contact_sheet, "FILE",
     "Of images: a PNG page of the first 96 with their classes; green and red where the names of folders, or records, tell the right one.", NULL},
    {"decode_interactive", T2_FLAG_BOOL, &tr_decoder_flags.decode_interactive, NULL,
     "Translate what is typed, line by line; q ends.", NULL},
    {"score_file", T2_FLAG_STRING, &tr_decoder_flags.score_file, "FILE",
     "Lines of source, TAB, translation (of a language model a text): the loss of each translation, in nats an id, becomes a line of --decode_to_file.", NULL},
    {"draw_images", T2_FLAG_INT, &tr_decoder_flags.draw_images, "N",
     "With a model that makes images: draw N, of each class where it has classes, by hparams sampling_method and sampling_temp. They become PNG files in folder --decode_to_file, and the "
     "first 256 the page --contact_sheet.", NULL},
    {"keep_timestamp", T2_FLAG_BOOL, &tr_decoder_flags.keep_timestamp, NULL,
     "Give the output file the time of the checkpoint.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Serving", NULL},
    {"serve", T2_FLAG_STRING, &tr_decoder_flags.serve, "HOST:PORT",
     "Answer requests over HTTP, in the shape of TensorFlow Serving's REST interface, until a signal comes; a newer checkpoint of --output_dir is taken up. Port 0 is any; the address is printed.", NULL},
    {"serve_name", T2_FLAG_STRING, &tr_decoder_flags.serve_name, "NAME",
     "NAME of /v1/models/NAME:predict; without it that of the model.", NULL},
    {"serve_body", T2_FLAG_SIZE, &tr_decoder_flags.serve_body, "SIZE", "The longest body of a request.", NULL},
    {"serve_instances", T2_FLAG_INT, &tr_decoder_flags.serve_instances, "N", "The most instances of a request.", NULL},
    {"serve_ids", T2_FLAG_INT, &tr_decoder_flags.serve_ids, "N", "The longest source, in ids.", NULL},
    {"serve_queue", T2_FLAG_INT, &tr_decoder_flags.serve_queue, "N", "Instances that may wait; 429 beyond.", NULL},
    {"serve_timeout", T2_FLAG_INT, &tr_decoder_flags.serve_timeout, "SECONDS",
     "What has waited so long is answered with 503; a client that sends nothing so long is left.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "How", NULL},
    {"decode_hparams", T2_FLAG_STRING, &tr_decoder_flags.decode_hparams, "LIST",
     "'beam_size=4,alpha=0.6,...': beam_size (1 is greedy), alpha, extra_length, "
     "no_repeat_ngram_size, batch_size (32), max_input_size, return_beams, write_beam_scores, "
     "identity_output, delimiter, num_decodes, skip_eos_postprocess, force_decode_length, shards, "
     "multiproblem_task_id, decode_to_file, decode_reference, shard_id, shards_start_offset, "
     "shard_google_format. Of questions: vocab_file (BERT's), n_best_size, max_answer_length, doc_stride, query_length, do_lower_case, version_2_with_negative, null_score_diff_threshold.", NULL},
    {"shortlist", T2_FLAG_STRING, &tr_decoder_flags.shortlist, "FILE",
     "Lines of source symbols, TAB, target symbols (CTranslate2's vmap): a translation consists of what those of its source may become, and of what a line that begins with TAB has.", NULL},
    {"decode_shards", T2_FLAG_INT, &tr_decoder_flags.decode_shards, "N",
     "shards of --decode_hparams: the file is one of so many.", &tr_decoder_flags.given_shards},
    {"worker_id", T2_FLAG_INT, &tr_decoder_flags.worker_id, "N", "shard_id of --decode_hparams.",
     &tr_decoder_flags.given_worker},
    {"random_seed", T2_FLAG_INT, &tr_decoder_flags.random_seed, "N",
     "With hparam sampling_method=random: what is drawn follows from it; that of the training run when "
     "not given.", &tr_decoder_flags.given_seed},
    {"max_memory", T2_FLAG_SIZE, &tr_decoder_flags.max_memory, "SIZE",
     "What batches may take by their plan; 0 is what is available beside the model, to the machine "
     "or its container. Batches are made smaller, and sources of which not one fits are cut, with "
     "a warning.", NULL},
    {"device", T2_FLAG_STRING, &tr_decoder_flags.device, "NAME", "auto: a GPU where there is one, else cpu; cuda, cuda:1, cpu, reference.", NULL},
    {"precision", T2_FLAG_STRING, &tr_decoder_flags.precision, "NAME", "float32; bfloat16: weights of dense layers and logits rounded to that; or int8: these as 8-bit whole numbers with a scale a column, activations with a scale a row. Attention and sums stay float32.", NULL},
    {"json", T2_FLAG_BOOL, &tr_decoder_flags.json, NULL,
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
    {"decode_in_memory", true, NULL, "results are always held until they are complete; decode_in_memory of --decode_hparams is for data sets"},
    {"disable_grappler_optimizations", true, NULL, "it is TensorFlow's"},
    {"worker_gpu", false, NULL, "--device says what is computed on"},
    {NULL, false, NULL, NULL},
};
/* clang-format on */

const struct t2_tool tr_decoder_tool = {
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
    } of_files[] = {{tr_decoder_flags.decode_to_file[0] != '\0', "decode_to_file"},
                    {tr_decoder_flags.decode_reference[0] != '\0', "decode_reference"},
                    {tr_decoder_flags.keep_timestamp, "keep_timestamp"},
                    {tr_decoder_flags.json, "json"}};

    if (tr_decoder_flags.decode_from_file[0])
        return t2_fail(err, T2_EUSAGE,
                       "--decode_interactive and --decode_from_file exclude each other");
    if (tr_decoder_flags.contact_sheet[0])
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
    if (tr_decoder_flags.decode_from_file[0] || tr_decoder_flags.decode_interactive)
        return t2_fail(err, T2_EUSAGE,
                       "--score_file excludes --decode_from_file and --decode_interactive");
    if (!tr_decoder_flags.decode_to_file[0])
        return t2_fail(err, T2_EUSAGE, "--score_file needs --decode_to_file");
    if (tr_decoder_flags.decode_reference[0] || tr_decoder_flags.contact_sheet[0] ||
        tr_decoder_flags.json || tr_decoder_flags.keep_timestamp)
        return t2_fail(err, T2_EUSAGE,
                       "--decode_reference, --contact_sheet, --json and --keep_timestamp are for "
                       "--decode_from_file, not for --score_file");
    return T2_OK;
}

/* Images come from nothing. */
static enum t2_status check_draw(struct t2_err *err)
{
    if (tr_decoder_flags.decode_from_file[0] || tr_decoder_flags.decode_interactive ||
        tr_decoder_flags.json)
        return t2_fail(err, T2_EUSAGE,
                       "--draw_images excludes --decode_from_file, --decode_interactive, --json");
    if (tr_decoder_flags.draw_images < 1 ||
        (!tr_decoder_flags.decode_to_file[0] && !tr_decoder_flags.contact_sheet[0]))
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
    } numbers[] = {{"serve_instances", tr_decoder_flags.serve_instances, 1 << 16},
                   {"serve_ids", tr_decoder_flags.serve_ids, 1 << 20},
                   {"serve_queue", tr_decoder_flags.serve_queue, 1 << 20},
                   {"serve_timeout", tr_decoder_flags.serve_timeout, 1 << 20},
                   {"serve_body", (int64_t) (tr_decoder_flags.serve_body >> 1), 1 << 29}};

    if (tr_decoder_flags.decode_from_file[0] || tr_decoder_flags.decode_interactive ||
        tr_decoder_flags.score_file[0])
        return t2_fail(
            err, T2_EUSAGE,
            "--serve excludes --decode_from_file, --decode_interactive and --score_file");
    if (tr_decoder_flags.decode_to_file[0] || tr_decoder_flags.decode_reference[0] ||
        tr_decoder_flags.contact_sheet[0] || tr_decoder_flags.json ||
        tr_decoder_flags.keep_timestamp)
        return t2_fail(err, T2_EUSAGE,
                       "--decode_to_file, --decode_reference, --contact_sheet, --json and "
                       "--keep_timestamp are for --decode_from_file, not for --serve");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].value < 1 || numbers[i].value > numbers[i].most)
            return t2_fail(err, T2_EUSAGE, "--%s is out of range", numbers[i].name);
    if (tr_decoder_flags.serve_queue < tr_decoder_flags.serve_instances)
        return t2_fail(err, T2_EUSAGE,
                       "--serve_queue=%" PRId64 " is less than the %" PRId64
                       " of --serve_instances",
                       tr_decoder_flags.serve_queue, tr_decoder_flags.serve_instances);
    if (strspn(tr_decoder_flags.serve_name,
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") !=
        strlen(tr_decoder_flags.serve_name))
        return t2_fail(err, T2_EUSAGE, "--serve_name='%s': letters, digits and ._- make a name",
                       tr_decoder_flags.serve_name);
    return T2_OK;
}

bool tr_decoder_decodes_set(void)
{
    return !tr_decoder_flags.serve[0] && !tr_decoder_flags.score_file[0] &&
           tr_decoder_flags.draw_images == 0 && !tr_decoder_flags.decode_interactive &&
           !tr_decoder_flags.decode_from_file[0];
}

static enum t2_status check_set(struct t2_err *err)
{
    if (!tr_decoder_flags.data_dir[0])
        return t2_fail(
            err, T2_EUSAGE,
            "--decode_from_file, --score_file, --decode_interactive, --draw_images or --serve is "
            "needed, or --data_dir, whose samples are decoded");
    if (xch_is_model_file(tr_decoder_flags.model))
        return t2_fail(err, T2_EUSAGE,
                       "a model that stands alone has no data set: --decode_from_file, "
                       "--decode_interactive or --serve is needed");
    if (tr_decoder_flags.decode_reference[0] || tr_decoder_flags.contact_sheet[0] ||
        strcmp(tr_decoder_flags.decode_to_file, "-") == 0)
        return t2_fail(err, T2_EUSAGE,
                       "without --decode_from_file samples of the data set are decoded, which have "
                       "no --decode_reference, --contact_sheet or --decode_to_file=-");
    return T2_OK;
}

enum t2_status tr_decoder_check_flags(struct t2_err *err)
{
    if (tr_decoder_flags.ensemble[0] &&
        (tr_decoder_flags.serve[0] || tr_decoder_flags.score_file[0] ||
         tr_decoder_flags.draw_images != 0))
        return t2_fail(err, T2_EUSAGE,
                       "--ensemble is for --decode_from_file and --decode_interactive");
    if (tr_decoder_flags.average_checkpoints < 1)
        return t2_fail(err, T2_EUSAGE, "--average_checkpoints must be at least 1");
    if (tr_decoder_flags.serve[0])
        return check_serve(err);
    if (tr_decoder_flags.score_file[0])
        return check_score(err);
    if (tr_decoder_flags.draw_images != 0)
        return check_draw(err);
    if (tr_decoder_flags.decode_interactive)
        return check_interactive(err);
    if (tr_decoder_decodes_set())
        return check_set(err);
    if (tr_decoder_flags.json && strcmp(tr_decoder_flags.decode_to_file, "-") == 0)
        return t2_fail(err, T2_EUSAGE, "--json and --decode_to_file=- both want stdout");
    if (tr_decoder_flags.decode_reference[0] && strcmp(tr_decoder_flags.decode_to_file, "-") == 0)
        return t2_fail(err, T2_EUSAGE, "--decode_reference needs a file in --decode_to_file");
    if (tr_decoder_flags.keep_timestamp && strcmp(tr_decoder_flags.decode_to_file, "-") == 0)
        return t2_fail(err, T2_EUSAGE, "--keep_timestamp needs a file in --decode_to_file");
    if (strcmp(tr_decoder_flags.decode_from_file, "-") == 0 && !tr_decoder_flags.decode_to_file[0])
        return t2_fail(err, T2_EUSAGE, "--decode_from_file=- needs --decode_to_file");
    return T2_OK;
}

enum t2_status tr_decoder_join_flags(struct dec_hparams *hp, struct t2_err *err)
{
    bool of_file = tr_decoder_flags.decode_from_file[0] || tr_decoder_flags.score_file[0] ||
                   tr_decoder_decodes_set();

    if (of_file && !tr_decoder_flags.decode_to_file[0])
        tr_decoder_flags.decode_to_file = hp->decode_to_file;
    if (of_file && !tr_decoder_flags.decode_reference[0])
        tr_decoder_flags.decode_reference = hp->decode_reference;
    if (tr_decoder_flags.given_shards)
        hp->shards = tr_decoder_flags.decode_shards;
    if (tr_decoder_flags.given_worker)
        hp->shard_id = tr_decoder_flags.worker_id;
    if (hp->shards < 1 || hp->shard_id < 0 || hp->shard_id >= hp->shards)
        return t2_fail(err, T2_EUSAGE,
                       "--worker_id=%" PRId64 " is not one of the %" PRId64 " of --decode_shards",
                       hp->shard_id, hp->shards);
    return T2_OK;
}
