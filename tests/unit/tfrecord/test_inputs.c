/*
 * test_inputs.c - which files an argument means: names, globs, shards, folders, manifests, and
 * refusals.
 */
#include "tfrecord/inputs.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tests/unit/tfrecord/record_files.h"

static char dir[4096];
static struct t2_err err;
static struct tfr_inputs in;

static void begin(const char *name)
{
    snprintf(dir, sizeof dir, "%s", t_tmp_path(name));
    assert_int_equal(mkdir(dir, 0700), 0);
    assert_int_equal(chdir(dir), 0);
}

static void put(const char *name, const void *data, size_t n)
{
    t_write_file(name, data, n);
}

static void put_records(const char *name, size_t n)
{
    struct t2_buf b = {0};

    rf_some(&b, n);
    put(name, b.data, b.len_bytes);
    t2_buf_release(&b);
}

static enum t2_status find(const char *const *args)
{
    struct t2_strs list = {0};
    enum t2_status st;

    for (; *args; args++)
        t2_strs_push(&list, *args);
    tfr_inputs_release(&in);
    err = (struct t2_err) T2_ERR_INIT;
    st = tfr_inputs_find(&list, &in, &err);
    t2_strs_release(&list);
    return st;
}
#define FIND(...) find((const char *const[]){__VA_ARGS__, NULL})

/* Paths joined by spaces; "split:" in front where the name tells it. */
static const char *found(void)
{
    static struct t2_buf text;

    t2_buf_clear(&text);
    if (err.status != T2_OK)
        return err.message;
    for (size_t i = 0; i < in.n; i++)
        t2_buf_printf(&text, "%s%s%s%s", i ? " " : "", in.files[i].split,
                      in.files[i].split[0] ? ":" : "", in.files[i].path);
    return t2_buf_cstr(&text);
}

#define FINDS(wanted, ...)                                                                         \
    do {                                                                                           \
        (void) FIND(__VA_ARGS__);                                                                  \
        assert_string_equal(found(), wanted);                                                      \
    } while (0)
#define REFUSES(wanted_status, part, ...)                                                          \
    do {                                                                                           \
        assert_int_equal(FIND(__VA_ARGS__), wanted_status);                                        \
        t_assert_contains(err.message, part);                                                      \
    } while (0)

static void test_files(void **state)
{
    (void) state;
    begin("files");
    put_records("a.tfrecord", 2);
    put_records("b.tfrecord", 3);
    FINDS("b.tfrecord a.tfrecord b.tfrecord", "b.tfrecord", "a.tfrecord", "b.tfrecord");
    FINDS("- a.tfrecord", "-", "a.tfrecord");
    assert_int_equal(in.files[0].bytes, 0);
    assert_true(in.files[1].bytes > 32);
    assert_true(in.bytes == in.files[1].bytes);
    assert_true(in.files[1].n_records == TFR_UNKNOWN_COUNT);
    assert_null(in.files[1].manifest);
    assert_int_equal(find((const char *const[]){NULL}), T2_EUSAGE);
    REFUSES(T2_EUSAGE, "an INPUT is empty", "");
    REFUSES(T2_EUSAGE, "only once", "-", "a.tfrecord", "-");
    REFUSES(T2_ENOTFOUND, "'a.tfrecor': no such file; did you mean 'a.tfrecord'?", "a.tfrecor");
    REFUSES(T2_ENOTFOUND, "'zzzzzzzz': no such file; the folder has 'a.tfrecord', 'b.tfrecord'",
            "zzzzzzzz");
    REFUSES(T2_ENOTFOUND, "there is no folder 'nowhere'", "nowhere/a");
    put_records("odd[1]*@5", 1); /* a file of that very name comes first */
    FINDS("odd[1]*@5", "odd[1]*@5");
}

static void test_splits_of_names(void **state)
{
    (void) state;
    begin("splits");
    put_records("x-train-00000-of-00001", 1);
    put_records("mnist-test.tfrecord-00000-of-00001", 1);
    put_records("validation.tfrecord", 1);
    put_records("training_dev", 1);
    put_records("constrain-x", 1);
    put_records("test-data-train-000000-of-123456", 1);
    FINDS("train:x-train-00000-of-00001 test:mnist-test.tfrecord-00000-of-00001 "
          "validation:validation.tfrecord dev:training_dev constrain-x "
          "train:test-data-train-000000-of-123456",
          "x-train-00000-of-00001", "mnist-test.tfrecord-00000-of-00001", "validation.tfrecord",
          "training_dev", "constrain-x", "test-data-train-000000-of-123456");
}

static void test_shards(void **state)
{
    static const char all[] = "sub/x-00000-of-00003 sub/x-00001-of-00003 sub/x-00002-of-00003";

    (void) state;
    begin("shards");
    assert_int_equal(mkdir("sub", 0700), 0);
    put_records("sub/x-00000-of-00003", 1);
    put_records("sub/x-00001-of-00003", 1);
    put_records("sub/x-00002-of-00003", 1);
    put_records("y-00000-of-00001", 1);
    put("sub/x-00003-of-00003.incomplete", "", 0);
    FINDS(all, "sub/x@3");
    FINDS(all, "sub/x@*");
    FINDS(all, "sub/x-????"
               "?-of-00003");
    FINDS(all, "sub/x-*-of-00003");
    FINDS("y-00000-of-00001", "y@1");
    REFUSES(T2_EFORMAT, "'sub/x@4': there are 3 shards, not 4", "sub/x@4");
    REFUSES(T2_EFORMAT, "not 4294967299", "sub/x@4294967299");
    REFUSES(T2_EFORMAT, "there are 3 shards, not 4", "sub/x-*-of-00004");
    REFUSES(T2_ENOTFOUND, "no shards 'z-NNNNN-of-MMMMM'", "sub/z@3");
    assert_int_equal(unlink("sub/x-00001-of-00003"), 0);
    REFUSES(T2_EFORMAT, "1 of 3 shards are missing: 'x-00001-of-00003'", "sub/x@3");
    REFUSES(T2_EFORMAT, "are missing",
            "sub/x-????"
            "?-of-00003");
    put_records("sub/x-00001-of-00004", 1);
    REFUSES(T2_EFORMAT, "two different sets", "sub/x@*");
    REFUSES(T2_ENOTFOUND, "no such file", "x@0");
}

static void test_globs(void **state)
{
    (void) state;
    begin("globs");
    put_records("b.tfrecord", 1);
    put_records("a.tfrecord", 1);
    put_records(".hidden.tfrecord", 1);
    put_records("c.tfrecord.incomplete", 1);
    assert_int_equal(mkdir("d.tfrecord", 0700), 0);
    FINDS("a.tfrecord b.tfrecord", "*.tfrecord");
    FINDS("b.tfrecord", "[b-z].tfrecor?");
    FINDS("./a.tfrecord ./b.tfrecord", "./*.tfrecord");
    REFUSES(T2_ENOTFOUND, "'*.gz': no file matches", "*.gz");
    REFUSES(T2_ENOTFOUND, "no such directory", "nowhere/*");
}

static void test_folder(void **state)
{
    struct t2_buf records = {0}, packed = {0}, text = {0};

    (void) state;
    begin("folder");
    assert_int_equal(mkdir("d", 0700), 0);
    REFUSES(T2_ENOTFOUND, "no record files among the 0 entries", "d");
    put("d/vocab.txt", "a\nb\n", 4);
    put("d/empty", "", 0);
    put("d/short", "abc", 3);
    REFUSES(T2_ENOTFOUND, "no record files among the 3 entries", "d");
    rf_some(&records, 3);
    rf_gzip(&packed, t2_buf_slice(&records));
    put("d/packed.gz", packed.data, packed.len_bytes);
    rf_gzip(&text, t2_slice_of("lines of text, and more of them"));
    put("d/corpus.txt.gz", text.data, text.len_bytes);
    put("d/x-00001-of-00002", "", 0);
    put_records("d/x-00000-of-00002", 2);
    put_records("d/x-unshuffled-train-00000-of-00001", 2);
    put_records("d/.hidden", 2);
    put_records("d/y.incomplete", 2);
    assert_int_equal(mkfifo("d/pipe", 0600), 0);
    FINDS("d/packed.gz d/x-00000-of-00002 d/x-00001-of-00002", "d");
    FINDS("d/packed.gz d/x-00000-of-00002 d/x-00001-of-00002", "d/");
    t2_buf_release(&records);
    t2_buf_release(&packed);
    t2_buf_release(&text);
}

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_manifest(void **state)
{
    static const char text[] =
        "{\"format\": \"t2t.c data set\", \"format_version\": 1, \"problem\": \"x\", "
        "\"features\": [], \"splits\": {"
        "\"dev\": {\"records\": 2, \"shards\": [{\"file\": \"two\", \"records\": 2, \"bytes\": 9, "
        "\"sha256\": \"" SHA "\"}]}, "
        "\"train\": {\"records\": 1, \"shards\": [{\"file\": \"one\", \"records\": 1, \"bytes\": "
        "9, "
        "\"sha256\": \"" SHA "\"}]}}}";

    (void) state;
    begin("manifests");
    assert_int_equal(mkdir("d", 0700), 0);
    put_records("d/one", 1);
    put_records("d/two", 2);
    put_records("d/three", 3);
    put("d/x.manifest.json", text, strlen(text));
    FINDS("dev:d/two train:d/one", "d/x.manifest.json");
    assert_int_equal(in.files[0].n_records, 2);
    assert_string_equal(in.files[1].manifest, "d/x.manifest.json");
    FINDS("dev:d/two train:d/one", "d");
    put("d/bad.manifest.json", "{}", 2);
    REFUSES(T2_EFORMAT, "'d/bad.manifest.json': \"format\" is not", "d");
    REFUSES(T2_EFORMAT, "\"format\" is not", "d/bad.manifest.json");
    tfr_inputs_release(&in);
}

T_MAIN(cmocka_unit_test(test_files), cmocka_unit_test(test_splits_of_names),
       cmocka_unit_test(test_shards), cmocka_unit_test(test_globs), cmocka_unit_test(test_folder),
       cmocka_unit_test(test_manifest))
