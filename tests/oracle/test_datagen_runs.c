/*
 * test_datagen_runs.c - what the original t2t-datagen wrote from these files, byte for byte.
 *
 * The runs of T2_DATA/reference-runs that text of one's own covers.  Their inputs are prepared here
 * as reference-runs/README.md tells; shards are compared with SHA256SUMS.sorted (the original draws
 * the order of map keys at random), vocabularies as they are.
 */
#include <stdlib.h>

#include "base/map.h"
#include "base/text.h"
#include "datagen/problem_own_text.h"
#include "tests/unit/datagen/small_set.h"

static const char *data_path(const char *name)
{
    const char *path = t_data_path(name);

    if (!path)
        t_skip("no %s in T2_DATA", name);
    return path;
}

/* ---- inputs ---- */

static void copy(const char *from, const char *to)
{
    size_t n;
    char *data = t_read_file(from, &n);

    t_write_file(t_tmp_path(to), data, n);
    free(data);
}

/* Compressed as they are: files are known by their content. */
static void prepare_multi30k(void)
{
    copy(data_path("multi30k-en-de/train.en.gz"), "inputs.train.txt");
    copy(data_path("multi30k-en-de/train.de.gz"), "targets.train.txt");
    copy(data_path("multi30k-en-de/val.en.gz"), "inputs.eval.txt");
    copy(data_path("multi30k-en-de/val.de.gz"), "targets.eval.txt");
}

static uint32_t le(const char *s, int n_bytes)
{
    uint32_t v = 0;

    while (n_bytes-- > 0)
        v = v << 8 | (uint8_t) s[n_bytes];
    return v;
}

/* Wraps a deflated member of a zip archive into a gzip file. */
static void unzip_member(const char *zip_path, const char *member, const char *to)
{
    static const char header[10] = {'\x1f', '\x8b', 8, 0, 0, 0, 0, 0, 0, 3};
    struct t2_buf gz = {0};
    size_t n;
    char *zip = t_read_file(zip_path, &n);
    const char *entry = NULL, *local;

    for (size_t at = le(zip + n - 6, 4); at + 46 < n && le(zip + at, 4) == 0x02014b50;
         at += 46 + le(zip + at + 28, 2) + le(zip + at + 30, 2) + le(zip + at + 32, 2)) {
        if (le(zip + at + 28, 2) == strlen(member) &&
            memcmp(zip + at + 46, member, strlen(member)) == 0)
            entry = zip + at;
    }
    assert_non_null(entry);
    assert_int_equal(le(entry + 10, 2), 8); /* deflate */
    local = zip + le(entry + 42, 4);
    local += 30 + le(local + 26, 2) + le(local + 28, 2);
    t2_buf_append(&gz, header, sizeof header);
    t2_buf_append(&gz, local, le(entry + 20, 4));
    t2_buf_append(&gz, entry + 16, 4); /* CRC-32 */
    t2_buf_append(&gz, entry + 24, 4); /* size */
    t_write_file(t_tmp_path(to), gz.data, gz.len_bytes);
    t2_buf_release(&gz);
    free(zip);
}

static void add_line(struct t2_buf *to, const uint8_t *s, size_t len_bytes)
{
    t2_buf_append(to, s, len_bytes);
    t2_buf_push(to, '\n');
}

static void write_buf(const char *name, struct t2_buf *b)
{
    t_write_file(t_tmp_path(name), b->data, b->len_bytes);
    t2_buf_release(b);
}

/* Rows 0, 33, 66 ... (5000 of them) train, 7, 40, 73 ... (500) eval. */
static void prepare_tatoeba(void)
{
    struct t2_buf train_in = {0}, train_out = {0}, eval_in = {0}, eval_out = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_in *in = NULL;
    struct t2_slice line;
    size_t row = 0;

    unzip_member(data_path("tatoeba-en-de/deu-eng.zip"), "deu.txt", "deu.txt");
    assert_int_equal(t2_in_new(t_tmp_path("deu.txt"), &in, &err), T2_OK);
    while (t2_in_line(in, &line, &err) == T2_OK) {
        const uint8_t *tab = memchr(line.data, '\t', line.len_bytes), *end;
        bool train = row % 33 == 0 && row / 33 < 5000, eval = row % 33 == 7 && row / 33 < 500;
        if (!tab)
            continue;
        row++;
        end = memchr(tab + 1, '\t', line.len_bytes - (size_t) (tab + 1 - line.data));
        end = end ? end : line.data + line.len_bytes;
        if (train || eval) {
            add_line(train ? &train_in : &eval_in, line.data, (size_t) (tab - line.data));
            add_line(train ? &train_out : &eval_out, tab + 1, (size_t) (end - tab - 1));
        }
    }
    t2_in_free(in);
    write_buf("inputs.train.txt", &train_in);
    write_buf("targets.train.txt", &train_out);
    write_buf("inputs.eval.txt", &eval_in);
    write_buf("targets.eval.txt", &eval_out);
}

/* Lines 0..799 train, the rest eval; counts the words of train. */
static void cut_tokens(const char *from, const char *train_name, const char *eval_name,
                       struct t2_map *words)
{
    struct t2_buf train = {0}, eval = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_in *in = NULL;
    struct t2_slice line;
    size_t start;

    assert_int_equal(t2_in_new(data_path(from), &in, &err), T2_OK);
    for (size_t row = 0; t2_in_line(in, &line, &err) == T2_OK; row++) {
        add_line(row < 800 ? &train : &eval, line.data, line.len_bytes);
        for (size_t i = start = 0; row < 800 && i <= line.len_bytes; i++) {
            if (i < line.len_bytes && line.data[i] != ' ')
                continue;
            if (i > start)
                ++*t2_map_at(words, line.data + start, i - start, NULL);
            start = i + 1;
        }
    }
    t2_in_free(in);
    write_buf(train_name, &train);
    write_buf(eval_name, &eval);
}

static const struct t2_map *sorted_map;

/* By falling count, then by word. */
static int compare_words(const void *a, const void *b)
{
    size_t i = *(const size_t *) a, k = *(const size_t *) b;
    uint64_t ni = t2_map_value(sorted_map, i), nk = t2_map_value(sorted_map, k);

    if (ni != nk)
        return ni < nk ? 1 : -1;
    return t2_slice_cmp(t2_map_key(sorted_map, i), t2_map_key(sorted_map, k));
}

static void prepare_tokens(void)
{
    struct t2_map *words = t2_map_new();
    struct t2_buf list = {0};
    size_t n, *order;

    cut_tokens("multi30k-en-de/val.lc.norm.tok.en", "inputs.train.txt", "inputs.eval.txt", words);
    cut_tokens("multi30k-en-de/val.lc.norm.tok.de", "targets.train.txt", "targets.eval.txt", words);
    n = t2_map_count(words);
    order = t2_alloc(n, sizeof *order);
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    sorted_map = words;
    qsort(order, n, sizeof *order, compare_words);
    for (size_t i = 0; i < n && t2_map_value(words, order[i]) > 1; i++) {
        struct t2_slice word = t2_map_key(words, order[i]);
        add_line(&list, word.data, word.len_bytes);
    }
    write_buf("vocab.txt", &list);
    t2_free(order);
    t2_map_free(words);
}

/* ---- comparing ---- */

static void read_all(const char *path, struct t2_buf *all)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_in *in = NULL;
    uint8_t part[4096];
    size_t n = 1;

    assert_int_equal(t2_in_new(path, &in, &err), T2_OK);
    while (n > 0) {
        assert_int_equal(t2_in_read(in, part, sizeof part, &n, &err), T2_OK);
        t2_buf_append(all, part, n);
    }
    t2_in_free(in);
}

/* The run keeps its vocabulary as written or compressed. */
static void check_vocab(const char *run, const char *dir, const char *file)
{
    char *plain = t2_asprintf("reference-runs/%s/%s", run, file);
    char *gz = t2_asprintf("%s.gz", plain), *ours = t2_path_join(dir, file);
    struct t2_buf expected = {0}, found = {0};

    read_all(t_data_path(plain) ? t_data_path(plain) : data_path(gz), &expected);
    read_all(ours, &found);
    assert_true(t2_slice_eq(t2_buf_slice(&expected), t2_buf_slice(&found)));
    t2_buf_release(&expected);
    t2_buf_release(&found);
    t2_free(plain);
    t2_free(gz);
    t2_free(ours);
}

/* Every line of SHA256SUMS.sorted, and no shard more. */
static void check_shards(const char *run, const struct dg_manifest *m)
{
    char *sums = t2_asprintf("reference-runs/%s/SHA256SUMS.sorted", run);
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf ours = {0};
    struct t2_in *in = NULL;
    struct t2_slice line;
    size_t n = 0, n_ours = 0;

    for (size_t split = 0; split < DG_N_SPLITS; split++) {
        for (size_t i = 0; i < m->splits[split].n_shards; i++, n_ours++)
            t2_buf_printf(&ours, "%s  %s\n", m->splits[split].shards[i].sha256,
                          m->splits[split].shards[i].file);
    }
    assert_int_equal(t2_in_new(data_path(sums), &in, &err), T2_OK);
    for (; t2_in_line(in, &line, &err) == T2_OK; n++) {
        char *text = t2_strndup((const char *) line.data, line.len_bytes);
        t_assert_contains(t2_buf_cstr(&ours), text);
        t2_free(text);
    }
    assert_int_equal(n, n_ours);
    t2_in_free(in);
    t2_buf_release(&ours);
    t2_free(sums);
}

static void check_run(const char *run, const struct dg_problem *p)
{
    struct t2_pool *pool = t2_pool_new(2);
    struct dg_generate g = ds_settings(run, pool);
    struct dg_report report = {0};
    struct t2_err err = T2_ERR_INIT;

    if (dg_generate(p, &g, &report, &err) != T2_OK)
        fail_msg("%s", err.message);
    check_vocab(run, g.options.data_dir, report.manifest->targets_vocab.file);
    check_shards(run, report.manifest);
    dg_report_release(&report);
    t2_pool_free(pool);
}

static void test_multi30k(void **state)
{
    (void) state;
    (void) data_path("reference-runs/t2t-text2text-multi30k/SHA256SUMS.sorted");
    prepare_multi30k();
    check_run("t2t-text2text-multi30k", dg_find("text2text_tmpdir"));
}

static void test_tatoeba(void **state)
{
    (void) state;
    (void) data_path("reference-runs/t2t-text2text-tatoeba5k/SHA256SUMS.sorted");
    prepare_tatoeba();
    check_run("t2t-text2text-tatoeba5k", dg_find("text2text_tmpdir"));
}

static void test_tokens(void **state)
{
    (void) state;
    (void) data_path("reference-runs/t2t-tokens/SHA256SUMS.sorted");
    prepare_tokens();
    check_run("t2t-tokens", dg_find("text2text_tmpdir_tokens"));
}

/* The same files given by --train and --dev: the same shards under another name. */
static void test_own_text(void **state)
{
    struct dg_own_text own = {.name = "my_multi30k",
                              .vocab_type = "subwords",
                              .vocab = "",
                              .source_vocab = "",
                              .target_vocab = "",
                              .oov_token = ""};
    struct t2_pool *pool = t2_pool_new(2);
    struct dg_generate g = ds_settings("own", pool);
    struct dg_report report = {0};
    struct dg_problem *p = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct dg_manifest *m;
    char *train, *dev;

    (void) state;
    (void) data_path("reference-runs/t2t-text2text-multi30k/SHA256SUMS.sorted");
    train = t2_asprintf("%s,%s", data_path("multi30k-en-de/train.en.gz"),
                        data_path("multi30k-en-de/train.de.gz"));
    dev = t2_asprintf("%s,%s", data_path("multi30k-en-de/val.en.gz"),
                      data_path("multi30k-en-de/val.de.gz"));
    own.files[DG_TRAIN] = train;
    own.files[DG_DEV] = dev;
    own.files[DG_TEST] = "";
    assert_int_equal(dg_own_text_new(&own, &p, &err), T2_OK);
    assert_int_equal(dg_generate(p, &g, &report, &err), T2_OK);
    m = report.manifest;
    for (size_t split = 0; split < DG_N_SPLITS; split++) {
        for (size_t i = 0; i < m->splits[split].n_shards; i++) {
            struct tfr_manifest_shard *s = &m->splits[split].shards[i];
            char *file = t2_asprintf("text2text_tmpdir%s", s->file + strlen("my_multi30k"));
            t2_free(s->file);
            s->file = file;
        }
    }
    check_shards("t2t-text2text-multi30k", m);
    dg_report_release(&report);
    dg_own_text_free(p);
    t2_free(train);
    t2_free(dev);
    t2_pool_free(pool);
}

T_MAIN(cmocka_unit_test(test_multi30k), cmocka_unit_test(test_tatoeba),
       cmocka_unit_test(test_tokens), cmocka_unit_test(test_own_text))
