/*
 * vocab/cmd_verify.c - t2t-vocab verify: compares the ids that two vocabularies give each line of a
 * corpus, and the texts that the ids decode to.
 *
 * Blocks of lines are encoded by both on all threads; what is kept of a block is counts and the
 * first few lines that differ, so memory does not grow with the corpus.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/pool.h"
#include "tokenizer/encoder.h"
#include "tokenizer/named_encoders.h"
#include "tokenizer/unicode.h"
#include "vocab/corpus.h"
#include "vocab/entry_text.h"
#include "vocab/vocab_commands.h"

enum {
    CACHE_BYTES = 32 << 20,
    A = 0,
    B = 1,
    TEXT_SHOWN = 200,
    IDS_BEFORE = 2,
    IDS_SHOWN = 8,
    BYTES_BEFORE = 24, /* of a decoded text */
    BYTES_SHOWN = 80
};

static struct voc_corpus corpus = {.field = "", .feature = "", .as_in_files = true};
static const char *with = "", *unicode = "11";
static int64_t n_shown = 5;
static bool as_json, with_texts;

/* clang-format off */
static const struct t2_flag table[] = {
    {"with", T2_FLAG_STRING, &with, "CORPUS", "The lines to encode; - is the standard input.", NULL},
    {"decode", T2_FLAG_BOOL, &with_texts, NULL,
     "Turn the ids of each line back into text as well, and compare the texts.", NULL},
    {"n", T2_FLAG_INT, &n_shown, "N", "How many of the lines that differ are shown.", NULL},
    {"json", T2_FLAG_BOOL, &as_json, NULL, "One JSON object.", NULL},
    {"unicode", T2_FLAG_STRING, &unicode, "VERSION",
     "Whose letters and digits make words, for subwords of T2T.", NULL},
    VOC_CORPUS_FLAGS(corpus),
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "t2t-vocab verify",
    .usage = "--with=CORPUS [flags] A B",
    .summary = "Encodes each line by two vocabularies and compares the ids; with --decode also the "
               "texts that these become again. Shows the first lines that differ and the place. "
               "Exit code 1 when any does.",
    .examples = "  t2t-vocab verify --with=train.en spm.model tokenizer.json\n"
                "  t2t-vocab verify --decode --with=train.en a.subwords tokenizer.json\n"
                "  t2t-vocab verify --json --with=train.en old.subwords new.subwords\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

/* A line whose ids or decoded texts differ. */
struct difference {
    const char *path;
    uint64_t line; /* from 1 */
    bool ids_differ, texts_differ;
    size_t place;      /* how many ids are equal before */
    size_t text_place; /* how many bytes of the decoded texts */
    struct t2_buf text;
    struct tok_ids ids[2];
    struct t2_buf decoded[2]; /* around the place */
};

struct differences {
    struct difference *items;
    size_t n;
};

struct compared {
    uint64_t n_lines, n_other_ids, n_other_texts, n_different, n_ids[2];
    struct differences shown;
    struct tok_ids ids[2]; /* of the line at hand */
    struct t2_buf decoded[2];
};

struct job {
    const char *names[2];
    struct tok_encoder *e[2];
    struct tok_cache **caches[2]; /* by worker */
    struct compared total;
};

static void drop_differences(struct differences *d)
{
    for (size_t i = 0; i < d->n; i++) {
        t2_buf_release(&d->items[i].text);
        for (int s = A; s <= B; s++) {
            tok_ids_release(&d->items[i].ids[s]);
            t2_buf_release(&d->items[i].decoded[s]);
        }
    }
    t2_free(d->items);
    *d = (struct differences){NULL, 0};
}

/* ---- comparing ---- */

static size_t equal_ids(const struct tok_ids *a, const struct tok_ids *b)
{
    size_t n = 0;

    while (n < a->n && n < b->n && a->items[n] == b->items[n])
        n++;
    return n;
}

static size_t equal_bytes(const struct t2_buf *a, const struct t2_buf *b)
{
    size_t n = 0;

    while (n < a->len_bytes && n < b->len_bytes && a->data[n] == b->data[n])
        n++;
    return n;
}

static void add_difference(struct differences *d, struct difference x)
{
    d->items = t2_realloc(d->items, d->n + 1, sizeof *d->items);
    d->items[d->n++] = x;
}

/* The part of a decoded text that is shown: from BYTES_BEFORE before the place, moved back to the
 * beginning of a character. */
static struct t2_slice excerpt(const struct t2_buf *text, size_t place)
{
    size_t from = place > BYTES_BEFORE ? place - BYTES_BEFORE : 0, n;

    while (from > 0 && from < text->len_bytes && (text->data[from] & 0xC0) == 0x80)
        from--;
    n = text->len_bytes - from;
    return (struct t2_slice){text->data ? text->data + from : NULL,
                             n < BYTES_SHOWN ? n : BYTES_SHOWN};
}

/* d says what differs. */
static void remember(const struct voc_block *b, size_t line, struct difference d,
                     struct compared *r)
{
    size_t from = d.place > IDS_BEFORE ? d.place - IDS_BEFORE : 0;

    d.path = b->path;
    d.line = b->first + line + 1;
    t2_buf_append(&d.text, b->lines[line].data,
                  b->lines[line].len_bytes < TEXT_SHOWN ? b->lines[line].len_bytes : TEXT_SHOWN);
    for (int s = A; s <= B; s++) {
        size_t n = r->ids[s].n - from;
        struct t2_slice text = excerpt(&r->decoded[s], d.text_place);

        tok_ids_append(&d.ids[s], r->ids[s].items + from, n < IDS_SHOWN ? n : IDS_SHOWN);
        t2_buf_append(&d.decoded[s], text.data, text.len_bytes);
    }
    add_difference(&r->shown, d);
}

static struct difference compare_line(const struct job *job, struct compared *r)
{
    struct difference d = {.place = equal_ids(&r->ids[A], &r->ids[B])};

    d.ids_differ = d.place < r->ids[A].n || d.place < r->ids[B].n;
    if (!with_texts)
        return d;
    for (int s = A; s <= B; s++) {
        t2_buf_clear(&r->decoded[s]);
        tok_decode(job->e[s], r->ids[s].items, r->ids[s].n, &r->decoded[s]);
    }
    d.text_place = equal_bytes(&r->decoded[A], &r->decoded[B]);
    d.texts_differ =
        d.text_place < r->decoded[A].len_bytes || d.text_place < r->decoded[B].len_bytes;
    return d;
}

static enum t2_status compare_block(void *context, const struct voc_block *b, void *result,
                                    int worker, struct t2_err *err)
{
    struct job *job = context;
    struct compared *r = result;

    r->n_lines = b->n;
    r->n_other_ids = r->n_other_texts = r->n_different = r->n_ids[A] = r->n_ids[B] = 0;
    for (size_t i = 0; i < b->n; i++) {
        struct difference d;

        for (int s = A; s <= B; s++) {
            r->ids[s].n = 0;
            if (tok_encode(job->e[s], job->caches[s][worker], b->lines[i].data,
                           b->lines[i].len_bytes, &r->ids[s], err) != T2_OK)
                return t2_wrap(err, "'%s': line %" PRIu64 ", by '%s'", b->path, b->first + i + 1,
                               job->names[s]);
            r->n_ids[s] += r->ids[s].n;
        }
        d = compare_line(job, r);
        r->n_other_ids += d.ids_differ;
        r->n_other_texts += d.texts_differ;
        if (!d.ids_differ && !d.texts_differ)
            continue;
        r->n_different++;
        if (r->shown.n < (size_t) n_shown)
            remember(b, i, d, r);
    }
    return T2_OK;
}

static enum t2_status add_block(void *context, const struct voc_block *b, void *result,
                                struct t2_err *err)
{
    struct compared *total = &((struct job *) context)->total, *r = result;

    (void) b;
    (void) err;
    total->n_lines += r->n_lines;
    total->n_other_ids += r->n_other_ids;
    total->n_other_texts += r->n_other_texts;
    total->n_different += r->n_different;
    total->n_ids[A] += r->n_ids[A];
    total->n_ids[B] += r->n_ids[B];
    for (size_t i = 0; i < r->shown.n && total->shown.n < (size_t) n_shown; i++) {
        add_difference(&total->shown, r->shown.items[i]);
        r->shown.items[i] = (struct difference){.path = NULL}; /* moved */
    }
    drop_differences(&r->shown);
    return T2_OK;
}

static void release_block(void *context, void *result)
{
    struct compared *r = result;

    (void) context;
    drop_differences(&r->shown);
    for (int s = A; s <= B; s++) {
        tok_ids_release(&r->ids[s]);
        t2_buf_release(&r->decoded[s]);
    }
}

static enum t2_status compare_all(struct job *job, struct t2_err *err)
{
    struct t2_pool *pool = t2_pool_new(t2_flags_num_threads());
    int n = t2_pool_threads(pool);
    const struct voc_work work = {.result_bytes = sizeof(struct compared),
                                  .work = compare_block,
                                  .consume = add_block,
                                  .release = release_block,
                                  .context = job,
                                  .what = "verifying"};
    enum t2_status st;

    for (int s = A; s <= B; s++) {
        job->caches[s] = t2_alloc((size_t) n, sizeof *job->caches[s]);
        for (int i = 0; i < n; i++)
            job->caches[s][i] = tok_cache_new(job->e[s], CACHE_BYTES);
    }
    st = voc_corpus_run(&corpus, &work, pool, err);
    for (int s = A; s <= B; s++) {
        for (int i = 0; i < n; i++)
            tok_cache_free(job->caches[s][i]);
        t2_free(job->caches[s]);
    }
    t2_pool_free(pool);
    return st;
}

/* ---- reporting ---- */

/* Any bytes as a JSON string, so that blanks and control characters are seen. */
static void put_quoted(struct t2_slice s, struct t2_buf *out)
{
    struct t2_json j;

    t2_json_init(&j, out, 0);
    t2_json_bytes(&j, s.data, s.len_bytes);
}

static void put_difference(const struct job *job, const struct difference *d, struct t2_buf *out)
{
    t2_buf_printf(out, "'%s': line %" PRIu64 ": ", d->path, d->line);
    if (d->ids_differ)
        t2_buf_printf(out, "the first %zu ids are equal\n    text  ", d->place);
    else
        t2_buf_printf(out,
                      "equal ids; of the decoded texts the first %zu bytes are equal\n    text  ",
                      d->text_place);
    put_quoted(t2_buf_slice(&d->text), out);
    t2_buf_push(out, '\n');
    for (int s = A; d->ids_differ && s <= B; s++) {
        t2_buf_printf(out, "    %s    ", s == A ? "A " : "B ");
        t2_buf_puts(out, d->place > IDS_BEFORE ? "... " : "");
        for (size_t i = 0; i < d->ids[s].n; i++) {
            t2_buf_printf(out, "%s%" PRId32 " ", i > 0 ? "  " : "", d->ids[s].items[i]);
            put_quoted(tok_entry(job->e[s], d->ids[s].items[i]), out);
        }
        t2_buf_push(out, '\n');
    }
    for (int s = A; d->texts_differ && s <= B; s++) {
        t2_buf_printf(out, "    %s decoded  %s", s == A ? "A" : "B",
                      d->text_place > BYTES_BEFORE ? "... " : "");
        put_quoted(t2_buf_slice(&d->decoded[s]), out);
        t2_buf_push(out, '\n');
    }
}

static void put_text(const struct job *job, struct t2_buf *out)
{
    const struct compared *t = &job->total;

    for (size_t i = 0; i < t->shown.n; i++)
        put_difference(job, &t->shown.items[i], out);
    if (t->n_different > t->shown.n && t->shown.n > 0)
        t2_buf_printf(out, "and %" PRIu64 " lines more\n", t->n_different - t->shown.n);
    for (int s = A; s <= B; s++)
        t2_buf_printf(out, "%s  %s: %s, %" PRIu64 " ids\n", s == A ? "A" : "B", job->names[s],
                      tok_kind(job->e[s]), t->n_ids[s]);
    if (t->n_other_ids == 0)
        t2_buf_printf(out, "all %" PRIu64 " lines have equal ids\n", t->n_lines);
    else
        t2_buf_printf(out, "%" PRIu64 " of %" PRIu64 " lines have other ids\n", t->n_other_ids,
                      t->n_lines);
    if (with_texts && t->n_other_texts == 0)
        t2_buf_printf(out, "all %" PRIu64 " lines decode to equal texts\n", t->n_lines);
    else if (with_texts)
        t2_buf_printf(out, "%" PRIu64 " of %" PRIu64 " lines decode to other texts\n",
                      t->n_other_texts, t->n_lines);
}

static void put_json_line(const struct job *job, const struct difference *d, struct t2_json *j)
{
    t2_json_object(j);
    t2_json_kv_string(j, "path", d->path);
    t2_json_kv_u64(j, "line", d->line);
    t2_json_kv_u64(j, "equal_ids", d->place);
    t2_json_key(j, "text");
    t2_json_bytes(j, d->text.data, d->text.len_bytes);
    for (int s = A; s <= B; s++) {
        t2_json_key(j, s == A ? "ids_a" : "ids_b");
        t2_json_array(j);
        for (size_t i = 0; i < d->ids[s].n; i++)
            t2_json_i64(j, d->ids[s].items[i]);
        t2_json_end_array(j);
        t2_json_key(j, s == A ? "pieces_a" : "pieces_b");
        t2_json_array(j);
        for (size_t i = 0; i < d->ids[s].n; i++) {
            struct t2_slice piece = tok_entry(job->e[s], d->ids[s].items[i]);
            t2_json_bytes(j, piece.data, piece.len_bytes);
        }
        t2_json_end_array(j);
        if (with_texts) {
            t2_json_key(j, s == A ? "decoded_a" : "decoded_b");
            t2_json_bytes(j, d->decoded[s].data, d->decoded[s].len_bytes);
        }
    }
    if (with_texts)
        t2_json_kv_u64(j, "equal_decoded_bytes", d->text_place);
    t2_json_end_object(j);
}

static void put_json(const struct job *job, struct t2_buf *out)
{
    const struct compared *t = &job->total;
    struct t2_json j;

    t2_json_init(&j, out, 0);
    t2_json_object(&j);
    t2_json_kv_string(&j, "a", job->names[A]);
    t2_json_kv_string(&j, "b", job->names[B]);
    t2_json_kv_string(&j, "kind_a", tok_kind(job->e[A]));
    t2_json_kv_string(&j, "kind_b", tok_kind(job->e[B]));
    t2_json_kv_u64(&j, "lines", t->n_lines);
    t2_json_kv_u64(&j, "lines_different", t->n_other_ids);
    if (with_texts)
        t2_json_kv_u64(&j, "decoded_different", t->n_other_texts);
    t2_json_kv_u64(&j, "ids_a", t->n_ids[A]);
    t2_json_kv_u64(&j, "ids_b", t->n_ids[B]);
    t2_json_key(&j, "first_differences");
    t2_json_array(&j);
    for (size_t i = 0; i < t->shown.n; i++)
        put_json_line(job, &t->shown.items[i], &j);
    t2_json_end_array(&j);
    t2_json_end_object(&j);
    t2_buf_push(out, '\n');
}

static enum t2_status report(const struct job *job, struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    enum t2_status st;

    if (as_json)
        put_json(job, &text);
    else
        put_text(job, &text);
    st = voc_print(t2_buf_slice(&text), as_json, err);
    t2_buf_release(&text);
    return st;
}

/* ---- the command ---- */

static enum t2_status verify(const struct t2_strs *args, struct t2_err *err)
{
    struct job job = {.names = {NULL, NULL}};
    struct t2_strs paths = {NULL, 0, 0};
    enum t2_status st = T2_OK;

    if (args->n != 2)
        return t2_fail(err, T2_EUSAGE, "give two vocabularies");
    if (with[0] == 0)
        return t2_fail(err, T2_EUSAGE, "--with=CORPUS is needed: the lines to encode");
    if (n_shown < 0)
        return t2_fail(err, T2_EUSAGE, "-n cannot be negative");
    if (!tok_unicode_use(unicode))
        return t2_fail(err, T2_EUSAGE, "--unicode='%s': known are %s", unicode,
                       tok_unicode_versions());
    t2_strs_push(&paths, with);
    st = voc_corpus_open(&corpus, &paths, err);
    t2_strs_release(&paths);
    for (int s = A; st == T2_OK && s <= B; s++) {
        job.names[s] = args->items[s];
        st = tok_open(job.names[s], &job.e[s], err);
    }
    if (st == T2_OK)
        st = compare_all(&job, err);
    if (st == T2_OK)
        st = report(&job, err);
    if (st == T2_OK && job.total.n_different > 0)
        st = T2_EOF;
    drop_differences(&job.total.shown);
    tok_free(job.e[A]);
    tok_free(job.e[B]);
    return st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct t2_strs args = {NULL, 0, 0};
    enum t2_status st = t2_flags_parse(&tool, argc, argv, &args, err);

    if (st == T2_OK)
        st = verify(&args, err);
    voc_corpus_release(&corpus);
    t2_strs_release(&args);
    return st;
}

const struct t2_command voc_cmd_verify = {
    "verify", "Proves that two vocabularies give a corpus the same ids.", run};
