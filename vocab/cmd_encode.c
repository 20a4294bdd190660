/*
 * vocab/cmd_encode.c - t2t-vocab encode: lines of text to ids, pieces or JSON.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/pool.h"
#include "tokenizer/named_encoders.h"
#include "tokenizer/unicode.h"
#include "vocab/corpus.h"
#include "vocab/vocab_commands.h"

enum { CACHE_BYTES = 32 << 20 };

static struct voc_corpus corpus = {.field = "", .feature = "", .as_in_files = true};
static const char *vocab = "", *output = "-", *as = "ids", *unicode = "11";
static bool add_eos, as_json;

/* clang-format off */
static const struct t2_flag table[] = {
    {"vocab", T2_FLAG_STRING, &vocab, "FILE", "The vocabulary.", NULL},
    {"output", T2_FLAG_STRING, &output, "FILE", "Where the result goes.", NULL},
    {"o", T2_FLAG_STRING, &output, "FILE", "The same.", NULL},
    {"as", T2_FLAG_STRING, &as, "NAME",
     "ids: numbers. pieces: the entries themselves, blanks in them as they are.", NULL},
    {"json", T2_FLAG_BOOL, &as_json, NULL,
     "One object per line: {\"ids\":[...],\"pieces\":[...]}.", NULL},
    {"add_eos", T2_FLAG_BOOL, &add_eos, NULL, "End each line with the id of <EOS>.", NULL},
    {"unicode", T2_FLAG_STRING, &unicode, "VERSION",
     "Whose letters and digits make words, for subwords of T2T: 5.2, 9, 11, 12.1, 13, 14, 15, 15.1.",
     NULL},
    VOC_CORPUS_FLAGS(corpus),
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "t2t-vocab encode",
    .usage = "--vocab=FILE [flags] [INPUT...]",
    .summary =
        "Turns each line into a line of ids. Without INPUT the standard input is read. Line N of "
        "the output is line N of the input.",
    .examples = "  t2t-vocab encode --vocab=x.subwords <in.txt >ids.txt\n"
                "  t2t-vocab encode --vocab=spm.model --as=pieces in.txt\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

struct job {
    const struct tok_encoder *e;
    struct tok_cache **caches; /* per worker */
    struct t2_out *out;
    int32_t eos;
};

struct encoded {
    struct t2_buf text;   /* of the output */
    struct t2_buf joined; /* the block's lines, a line feed behind each */
    struct tok_ids ids;   /* of all lines */
    struct tok_ends ends; /* where each line's end in ids */
};

static void put_ids(const int32_t *ids, size_t n, struct t2_buf *out)
{
    char digits[16];

    for (size_t i = 0; i < n; i++) {
        uint32_t v = (uint32_t) ids[i];
        size_t at = sizeof digits;

        do
            digits[--at] = (char) ('0' + v % 10);
        while ((v /= 10) > 0);
        if (i > 0)
            t2_buf_push(out, ' ');
        t2_buf_append(out, digits + at, sizeof digits - at);
    }
}

static void put_json(const struct tok_encoder *e, const int32_t *ids, size_t n, struct t2_buf *out)
{
    struct t2_json j;

    t2_json_init(&j, out, 0);
    t2_json_object(&j);
    t2_json_key(&j, "ids");
    t2_json_array(&j);
    for (size_t i = 0; i < n; i++)
        t2_json_i64(&j, ids[i]);
    t2_json_end_array(&j);
    t2_json_key(&j, "pieces");
    t2_json_array(&j);
    for (size_t i = 0; i < n; i++) {
        struct t2_slice piece = tok_entry(e, ids[i]);
        t2_json_bytes(&j, piece.data, piece.len_bytes);
    }
    t2_json_end_array(&j);
    t2_json_end_object(&j);
}

static enum t2_status fail_at(const struct voc_block *b, size_t i, struct t2_err *err)
{
    return t2_wrap(err, "'%s': line %" PRIu64, b->path, b->first + i + 1);
}

static enum t2_status put_pieces(const struct job *job, struct tok_cache *cache,
                                 struct t2_slice line, struct t2_buf *text, struct t2_err *err)
{
    size_t from = text->len_bytes;

    T2_TRY(tok_pieces(job->e, cache, line.data, line.len_bytes, text, err));
    if (text->len_bytes > from && memchr(text->data + from, '\n', text->len_bytes - from))
        return t2_fail(err, T2_EFORMAT,
                       "a piece of this text has a line feed in it, which would make two lines of "
                       "it; --json writes them as strings");
    t2_buf_push(text, '\n');
    return T2_OK;
}

/* False if a line has a line feed itself: texts of records may. */
static bool join_lines(const struct voc_block *b, struct t2_buf *joined)
{
    t2_buf_clear(joined);
    for (size_t i = 0; i < b->n; i++) {
        if (memchr(b->lines[i].data, '\n', b->lines[i].len_bytes))
            return false;
        t2_buf_append(joined, b->lines[i].data, b->lines[i].len_bytes);
        t2_buf_push(joined, '\n');
    }
    return true;
}

/* The ids of all lines at once; where that cannot be, or fails, line by line, as then the message
 * has the number of the line. */
static enum t2_status encode_ids(const struct job *job, const struct voc_block *b,
                                 struct tok_cache *cache, struct encoded *r, struct t2_err *err)
{
    struct t2_err unused = T2_ERR_INIT;

    r->ids.n = r->ends.n = 0;
    if (join_lines(b, &r->joined) &&
        tok_encode_lines(job->e, cache, r->joined.data, r->joined.len_bytes, &r->ids, &r->ends,
                         &unused) == T2_OK)
        return T2_OK;
    r->ids.n = r->ends.n = 0;
    for (size_t i = 0; i < b->n; i++) {
        if (tok_encode(job->e, cache, b->lines[i].data, b->lines[i].len_bytes, &r->ids, err) !=
            T2_OK)
            return fail_at(b, i, err);
        tok_ends_push(&r->ends, r->ids.n);
    }
    return T2_OK;
}

/* The n ids of a line; ids[n], which is the next line's, is there too. */
static void put_line(const struct job *job, int32_t *ids, size_t n, struct t2_buf *text)
{
    int32_t next = ids[n];

    if (add_eos)
        ids[n] = job->eos;
    if (as_json)
        put_json(job->e, ids, n + add_eos, text);
    else
        put_ids(ids, n + add_eos, text);
    ids[n] = next;
    t2_buf_push(text, '\n');
}

static enum t2_status encode_block(void *context, const struct voc_block *b, void *result,
                                   int worker, struct t2_err *err)
{
    const struct job *job = context;
    struct encoded *r = result;
    struct tok_cache *cache = job->caches[worker];

    t2_buf_clear(&r->text);
    if (as[0] == 'p' && !as_json) {
        for (size_t i = 0; i < b->n; i++)
            if (put_pieces(job, cache, b->lines[i], &r->text, err) != T2_OK)
                return fail_at(b, i, err);
        return T2_OK;
    }
    T2_TRY(encode_ids(job, b, cache, r, err));
    tok_ids_push(&r->ids, 0); /* for put_line */
    for (size_t i = 0, begin = 0; i < b->n; begin = r->ends.items[i++])
        put_line(job, r->ids.items + begin, r->ends.items[i] - begin, &r->text);
    return T2_OK;
}

static enum t2_status write_block(void *context, const struct voc_block *b, void *result,
                                  struct t2_err *err)
{
    struct job *job = context;
    struct encoded *r = result;

    (void) b;
    t2_out_write(job->out, r->text.data, r->text.len_bytes);
    return t2_out_status(job->out, err);
}

static void release_result(void *context, void *result)
{
    struct encoded *r = result;

    (void) context;
    t2_buf_release(&r->text);
    t2_buf_release(&r->joined);
    tok_ids_release(&r->ids);
    tok_ends_release(&r->ends);
}

static enum t2_status encode_all(const struct tok_encoder *e, struct t2_err *err)
{
    struct t2_pool *pool = t2_pool_new(t2_flags_num_threads());
    int n = t2_pool_threads(pool);
    struct job job = {.e = e, .eos = tok_special(e).eos};
    const struct voc_work work = {.result_bytes = sizeof(struct encoded),
                                  .work = encode_block,
                                  .consume = write_block,
                                  .release = release_result,
                                  .context = &job,
                                  .what = strcmp(output, "-") == 0 ? NULL : "encoding"};
    enum t2_status st;

    job.caches = t2_alloc((size_t) n, sizeof *job.caches);
    for (int i = 0; i < n; i++)
        job.caches[i] = tok_cache_new(e, CACHE_BYTES);
    st = t2_out_new(output, &job.out, err);
    if (st == T2_OK) {
        st = voc_corpus_run(&corpus, &work, pool, err);
        if (st == T2_OK)
            st = t2_out_commit(job.out, err);
        else
            t2_out_abort(job.out);
    }
    for (int i = 0; i < n; i++)
        tok_cache_free(job.caches[i]);
    t2_free(job.caches);
    t2_pool_free(pool);
    return st;
}

static enum t2_status encode(struct t2_strs *args, struct t2_err *err)
{
    struct tok_encoder *e = NULL;
    enum t2_status st;

    if (vocab[0] == 0)
        return t2_fail(err, T2_EUSAGE, "--vocab is needed");
    if (strcmp(as, "ids") != 0 && strcmp(as, "pieces") != 0)
        return t2_fail(err, T2_EUSAGE, "--as='%s': ids or pieces", as);
    if (!tok_unicode_use(unicode))
        return t2_fail(err, T2_EUSAGE, "--unicode='%s': known are %s", unicode,
                       tok_unicode_versions());
    if (args->n == 0)
        t2_strs_push(args, "-");
    T2_TRY(voc_corpus_open(&corpus, args, err));
    T2_TRY(tok_open(vocab, &e, err));
    if (add_eos && tok_special(e).eos < 0)
        st = t2_fail(err, T2_EUSAGE, "--add_eos: '%s' has no entry for the end of a sentence",
                     vocab);
    else
        st = encode_all(e, err);
    tok_free(e);
    return st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct t2_strs args = {NULL, 0, 0};
    enum t2_status st = t2_flags_parse(&tool, argc, argv, &args, err);

    if (st == T2_OK)
        st = encode(&args, err);
    voc_corpus_release(&corpus);
    t2_strs_release(&args);
    return st;
}

const struct t2_command voc_cmd_encode = {"encode", "Turns lines of text into ids.", run};
