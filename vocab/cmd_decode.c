/*
 * vocab/cmd_decode.c - t2t-vocab decode: lines of ids back to text.
 */
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/map.h"
#include "base/pool.h"
#include "tokenizer/named_encoders.h"
#include "vocab/corpus.h"
#include "vocab/vocab_commands.h"

static struct voc_corpus corpus = {.field = "", .feature = "", .as_in_files = true};
static const char *vocab = "", *output = "-", *format = "ids", *as = "text";
static bool stop_at_eos;

/* clang-format off */
static const struct t2_flag table[] = {
    {"vocab", T2_FLAG_STRING, &vocab, "FILE", "The vocabulary.", NULL},
    {"output", T2_FLAG_STRING, &output, "FILE", "Where the text goes.", NULL},
    {"o", T2_FLAG_STRING, &output, "FILE", "The same.", NULL},
    {"from", T2_FLAG_STRING, &format, "NAME",
     "ids: numbers. pieces: entries with one blank between. json: {\"ids\":[...]} or "
     "{\"pieces\":[...]}, as encode writes.",
     NULL},
    {"as", T2_FLAG_STRING, &as, "NAME",
     "text: a text with a line feed in it is refused, so that line N of the output is line N of the "
     "input. json: each text as a JSON string.",
     NULL},
    {"stop_at_eos", T2_FLAG_BOOL, &stop_at_eos, NULL,
     "A line ends before its first id of <EOS>.", NULL},
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "t2t-vocab decode",
    .usage = "--vocab=FILE [flags] [INPUT...]",
    .summary =
        "Turns each line of ids (numbers with blanks, commas or brackets between) into text, or "
        "of pieces, or of JSON; line N of the output is line N of the input. Without INPUT the "
        "standard input is read.",
    .examples = "  t2t-vocab decode --vocab=x.subwords <ids.txt\n"
                "  echo '[14, 33, 1]' | t2t-vocab decode --vocab=x.subwords --stop_at_eos\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

struct job {
    const struct tok_encoder *e;
    struct t2_map *entries; /* NULL unless pieces are asked for */
    struct t2_out *out;
    int32_t eos;
};

struct decoded {
    struct t2_buf text;
    struct tok_ids ids;
};

/* The numbers of a line, between blanks, commas and brackets; false at any other character, and for
 * numbers beyond int32. */
static bool parse_ids(struct t2_slice line, struct tok_ids *ids)
{
    size_t i = 0;

    while (i < line.len_bytes) {
        bool negative = line.data[i] == '-';
        int64_t v = 0;
        size_t from;

        if (memchr(" ,[]\t\r", line.data[i], 6)) {
            i++;
            continue;
        }
        i += negative;
        for (from = i; i < line.len_bytes && line.data[i] >= '0' && line.data[i] <= '9'; i++) {
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

static struct t2_map *index_entries(const struct tok_encoder *e)
{
    struct t2_map *map = t2_map_new();

    for (int32_t i = 0; i < tok_size(e); i++) {
        struct t2_slice entry = tok_entry(e, i);
        if (entry.len_bytes > 0)
            *t2_map_at(map, entry.data, entry.len_bytes, NULL) = (uint64_t) i;
    }
    return map;
}

static enum t2_status add_piece(const struct job *job, struct t2_slice piece, struct tok_ids *ids,
                                struct t2_err *err)
{
    const uint64_t *id = t2_map_find(job->entries, piece.data, piece.len_bytes);

    if (!id)
        return t2_fail(err, T2_EFORMAT, "'%.*s' is no entry of '%s'",
                       (int) (piece.len_bytes < 100 ? piece.len_bytes : 100),
                       (const char *) piece.data, vocab);
    tok_ids_push(ids, (int32_t) *id);
    return T2_OK;
}

static enum t2_status parse_pieces(const struct job *job, struct t2_slice line, struct tok_ids *ids,
                                   struct t2_err *err)
{
    while (line.len_bytes > 0) {
        const uint8_t *blank = memchr(line.data, ' ', line.len_bytes);
        size_t n = blank ? (size_t) (blank - line.data) : line.len_bytes;

        if (n > 0)
            T2_TRY(add_piece(job, (struct t2_slice){line.data, n}, ids, err));
        n += blank != NULL;
        line = (struct t2_slice){line.data + n, line.len_bytes - n};
    }
    return T2_OK;
}

static enum t2_status add_member(const struct job *job, const struct t2_json_value *v, bool is_id,
                                 struct tok_ids *ids, struct t2_err *err)
{
    const char *piece = t2_json_as_string(v, NULL);
    int64_t id = t2_json_as_i64(v, INT64_MAX);

    if (!is_id && piece)
        return add_piece(job, t2_slice_of(piece), ids, err);
    if (!is_id || id > INT32_MAX || id < INT32_MIN)
        return t2_fail(err, T2_EFORMAT, "what \"%s\" holds is not %s", is_id ? "ids" : "pieces",
                       is_id ? "an id" : "a string");
    tok_ids_push(ids, (int32_t) id);
    return T2_OK;
}

static enum t2_status parse_object(const struct job *job, struct t2_slice line, struct tok_ids *ids,
                                   struct t2_err *err)
{
    const struct t2_json_value *list;
    struct t2_json_doc *doc = NULL;
    enum t2_status st = T2_OK;
    bool is_id = true;

    T2_TRY(t2_json_parse((const char *) line.data, line.len_bytes, "JSON", &doc, err));
    list = t2_json_get(t2_json_root(doc), "ids");
    if (!list) {
        list = t2_json_get(t2_json_root(doc), "pieces");
        is_id = false;
    }
    if (t2_json_type(list) != T2_JSON_ARRAY)
        st = t2_fail(err, T2_EFORMAT, "no list \"ids\" or \"pieces\"");
    for (size_t i = 0; st == T2_OK && i < t2_json_size(list); i++)
        st = add_member(job, t2_json_item(list, i), is_id, ids, err);
    t2_json_free(doc);
    return st;
}

static enum t2_status parse_line(const struct job *job, struct t2_slice line, struct tok_ids *ids,
                                 struct t2_err *err)
{
    if (format[0] == 'p')
        return parse_pieces(job, line, ids, err);
    if (format[0] == 'j')
        return parse_object(job, line, ids, err);
    return parse_ids(line, ids) ? T2_OK : t2_fail(err, T2_EFORMAT, "this is not a list of ids");
}

/* Appends the line of one text. */
static enum t2_status put_text(const struct job *job, const int32_t *ids, size_t n,
                               struct t2_buf *text, struct t2_err *err)
{
    size_t from = text->len_bytes;

    tok_decode(job->e, ids, n, text);
    if (as[0] == 'j') {
        struct t2_buf plain = {NULL, 0, 0};
        struct t2_json j;

        t2_buf_append(&plain, text->data + from, text->len_bytes - from);
        text->len_bytes = from;
        t2_json_init(&j, text, 0);
        t2_json_bytes(&j, plain.data, plain.len_bytes);
        t2_buf_release(&plain);
    } else if (text->len_bytes > from && memchr(text->data + from, '\n', text->len_bytes - from)) {
        return t2_fail(err, T2_EFORMAT,
                       "the text of these ids has a line feed in it, which would make two lines of "
                       "it; --as=json writes each text as a JSON string");
    }
    t2_buf_push(text, '\n');
    return T2_OK;
}

static enum t2_status decode_block(void *context, const struct voc_block *b, void *result,
                                   int worker, struct t2_err *err)
{
    const struct job *job = context;
    struct decoded *r = result;

    (void) worker;
    t2_buf_clear(&r->text);
    for (size_t i = 0; i < b->n; i++) {
        size_t n = 0;
        r->ids.n = 0;
        if (parse_line(job, b->lines[i], &r->ids, err) != T2_OK)
            return t2_wrap(err, "'%s': line %" PRIu64, b->path, b->first + i + 1);
        while (n < r->ids.n && !(stop_at_eos && r->ids.items[n] == job->eos))
            n++;
        if (put_text(job, r->ids.items, n, &r->text, err) != T2_OK)
            return t2_wrap(err, "'%s': line %" PRIu64, b->path, b->first + i + 1);
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

    if (format[0] != 'i')
        job.entries = index_entries(e);
    if (st == T2_OK) {
        st = voc_corpus_run(&corpus, &work, pool, err);
        if (st == T2_OK)
            st = t2_out_commit(job.out, err);
        else
            t2_out_abort(job.out);
    }
    t2_map_free(job.entries);
    t2_pool_free(pool);
    return st;
}

static enum t2_status decode(struct t2_strs *args, struct t2_err *err)
{
    struct tok_encoder *e = NULL;
    enum t2_status st;

    if (vocab[0] == 0)
        return t2_fail(err, T2_EUSAGE, "--vocab is needed");
    if (strcmp(format, "ids") != 0 && strcmp(format, "pieces") != 0 && strcmp(format, "json") != 0)
        return t2_fail(err, T2_EUSAGE, "--from='%s': ids, pieces or json", format);
    if (strcmp(as, "text") != 0 && strcmp(as, "json") != 0)
        return t2_fail(err, T2_EUSAGE, "--as='%s': text or json", as);
    if (args->n == 0)
        t2_strs_push(args, "-");
    T2_TRY(voc_corpus_open(&corpus, args, err));
    T2_TRY(tok_open(vocab, &e, err));
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
