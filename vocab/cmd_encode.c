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
    struct t2_buf text;
    struct tok_ids ids;
};

static void put_ids(const struct tok_ids *ids, struct t2_buf *out)
{
    char digits[16];

    for (size_t i = 0; i < ids->n; i++) {
        uint32_t v = (uint32_t) ids->items[i];
        size_t at = sizeof digits;

        do
            digits[--at] = (char) ('0' + v % 10);
        while ((v /= 10) > 0);
        if (i > 0)
            t2_buf_push(out, ' ');
        t2_buf_append(out, digits + at, sizeof digits - at);
    }
}

static void put_json(const struct tok_encoder *e, const struct tok_ids *ids, struct t2_buf *out)
{
    struct t2_json j;

    t2_json_init(&j, out, 0);
    t2_json_object(&j);
    t2_json_key(&j, "ids");
    t2_json_array(&j);
    for (size_t i = 0; i < ids->n; i++)
        t2_json_i64(&j, ids->items[i]);
    t2_json_end_array(&j);
    t2_json_key(&j, "pieces");
    t2_json_array(&j);
    for (size_t i = 0; i < ids->n; i++) {
        struct t2_slice piece = tok_entry(e, ids->items[i]);
        t2_json_bytes(&j, piece.data, piece.len_bytes);
    }
    t2_json_end_array(&j);
    t2_json_end_object(&j);
}

static enum t2_status encode_line(const struct job *job, struct tok_cache *cache,
                                  struct t2_slice line, struct encoded *r, struct t2_err *err)
{
    if (as[0] == 'p' && !as_json) {
        size_t from = r->text.len_bytes;

        T2_TRY(tok_pieces(job->e, cache, line.data, line.len_bytes, &r->text, err));
        if (r->text.len_bytes > from && memchr(r->text.data + from, '\n', r->text.len_bytes - from))
            return t2_fail(err, T2_EFORMAT,
                           "a piece of this text has a line feed in it, which would make two lines "
                           "of it; --json writes them as strings");
    } else {
        r->ids.n = 0;
        T2_TRY(tok_encode(job->e, cache, line.data, line.len_bytes, &r->ids, err));
        if (add_eos)
            tok_ids_push(&r->ids, job->eos);
        if (as_json)
            put_json(job->e, &r->ids, &r->text);
        else
            put_ids(&r->ids, &r->text);
    }
    t2_buf_push(&r->text, '\n');
    return T2_OK;
}

static enum t2_status encode_block(void *context, const struct voc_block *b, void *result,
                                   int worker, struct t2_err *err)
{
    const struct job *job = context;
    struct encoded *r = result;

    t2_buf_clear(&r->text);
    for (size_t i = 0; i < b->n; i++)
        if (encode_line(job, job->caches[worker], b->lines[i], r, err) != T2_OK)
            return t2_wrap(err, "'%s': line %" PRIu64, b->path, b->first + i + 1);
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
    tok_ids_release(&r->ids);
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
