/*
 * tfrec/cmd_report.c - tfrec report: a page about a set of records.
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/pool.h"
#include "tfrec/commands.h"
#include "tfrec/open_vocab.h"
#include "tfrec/report_page.h"
#include "tokenizer/encoder.h"

static const char *output = "";
static const char *vocab_path = "";
static const char *title = "";
static int64_t n_rows = 6, n_images = 18, seed;
static uint64_t image_bytes = 6 << 20;
static uint64_t max_memory = 256 << 20;

enum { MOST_ROWS = 200, MOST_IMAGES = 400 };

static const struct t2_flag table[] = {
    {"o", T2_FLAG_STRING, &output, "FILE", "The page to write (- for the standard output).", NULL},
    {"output", T2_FLAG_STRING, &output, "FILE", "The same as -o.", NULL},
    {"vocab", T2_FLAG_STRING, &vocab_path, "FILE",
     "Vocabulary: shows ids as text, and how many were unknown to it.", NULL},
    {"title", T2_FLAG_STRING, &title, "TEXT", "Heading of the page; else the name of the files.",
     NULL},
    {"rows", T2_FLAG_INT, &n_rows, "N", "Records shown in full, drawn at random.", NULL},
    {"pictures", T2_FLAG_INT, &n_images, "N", "More records of which only the image is shown.",
     NULL},
    {"picture_bytes", T2_FLAG_SIZE, &image_bytes, "SIZE",
     "Bytes of images in the page, at most; 0: none.", NULL},
    {"seed", T2_FLAG_INT, &seed, "N", "Draws other records.", NULL},
    {"max_memory", T2_FLAG_SIZE, &max_memory, "SIZE",
     "Memory for finding duplicates, as in `tfrec stats`.", NULL},
};

static const struct t2_tool tool = {
    .name = "tfrec report",
    .usage = "-o FILE.html [flags] INPUT...",
    .summary = "Writes one HTML page about the records: counts, features, histograms of lengths, "
               "bars of labels, records drawn at random with their images. The page needs no "
               "network and no scripts. Damage ends the reading and is shown in the page (exit "
               "code 1; no page of the standard input then).",
    .examples = "  tfrec report -o train.html train.tfrecord\n"
                "  tfrec report -o x.html --vocab=vocab.subwords data/x-train@100\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

/* What is seen of every batch, in order. */
struct seen {
    struct rec_sample sample;
    struct rec_class_names *names;
    uint64_t *file_records;
};

static enum t2_status see(void *context, const struct tfr_batch *b, struct t2_err *err)
{
    struct seen *s = context;

    (void) err;
    rec_class_names_see(s->names, b);
    s->file_records[b->file_number] += b->n;
    for (size_t i = 0; i < b->n; i++)
        rec_sample_see(&s->sample,
                       (struct rec_drawn){.number = b->first + i,
                                          .file = b->file_number,
                                          .in_file = b->first_in_file + i},
                       b->records[i].data);
    return T2_OK;
}

static enum t2_status write_page(const struct rec_report *r, struct t2_err *err)
{
    struct t2_buf page = {NULL, 0, 0};
    struct t2_out *out = NULL;
    enum t2_status st = t2_out_new(output, &out, err);

    if (st == T2_OK) {
        st = rec_report_print(r, &page, err);
        t2_out_write(out, page.data, page.len_bytes);
        if (st == T2_OK)
            st = t2_out_commit(out, err);
        else
            t2_out_abort(out);
    }
    t2_buf_release(&page);
    return st;
}

static enum t2_status make_page(const struct tfr_inputs *in, const struct tok_encoder *vocab,
                                struct seen *seen, struct t2_err *err)
{
    const struct rec_stats_options o = {.vocab = vocab,
                                        .duplicate_bytes = max_memory,
                                        .accept_damage = true,
                                        .see = see,
                                        .context = seen};
    struct rec_stats *stats = NULL;
    struct t2_pool *pool = rec_pool_new();
    enum t2_status st = rec_stats_collect(in, pool, &o, &stats, err);

    t2_pool_free(pool);
    if (st == T2_OK) {
        rec_sample_finish(&seen->sample, (size_t) n_rows);
        const struct rec_report r = {.stats = stats,
                                     .in = in,
                                     .file_records = seen->file_records,
                                     .sample = &seen->sample,
                                     .n_rows = (size_t) n_rows,
                                     .vocab = vocab,
                                     .vocab_path = vocab_path,
                                     .names = seen->names,
                                     .title = title,
                                     .image_bytes = image_bytes};
        st = write_page(&r, err);
    }
    if (st == T2_OK && stats->damage.status != T2_OK) {
        *err = stats->damage; /* the page is there; the damage is the command's result too */
        st = err->status;
    }
    rec_stats_free(stats);
    return st;
}

static enum t2_status check_flags(struct t2_err *err)
{
    if (output[0] == '\0')
        return t2_fail(err, T2_EUSAGE, "where to? -o FILE.html");
    if (n_rows < 0 || n_rows > MOST_ROWS)
        return t2_fail(err, T2_EUSAGE, "--rows=%" PRId64 ": 0 to %d", n_rows, (int) MOST_ROWS);
    if (n_images < 0 || n_images > MOST_IMAGES)
        return t2_fail(err, T2_EUSAGE, "--pictures=%" PRId64 ": 0 to %d", n_images,
                       (int) MOST_IMAGES);
    return T2_OK;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct tfr_inputs in;
    struct tok_encoder *vocab = NULL;
    struct seen seen = {.file_records = NULL};
    enum t2_status st = rec_parse_inputs(&tool, argc, argv, &in, err);

    if (st == T2_OK)
        st = check_flags(err);
    if (st == T2_OK && vocab_path[0])
        st = rec_open_vocab(vocab_path, &in, &vocab, err);
    if (st == T2_OK) {
        rec_sample_init(&seen.sample, (size_t) (n_rows + n_images), (uint64_t) seed);
        seen.names = rec_class_names_new(&in);
        seen.file_records = t2_alloc(in.n, sizeof *seen.file_records);
        st = make_page(&in, vocab, &seen, err);
        rec_sample_release(&seen.sample);
        rec_class_names_free(seen.names);
        t2_free(seen.file_records);
    }
    tok_free(vocab);
    tfr_inputs_release(&in);
    return st;
}

const struct t2_command rec_cmd_report = {"report", "Writes a page about the records: -o x.html.",
                                          run};
