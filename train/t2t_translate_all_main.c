/*
 * train/t2t_translate_all_main.c - t2t-translate-all: a file translated with every checkpoint of a
 * run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/run_tool.h"
#include "base/shown.h"
#include "train/runs/translate_all.h"

static struct {
    const char *model_dir, *source, *translations_dir, *problem, *reference, *decoder_command;
    const char *data_dir, *t2t_usr_dir, *model, *hparams_set;
    int64_t min_steps, wait_minutes, beam_size;
    double alpha;
    bool json;
} flags = {.model_dir = "",
           .source = "",
           .translations_dir = "translations",
           .problem = "",
           .reference = "",
           .decoder_command = "t2t-decoder {params}",
           .data_dir = "",
           .t2t_usr_dir = "",
           .model = "",
           .hparams_set = "",
           .beam_size = 4,
           .alpha = 0.6};

/* clang-format off */
static const struct t2_flag table[] = {
    {"model_dir", T2_FLAG_STRING, &flags.model_dir, "DIR",
     "Folder of a training run (its --output_dir).", NULL},
    {"source", T2_FLAG_STRING, &flags.source, "FILE", "What is translated, line by line.", NULL},
    {"translations_dir", T2_FLAG_STRING, &flags.translations_dir, "DIR",
     "Where the translations go: <problem>-<steps>. What is there is not made again.", NULL},
    {"reference", T2_FLAG_STRING, &flags.reference, "FILE",
     "Score each translation by it, as t2t-bleu does.", NULL},
    {"min_steps", T2_FLAG_INT, &flags.min_steps, "N", "Leave out checkpoints of earlier steps.", NULL},
    {"wait_minutes", T2_FLAG_INT, &flags.wait_minutes, "N",
     "Go on until no new checkpoint has appeared for so long.", NULL},
    {"json", T2_FLAG_BOOL, &flags.json, NULL, "One object a line instead of the table.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "The decoder", NULL},
    {"beam_size", T2_FLAG_INT, &flags.beam_size, "N", "Of --decode_hparams.", NULL},
    {"alpha", T2_FLAG_DOUBLE, &flags.alpha, "X", "Of --decode_hparams.", NULL},
    {"problem", T2_FLAG_STRING, &flags.problem, "NAME", "As the checkpoints say when not given.", NULL},
    {"data_dir", T2_FLAG_STRING, &flags.data_dir, "DIR", "Likewise.", NULL},
    {"model", T2_FLAG_STRING, &flags.model, "NAME", "Likewise.", NULL},
    {"hparams_set", T2_FLAG_STRING, &flags.hparams_set, "NAME", "Likewise.", NULL},
    {"t2t_usr_dir", T2_FLAG_STRING, &flags.t2t_usr_dir, "DIR", "Problem files and plug-ins of yours.", NULL},
    {"decoder_command", T2_FLAG_STRING, &flags.decoder_command, "TEXT",
     "What is run for each checkpoint, words between blanks; {params} stands for its flags.", NULL},
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "t2t-translate-all",
    .usage = "--model_dir=DIR --source=FILE [flags]",
    .summary = "Translates a file with every checkpoint of a training run, the oldest first, and "
               "with --reference prints what each is worth. Run again, or with --wait_minutes, it "
               "goes on with the new ones.",
    .examples = "  t2t-translate-all --model_dir=run --data_dir=data --source=dev.en \\\n"
                "      --translations_dir=translations --reference=dev.de\n"
                "  t2t-translate-all --model_dir=run --data_dir=data --source=dev.en \\\n"
                "      --decoder_command='mpirun -n 2 t2t-decoder {params}' --wait_minutes=60\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

/* What the table says at its end. */
struct best {
    int64_t step, n;
    double cased;
};

static void print_json(const struct tr_translated *t)
{
    struct t2_buf text = {0};
    struct t2_json j;

    t2_json_init(&j, &text, 0);
    t2_json_object(&j);
    t2_json_kv_i64(&j, "step", t->step);
    t2_json_kv_string(&j, "translation", t->path);
    t2_json_kv_bool(&j, "was_there", t->was_there);
    if (flags.reference[0]) {
        t2_json_kv_double(&j, "BLEU_uncased", t->uncased);
        t2_json_kv_double(&j, "BLEU_cased", t->cased);
    }
    t2_json_end_object(&j);
    (void) puts(t2_buf_cstr(&text));
    t2_buf_release(&text);
}

static void print_row(const struct best *best, const struct tr_translated *t)
{
    struct t2_buf text = {0};

    if (flags.reference[0]) {
        if (best->n == 0)
            t2_buf_printf(&text, "%10s %13s %11s  %s\n", "step", "BLEU_uncased", "BLEU_cased",
                          "translation");
        t2_buf_printf(&text, "%10" PRId64 " %13.2f %11.2f  %s\n", t->step, t->uncased, t->cased,
                      t->path);
    } else {
        t2_buf_printf(&text, "%s%s\n", t->path, t->was_there ? " (was there)" : "");
    }
    t2_show_stdout(t2_buf_slice(&text));
    t2_buf_release(&text);
}

static void translated(void *context, const struct tr_translated *t)
{
    struct best *best = context;

    if (flags.json)
        print_json(t);
    else
        print_row(best, t);
    (void) fflush(stdout);
    if (best->n++ == 0 || t->cased > best->cased) {
        best->step = t->step;
        best->cased = t->cased;
    }
}

static void add_params(struct t2_strs *params)
{
    const struct {
        const char *name, *value;
    } same[] = {{"problem", flags.problem},
                {"data_dir", flags.data_dir},
                {"model", flags.model},
                {"hparams_set", flags.hparams_set},
                {"t2t_usr_dir", flags.t2t_usr_dir}};

    t2_strs_printf(params, "--decode_hparams=beam_size=%" PRId64 ",alpha=%.9g", flags.beam_size,
                   flags.alpha);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (same[i].value[0])
            t2_strs_printf(params, "--%s=%s", same[i].name, same[i].value);
    if (t2_flags_num_threads() > 0)
        t2_strs_printf(params, "--num_threads=%d", t2_flags_num_threads());
    if (t2_flags_quiet())
        t2_strs_push(params, "--quiet");
}

static enum t2_status check_flags(const char *model_dir, struct t2_err *err)
{
    struct t2_file_info at;

    if (flags.model_dir[0] == '\0' || flags.source[0] == '\0')
        return t2_fail(err, T2_EUSAGE, "--model_dir and --source are needed");
    if (flags.min_steps < 0 || flags.wait_minutes < 0)
        return t2_fail(err, T2_EUSAGE, "--min_steps and --wait_minutes must not be negative");
    T2_TRY(t2_look_at(model_dir, &at, err));
    if (at.kind != T2_FILE_DIR)
        return t2_fail(err, T2_ENOTFOUND, "'%s' is no folder", model_dir);
    if (!t2_exists(flags.source))
        return t2_fail(err, T2_ENOTFOUND, "--source: there is no file '%s'", flags.source);
    if (flags.reference[0] && !t2_exists(flags.reference))
        return t2_fail(err, T2_ENOTFOUND, "--reference: there is no file '%s'", flags.reference);
    return T2_OK;
}

static enum t2_status run(struct t2_err *err)
{
    char *model_dir = t2_path_expand(flags.model_dir);
    char *translations_dir = t2_path_expand(flags.translations_dir);
    struct t2_strs params = {0};
    struct best best = {0};
    const struct tr_translate_all a = {.model_dir = model_dir,
                                       .source = flags.source,
                                       .translations_dir = translations_dir,
                                       .problem = flags.problem,
                                       .reference = flags.reference,
                                       .decoder_command = flags.decoder_command,
                                       .params = &params,
                                       .min_steps = flags.min_steps,
                                       .wait_seconds = 60.0 * (double) flags.wait_minutes,
                                       .translated = translated,
                                       .context = &best};
    enum t2_status st = check_flags(model_dir, err);

    add_params(&params);
    if (st == T2_OK)
        st = tr_translate_all(&a, err);
    if (st == T2_OK && flags.reference[0] && !flags.json)
        printf("best: step %" PRId64 ", BLEU_cased %.2f\n", best.step, best.cased);
    t2_strs_release(&params);
    t2_free(translations_dir);
    t2_free(model_dir);
    return st;
}

int main(int argc, char **argv)
{
    return t2_run_tool(&tool, argc, argv, run);
}
