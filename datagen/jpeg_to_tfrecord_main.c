/*
 * datagen/jpeg_to_tfrecord_main.c - jpeg-to-tfrecord: images into TFRecords; and what is wrong with
 * them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "augment/pipelines.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/run_tool.h"
#include "datagen/images/check_folder.h"
#include "datagen/images/image_flags.h"
#include "datagen/images/image_sheet.h"
#include "datagen/images/write_images.h"
#include "tfrecord/inputs.h"

enum { IMAGENET_TRAIN_SHARDS = 1024, IMAGENET_VALIDATION_SHARDS = 128, MOST_SHARDS = 100000 };

/* What the flags set. */
static struct {
    const char *check;
    struct dg_image_flags images;
    const char *train_csv, *validation_csv, *labels_file, *image_dir, *layout, *raw_data_dir;
    const char *bounding_boxes, *output_dir, *local_scratch_dir, *task;
    const char *contact_sheet, *pipeline, *records;
    const char *ignored, *gcs_output_path;
    int64_t sheet_images;
    double validation_percent;
    int64_t shards[DG_N_IMAGE_SPLITS], random_seed;
    bool header_only, json, shuffle, overwrite, gcs_upload;
} flags = {
    .check = "",
    .images = DG_IMAGE_FLAGS_INIT,
    .train_csv = "",
    .validation_csv = "",
    .labels_file = "",
    .image_dir = "",
    .layout = "auto",
    .raw_data_dir = "",
    .bounding_boxes = "",
    .output_dir = "",
    .local_scratch_dir = "",
    .task = "0/1",
    .contact_sheet = "",
    .pipeline = "",
    .records = "",
    .sheet_images = 24,
    .ignored = "",
    .gcs_output_path = "",
    .shuffle = true,
};

/* Of flags that mean nothing here. */
static bool given_project_id, given_project, given_runner;

static const struct t2_flag table[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Images in lists", NULL},
    {"train_csv", T2_FLAG_STRING, &flags.train_csv, "FILE",
     "Rows path,label of the training images, without a header.", NULL},
    {"validation_csv", T2_FLAG_STRING, &flags.validation_csv, "FILE",
     "The same of the validation images.", NULL},
    {"labels_file", T2_FLAG_STRING, &flags.labels_file, "FILE",
     "One label a line: their order gives the numbers, from 1.  Left out: the labels that occur, "
     "sorted.",
     NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Images in folders", NULL},
    {"image_dir", T2_FLAG_STRING, &flags.image_dir, "DIR",
     "A folder for each class, or folders train, validation (or val), test with those.  With "
     "--train_csv: paths are below DIR.",
     NULL},
    {"layout", T2_FLAG_STRING, &flags.layout, "WHAT",
     "Of --image_dir: classes; imagenet (train/SYNSET/, validation/, synset_labels.txt); "
     "tiny_imagenet (wnids.txt, with its boxes); auto: by these files.",
     NULL},
    {"validation_percent", T2_FLAG_DOUBLE, &flags.validation_percent, "P",
     "So many of 100 training images become validation images, chosen by a hash of their names, "
     "when there is no folder for it.",
     NULL},
    {"raw_data_dir", T2_FLAG_STRING, &flags.raw_data_dir, "DIR",
     "ImageNet as for imagenet_to_gcs.py, or as it is downloaded (ILSVRC2012_img_train.tar, "
     "ILSVRC2012_img_val.tar, synset_labels.txt).  That program is followed: 1024 + 128 shards in "
     "folders train and validation, its order, its repairs (--reencode=odd).",
     NULL},
    {"bounding_boxes", T2_FLAG_STRING, &flags.bounding_boxes, "FILE",
     "Rows file,xmin,ymin,xmax,ymax with parts of 1: adds image/object/bbox/*.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Records", NULL},
    {"output_dir", T2_FLAG_STRING, &flags.output_dir, "DIR",
     "Where train-00000-of-0000N, validation-... and pictures.manifest.json go.  Nothing there is "
     "deleted.",
     NULL},
    {"train_shards", T2_FLAG_INT, &flags.shards[0], "N", "0: one for 128 MiB of images.", NULL},
    {"validation_shards", T2_FLAG_INT, &flags.shards[1], "N", "The same.", NULL},
    {"test_shards", T2_FLAG_INT, &flags.shards[2], "N", "The same.", NULL},
    {"shuffle", T2_FLAG_BOOL, &flags.shuffle, NULL,
     "Training images in the order of Python's random.shuffle; --noshuffle: as listed.", NULL},
    {"random_seed", T2_FLAG_INT, &flags.random_seed, "N", "Of --shuffle.", NULL},
    {"task", T2_FLAG_STRING, &flags.task, "I/N",
     "Make the shards I, I+N, I+2N, ...: N runs with I from 0 to N-1 make the set, on one machine "
     "or "
     "several; the last one writes the manifest.",
     NULL},
    {"overwrite", T2_FLAG_BOOL, &flags.overwrite, NULL,
     "Replace shards of another set in --output_dir; other files stay.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Looking only", NULL},
    {"check", T2_FLAG_STRING, &flags.check, "DIR",
     "Print a table of the files below DIR: kind by content, size, colours, EXIF orientation and "
     "what would become of each; write nothing.",
     NULL},
    {"header_only", T2_FLAG_BOOL, &flags.header_only, NULL,
     "Read headers only, which is as fast as the disk; damage behind them is not seen.", NULL},
    {"contact_sheet", T2_FLAG_STRING, &flags.contact_sheet, "FILE",
     "Write a page of the images as a PNG file: each with its label and the crop on it, and as the "
     "trainer will see it.  Without --output_dir nothing is converted.",
     NULL},
    {"pipeline", T2_FLAG_STRING, &flags.pipeline, "NAME",
     "Of --contact_sheet: how the trainer will see them (docs/images.md); without the flag "
     "resnet_train.  The crops are drawn with --random_seed.",
     NULL},
    {"sheet_pictures", T2_FLAG_INT, &flags.sheet_images, "N",
     "How many images, 1 to 1000, spread evenly over the list.", NULL},
    {"records", T2_FLAG_STRING, &flags.records, "INPUT",
     "Of --contact_sheet: records of images to show, a file, folder, glob or manifest.", NULL},
    {"json", T2_FLAG_BOOL, &flags.json, NULL,
     "A JSON object for each file, and one for all; of a conversion, one.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Which images, and as which bytes", NULL},
#define ROW(role, name, type, value, meta, help) {name, T2_FLAG_##type, value, meta, help, NULL},
    DG_IMAGE_ROWS(ROW, DECIDES, flags.images, ", with --raw_data_dir odd")
#undef ROW
        {NULL, T2_FLAG_GROUP, NULL, NULL, "Of the originals", NULL},
    {"local_scratch_dir", T2_FLAG_STRING, &flags.local_scratch_dir, "DIR", "Is --output_dir.",
     NULL},
    {"project_id", T2_FLAG_STRING, &flags.ignored, "ID", "Not needed here.", &given_project_id},
    {"project", T2_FLAG_STRING, &flags.ignored, "ID", "Not needed here.", &given_project},
    {"runner", T2_FLAG_STRING, &flags.ignored, "NAME", "Not needed here: one program, all CPUs.",
     &given_runner},
    {"gcs_output_path", T2_FLAG_STRING, &flags.gcs_output_path, "URL",
     "Refused: upload the finished set with gsutil.", NULL},
    {"gcs_upload", T2_FLAG_BOOL, &flags.gcs_upload, NULL,
     "Refused, too; --nogcs_upload is how it is.", NULL},
};

static void list_pipelines(struct t2_strs *names)
{
    for (size_t i = 0; aug_pipeline_at(i) != NULL; i++)
        t2_strs_push(names, aug_pipeline_at(i)->name);
}

static const struct t2_flag_values values[] = {
    {"layout", "auto classes imagenet tiny_imagenet", NULL},
    {"pipeline", NULL, list_pipelines},
    {"on_error", "fail skip quarantine", NULL},
    {"exif", "apply ignore", NULL},
    {"reencode", "never odd always", NULL},
    {NULL, NULL, NULL},
};

static const struct t2_tool tool = {
    .name = "jpeg-to-tfrecord",
    .usage = "(--train_csv=FILE | --image_dir=DIR | --raw_data_dir=DIR) --output_dir=DIR [flags]",
    .summary = "Makes TFRecords of images, with their own bytes; or looks through folders: what "
               "each file really is, and whether TensorFlow would decode it.",
    .examples = "  jpeg-to-tfrecord --image_dir=flowers --validation_percent=10 --output_dir=out\n"
                "  jpeg-to-tfrecord --check=photos --exif=apply --reencode=odd --json\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
    .local_flags = "output_dir quarantine_dir", /* a run continues by the times of its files */
    .values = values,
};

/* Errors, orientation, new bytes: both of --check and of converting. */
static enum t2_status read_admission(struct dg_image_policy *policy, struct dg_refusals *refusals,
                                     struct t2_err *err)
{
    T2_TRY(dg_image_flags_read(&flags.images,
                               flags.raw_data_dir[0] ? AUG_REENCODE_ODD : AUG_REENCODE_NEVER,
                               policy, refusals, err));
    policy->admit.header_only = flags.header_only;
    return T2_OK;
}

static enum t2_status check(struct t2_err *err)
{
    struct dg_check_options options = {.json = flags.json, .num_threads = t2_flags_num_threads()};
    struct dg_image_policy policy = {.decode_all = true};

    T2_TRY(read_admission(&policy, &options.refusals, err));
    options.policy = policy.admit;
    return dg_check_folder(flags.check, &options, err);
}

/* ---- converting ---- */

static const char *output_dir(void)
{
    return flags.output_dir[0] ? flags.output_dir : flags.local_scratch_dir;
}

static enum t2_status read_task(struct dg_write_images *w, struct t2_err *err)
{
    struct t2_strs parts = {NULL, 0, 0};
    int64_t task = -1, n = 0;
    bool good;

    t2_strs_split(&parts, flags.task, '/');
    good = parts.n == 2 && t2_parse_i64(parts.items[0], &task) &&
           t2_parse_i64(parts.items[1], &n) && n >= 1 && n <= MOST_SHARDS && task >= 0 && task < n;
    t2_strs_release(&parts);
    if (!good)
        return t2_fail(err, T2_EUSAGE, "--task='%s': must be I/N with I from 0 to N-1", flags.task);
    w->task = (int) task;
    w->n_tasks = (int) n;
    return T2_OK;
}

static enum t2_status check_sources(struct t2_err *err)
{
    bool csv = flags.train_csv[0] || flags.validation_csv[0];
    bool folder = flags.image_dir[0] && !csv;

    if (csv + folder + (flags.raw_data_dir[0] != 0) != 1)
        return t2_fail(err, T2_EUSAGE,
                       "one of --train_csv (with --validation_csv), --image_dir, --raw_data_dir is "
                       "needed, or --check");
    if (!output_dir()[0] && !flags.contact_sheet[0])
        return t2_fail(err, T2_EUSAGE, "--output_dir=DIR is needed");
    if (given_project_id)
        t2_warn("--project_id means nothing here and is passed over");
    if (given_project)
        t2_warn("--project means nothing here and is passed over");
    if (given_runner)
        t2_warn("--runner means nothing here and is passed over");
    if (flags.gcs_upload || flags.gcs_output_path[0])
        return t2_fail(err, T2_EUNSUPPORTED,
                       "nothing is uploaded: write to a local --output_dir, then gsutil -m cp -r");
    if (flags.validation_percent < 0 || flags.validation_percent >= 100)
        return t2_fail(err, T2_EUSAGE, "--validation_percent=%g: must be 0 to below 100",
                       flags.validation_percent);
    if (flags.validation_percent > 0 && !folder)
        return t2_fail(err, T2_EUSAGE, "--validation_percent is of --image_dir");
    if (flags.header_only)
        return t2_fail(err, T2_EUSAGE, "--header_only is of --check");
    if (flags.bounding_boxes[0] && strcmp(flags.images.exif, "apply") == 0)
        return t2_fail(err, T2_EUNSUPPORTED, "boxes are not turned: --exif=apply without them");
    return T2_OK;
}

static enum t2_status settings(struct dg_write_images *w, struct t2_err *err)
{
    w->imagenet_to_gcs = flags.raw_data_dir[0] != 0;
    T2_TRY(read_admission(&w->policy, &w->refusals, err));
    T2_TRY(read_task(w, err));
    for (int split = 0; split < DG_N_IMAGE_SPLITS; split++) {
        if (flags.shards[split] < 0 || flags.shards[split] > MOST_SHARDS)
            return t2_fail(err, T2_EUSAGE, "--%s_shards=%" PRId64 ": must be 1 to %d",
                           dg_image_split_name((enum dg_image_split) split), flags.shards[split],
                           MOST_SHARDS);
        w->n_shards[split] = (int) flags.shards[split];
    }
    if (flags.random_seed < 0)
        return t2_fail(err, T2_EUSAGE, "--random_seed must not be negative");
    if (w->imagenet_to_gcs && !w->n_shards[DG_IMAGES_TRAIN])
        w->n_shards[DG_IMAGES_TRAIN] = IMAGENET_TRAIN_SHARDS;
    if (w->imagenet_to_gcs && !w->n_shards[DG_IMAGES_VALIDATION])
        w->n_shards[DG_IMAGES_VALIDATION] = IMAGENET_VALIDATION_SHARDS;
    w->output_dir = output_dir();
    w->shuffle = flags.shuffle;
    w->random_seed = (uint64_t) flags.random_seed;
    w->overwrite = flags.overwrite;
    w->num_threads = t2_flags_num_threads();
    return T2_OK;
}

static enum t2_status list_images(struct dg_images *l, struct t2_err *err)
{
    const char *const lists[] = {flags.train_csv, flags.validation_csv, ""};
    enum dg_folder_layout layout;

    if (!dg_parse_folder_layout(flags.layout, &layout))
        return t2_fail(err, T2_EUSAGE,
                       "--layout='%s': known are auto, classes, imagenet, "
                       "tiny_imagenet",
                       flags.layout);
    if (flags.labels_file[0]) {
        T2_TRY(dg_images_read_labels(flags.labels_file, &l->labels, err));
        t2_info("Read in %zu labels, from %s to %s", l->labels.n, l->labels.items[0],
                l->labels.items[l->labels.n - 1]);
    }
    if (flags.train_csv[0] || flags.validation_csv[0])
        T2_TRY(dg_images_read_csv(lists, flags.image_dir, l, err));
    else if (flags.raw_data_dir[0])
        T2_TRY(dg_images_read_folders(flags.raw_data_dir, DG_FOLDERS_IMAGENET, 0, l, err));
    else
        T2_TRY(dg_images_read_folders(flags.image_dir, layout, flags.validation_percent, l, err));
    if (flags.bounding_boxes[0])
        T2_TRY(dg_images_read_boxes(flags.bounding_boxes, l, err));
    return T2_OK;
}

static void report_json(const struct dg_images_made *m, struct t2_buf *text)
{
    struct t2_json j;

    t2_json_init(&j, text, 0);
    t2_json_object(&j);
    t2_json_kv_string(&j, "output_dir", output_dir());
    t2_json_kv_bool(&j, "complete", m->is_complete);
    t2_json_kv_bool(&j, "was_complete", m->was_complete);
    for (int split = 0; split < DG_N_IMAGE_SPLITS; split++)
        t2_json_kv_u64(&j, dg_image_split_name((enum dg_image_split) split), m->n_records[split]);
    t2_json_kv_u64(&j, "dropped", m->n_dropped);
    t2_json_kv_u64(&j, "reencoded", m->n_reencoded);
    t2_json_kv_u64(&j, "bytes", m->bytes);
    t2_json_end_object(&j);
    t2_buf_push(text, '\n');
}

static void report_text(const struct dg_images_made *m, struct t2_buf *text)
{
    if (m->was_complete) {
        t2_buf_printf(text, "%s: complete already\n", output_dir());
        return;
    }
    for (int split = 0; split < DG_N_IMAGE_SPLITS; split++)
        if (m->n_records[split])
            t2_buf_printf(text, "%s: %" PRIu64 " records\n",
                          dg_image_split_name((enum dg_image_split) split), m->n_records[split]);
    if (m->n_dropped)
        t2_buf_printf(text, "left out: %" PRIu64 " (pictures.dropped.jsonl)\n", m->n_dropped);
    if (m->n_reencoded)
        t2_buf_printf(text, "made anew: %" PRIu64 "\n", m->n_reencoded);
    if (!m->is_complete)
        t2_buf_puts(text, "shards of other tasks are still to come\n");
}

static enum t2_status report(const struct dg_images_made *m, struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    struct t2_out *out = NULL;
    enum t2_status st = t2_out_new("-", &out, err);

    if (flags.json)
        report_json(m, &text);
    else
        report_text(m, &text);
    if (st == T2_OK) {
        t2_out_write(out, text.data, text.len_bytes);
        st = t2_out_commit(out, err);
    }
    t2_buf_release(&text);
    return st;
}

static struct dg_sheet_spec sheet_spec(void)
{
    return (struct dg_sheet_spec){.path = flags.contact_sheet,
                                  .pipeline = flags.pipeline,
                                  .n_images = flags.sheet_images,
                                  .seed = (uint64_t) flags.random_seed};
}

static enum t2_status show_records(struct t2_err *err)
{
    const struct dg_sheet_spec sheet = sheet_spec();
    struct t2_strs args = {NULL, 0, 0}, files = {NULL, 0, 0};
    struct tfr_inputs inputs = {.n = 0};
    enum t2_status st;

    if (!flags.contact_sheet[0] || flags.image_dir[0] || flags.train_csv[0] ||
        flags.validation_csv[0] || flags.raw_data_dir[0] || output_dir()[0])
        return t2_fail(err, T2_EUSAGE,
                       "--records is of --contact_sheet, and goes with no other images");
    t2_strs_push(&args, flags.records);
    st = tfr_inputs_find(&args, &inputs, err);
    for (size_t i = 0; i < inputs.n; i++)
        t2_strs_push(&files, inputs.files[i].path);
    if (st == T2_OK)
        st = dg_sheet_of_records(&files, NULL, 0, &sheet, err);
    tfr_inputs_release(&inputs);
    t2_strs_release(&files);
    t2_strs_release(&args);
    return st;
}

static enum t2_status convert(struct t2_err *err)
{
    struct dg_write_images w = {.task = 0};
    struct dg_images list = {.n = 0};
    struct dg_images_made made = {.bytes = 0};
    const struct dg_sheet_spec sheet = sheet_spec();
    enum t2_status st;

    T2_TRY(check_sources(err));
    if (flags.contact_sheet[0])
        T2_TRY(dg_sheet_check(&sheet, err));
    T2_TRY(settings(&w, err));
    st = list_images(&list, err);
    if (st == T2_OK && list.n_drops)
        t2_warn("%zu files left out: %s (first: '%s')", list.n_drops, list.drops[0].why,
                list.drops[0].path);
    if (st == T2_OK && flags.contact_sheet[0])
        st = dg_sheet_of_list(&list, &w.policy, &sheet, err);
    if (st == T2_OK && output_dir()[0])
        st = dg_write_images(&list, &w, &made, err);
    if (st == T2_OK && output_dir()[0])
        st = report(&made, err);
    dg_images_release(&list);
    return st;
}

static enum t2_status run(struct t2_err *err)
{
    if (flags.check[0])
        return check(err);
    return flags.records[0] ? show_records(err) : convert(err);
}

int main(int argc, char **argv)
{
    return t2_run_tool(&tool, argc, argv, run);
}
