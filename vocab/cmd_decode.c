/*
 * vocab/cmd_decode.c - t2t-vocab decode: lines of ids back to text.
 */
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/pool.h"
#include "vocab/corpus.h"
#include "vocab/vocab_commands.h"

static struct voc_corpus corpus = {.field = "", .feature = "", .as_in_files = true};
static const char *vocab = "", *output = "-";
static bool stop_at_eos;

/* clang-format off */
static const struct t2_flag table[] = {
    {"vocab", T2_FLAG_STRING, &vocab, "FILE", "The vocabulary.", NULL},
    {"output", T2_FLAG_STRING, &output, "FILE", "Where the text goes.", NULL},
    {"o", T2_FLAG_STRING, &output, "FILE", "The same.", NULL},
    {"stop_at_eos", T2_FLAG_BOOL, &stop_at_eos, NULL,
     "A line ends before its first id of <EOS>.", NULL},
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "t2t-vocab decode",
    .usage = "--vocab=FILE [flags] [INPUT...]",
    .summary =
        "Turns each line of ids (numbers with blanks, commas or brackets between) into text. "
        "Without INPUT the standard input is read.",
    .examples = "  t2t-vocab decode --vocab=x.subwords <ids.txt\n"
                "  echo '[14, 33, 1]' | t2t-vocab decode --vocab=x.subwords --stop_at_eos\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

struct job {
    const struct tok_encoder *e;
    struct t2_out *out;
    int32_t eos;
};

struct decoded {
    struct t2_buf text;
    struct tok_ids ids;
};

/* Numbers of a line; false at what is none. */
static bool parse_ids(struct t2_slice line, struct tok_ids *ids)
{
    size_t i = 0;

    while (i < line.len_bytes) {
        bool negative = line.data[i] == '-';
        int64_t v = 0;
        size_t from;

        if (memchr(" ,[]\t\r", line.data[i], 6) != NULL) {
            ++i;
            continue;
        }
        i += negative;
        for (from = i; i < line.len_bytes && line.data[i] >= '0' && line.data[i] <= '9'; ++i) {
            v = v * 10 + (line.data[i] - '0');
            if (v > INT32_MAX)
                return false;
        }
        if (i == from)
            return false;
        tok_ids_push(ids, (int32_t) (negative ? -v : v));
    }
    return true;
}

static enum t2_status decode_block(void *context, const struct voc_block *b, void *result,
                                   int worker, struct t2_err *err)
{
    const struct job *job = context;
    struct decoded *r = result;

    (void) worker;
    t2_buf_clear(&r->text);
    for (size_t i = 0; i < b->n; ++i) {
        size_t n = 0;
        r->ids.n = 0;
        if (!parse_ids(b->lines[i], &r->ids))
            return t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 " is not a list of ids", b->path,
                           b->first + i + 1);
        while (n < r->ids.n && !(stop_at_eos && r->ids.items[n] == job->eos))
            ++n;
        tok_decode(job->e, r->ids.items, n, &r->text);
        t2_buf_push(&r->text, '\n');
    }
    return T2_OK;
}

static enum t2_status write_block(void *context, const struct voc_block *b, void *result,
                                  struct t2_err *err)
{
    struct job *job = context;
    struct decoded *r = result;

    (void) b;
    t2_out_write(job->out, r->text.data, r->text.len_bytes);
    return t2_out_status(job->out, err);
}

static void release_result(void *context, void *result)
{
    struct decoded *r = result;

    (void) context;
    t2_buf_release(&r->text);
    tok_ids_release(&r->ids);
}

static enum t2_status decode_all(const struct tok_encoder *e, struct t2_err *err)
{
    struct t2_pool *pool = t2_pool_new(t2_flags_num_threads());
    struct job job = {.e = e, .eos = tok_special(e).eos};
    const struct voc_work work = {.result_bytes = sizeof(struct decoded),
                                  .work = decode_block,
                                  .consume = write_block,
                                  .release = release_result,
                                  .context = &job};
    enum t2_status st = t2_out_new(output, &job.out, err);

    if (st == T2_OK) {
        st = voc_corpus_run(&corpus, &work, pool, err);
        if (st == T2_OK)
            st = t2_out_commit(job.out, err);
        else
            t2_out_abort(job.out);
    }
    t2_pool_free(pool);
    return st;
}

static enum t2_status decode(struct t2_strs *args, struct t2_err *err)
{
    struct tok_encoder *e = NULL;
    enum t2_status st;

    if (vocab[0] == 0)
        return t2_fail(err, T2_EUSAGE, "--vocab is needed");
    if (args->n == 0)
        t2_strs_push(args, "-");
    T2_TRY(voc_corpus_open(&corpus, args, err));
    if (strcmp(vocab, "bytes") == 0)
        e = tok_bytes_new();
    else
        T2_TRY(tok_load(vocab, &e, err));
    if (stop_at_eos && tok_special(e).eos < 0)
        st = t2_fail(err, T2_EUSAGE, "--stop_at_eos: '%s' has no entry for the end of a sentence",
                     vocab);
    else
        st = decode_all(e, err);
    tok_free(e);
    return st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct t2_strs args = {NULL, 0, 0};
    enum t2_status st = t2_flags_parse(&tool, argc, argv, &args, err);

    if (st == T2_OK)
        st = decode(&args, err);
    voc_corpus_release(&corpus);
    t2_strs_release(&args);
    return st;
}

const struct t2_command voc_cmd_decode = {"decode", "Turns lines of ids into text.", run};
