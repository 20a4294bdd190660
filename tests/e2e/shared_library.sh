# A program that knows libtfrecord only as installed: header, library, pkg-config file.
case $T2_BUILD in */release) ;; *) echo "the library of an instrumented build needs its runtime first" >&2 && exit 77 ;; esac
lib=$T2_BUILD/lib/libtfrecord.so.0
test -f "$lib" || { echo "no libtfrecord.so.0: make lib-shared" >&2 && exit 77; }
BUILD=$T2_BUILD PREFIX=$SCRATCH/prefix VERSION=1.2.3 sh "$T2_ROOT/mk/install.sh" tfrecord

# Nothing but the interface is visible.
nm -D --defined-only "$lib" | awk '$2 != "A" { print $3 }' | grep -v '^tfrecord_' && exit 1
declared=$(sed -n 's/^TFRECORD_API .*\(tfrecord_[a-z0-9_]*\)(.*/\1/p' "$SCRATCH/prefix/include/t2t/tfrecord_api.h" | sort)
exported=$(nm -D --defined-only "$lib" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort)
test "$declared" = "$exported" || { printf 'declared:\n%s\nexported:\n%s\n' "$declared" "$exported" && exit 1; }

if command -v pkg-config >/dev/null; then
    PKG_CONFIG_PATH=$SCRATCH/prefix/lib/pkgconfig
    export PKG_CONFIG_PATH
    test "$(pkg-config --modversion tfrecord)" = 1.2.3
    flags=$(pkg-config --cflags --libs tfrecord)
else
    flags=$(sed -n -e 's/^Cflags: //p' -e 's/^Libs: //p' "$SCRATCH/prefix/lib/pkgconfig/tfrecord.pc" |
        sed -e 's|${libdir}|${prefix}/lib|' -e 's|${includedir}|${prefix}/include|' -e "s|\${prefix}|$SCRATCH/prefix|")
fi

cat >program.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tfrecord_api.h>

static void need(int status, int want, int line)
{
    if (status != want) {
        printf("line %d: status %d, not %d: %s\n", line, status, want, tfrecord_error());
        exit(1);
    }
}
#define NEED(call, want) need(call, want, __LINE__)

int main(void)
{
    const char *name = "x.tfrecord", *names[] = {"ids", "image", "weights"};
    const int kinds[] = {TFRECORD_INT64, TFRECORD_BYTES, TFRECORD_FLOAT};
    const int64_t ids[] = {7, -1, 300};
    const float weights[] = {0.5f, 1.5f};
    const void *images[] = {"abc", ""}, *data, *block, *values[] = {ids, images, weights};
    const size_t bytes[] = {3, 0}, *lengths[] = {NULL, bytes, NULL}, counts[] = {3, 2, 2};
    struct tfrecord_example *e;
    struct tfrecord_reader *r;
    struct tfrecord_writer *w;
    struct tfrecord_batch *b;
    size_t n, n_block, n_features;
    uint64_t count;

    NEED(tfrecord_example_new(NULL, 0, &e), TFRECORD_OK);
    NEED(tfrecord_writer_open(name, "bgzip", &w), TFRECORD_OK);
    for (int i = 0; i < 5; i++) {
        size_t c[] = {(size_t) (i % 4), 2, 2};
        NEED(tfrecord_example_build(e, 3, names, kinds, i == 4 ? counts : c, values, lengths, &data, &n), TFRECORD_OK);
        NEED(tfrecord_writer_add(w, data, n), TFRECORD_OK);
    }
    NEED(tfrecord_writer_commit(w, &count), TFRECORD_OK);
    printf("%d written\n", (int) count);

    NEED(tfrecord_reader_open(&name, 1, &r), TFRECORD_OK);
    NEED(tfrecord_reader_count(r, &count), TFRECORD_OK);
    printf("%d records in %d file, %s\n", (int) count, (int) tfrecord_reader_n_files(r), tfrecord_reader_file(r, 0));
    for (n_features = 0; tfrecord_reader_next(r, &data, &n) == TFRECORD_OK; n_features++)
        ;
    printf("%d read\n", (int) n_features);
    NEED(tfrecord_reader_get(r, 4, &data, &n), TFRECORD_OK);
    NEED(tfrecord_example_parse(e, data, n, &block, &n_block, &n_features), TFRECORD_OK);
    for (size_t i = 0; i < n_features; i++) {
        const int64_t *row = (const int64_t *) block + i * TFRECORD_ROW;
        const char *at = (const char *) block + row[4];
        printf("%.*s %d %d:", (int) row[1], (const char *) data + row[0], (int) row[2], (int) row[3]);
        for (int64_t k = 0; k < row[3]; k++) {
            if (row[2] == TFRECORD_INT64)
                printf(" %d", (int) ((const int64_t *) at)[k]);
            else if (row[2] == TFRECORD_FLOAT)
                printf(" %g", (double) ((const float *) at)[k]);
            else
                printf(" '%.*s'", (int) ((const int64_t *) at)[2 * k + 1], (const char *) data + ((const int64_t *) at)[2 * k]);
        }
        printf("\n");
    }
    NEED(tfrecord_reader_get(r, 5, &data, &n), TFRECORD_ENOTFOUND);
    printf("%s\n", tfrecord_error());

    tfrecord_reader_rewind(r);
    NEED(tfrecord_batch_new(names, NULL, 3, &b), TFRECORD_OK);
    NEED(tfrecord_batch_next(b, r, 4), TFRECORD_OK);
    NEED(tfrecord_batch_get(b, r, (const uint64_t[]){4, 0}, 2), TFRECORD_OK);
    printf("%d in the batch:", (int) tfrecord_batch_n_records(b));
    for (size_t i = 0; i <= 6; i++)
        printf(" %d", (int) tfrecord_batch_splits(b, 0)[i]);
    printf("; %d\n", (int) ((const int64_t *) tfrecord_batch_values(b, 0))[8]);
    tfrecord_batch_clear(b);
    NEED(tfrecord_batch_next(b, r, 4), TFRECORD_OK);
    NEED(tfrecord_batch_next(b, r, 4), TFRECORD_END);

    /* Misuse is a status, never an abort. */
    names[1] = "ids";
    NEED(tfrecord_example_build(e, 3, names, kinds, counts, values, lengths, &data, &n), TFRECORD_EUSAGE);
    printf("%s\n", tfrecord_error());
    NEED(tfrecord_batch_new(names, NULL, 3, &b), TFRECORD_EUSAGE);
    NEED(tfrecord_reader_next(NULL, &data, &n), TFRECORD_EUSAGE);
    NEED(tfrecord_writer_open("y", "rar", &w), TFRECORD_EUSAGE);
    printf("%s\n", tfrecord_error());
    name = "absent.tfrecord";
    NEED(tfrecord_reader_open(&name, 1, &r), TFRECORD_ENOTFOUND);
    NEED(tfrecord_example_parse(e, "\377", 1, &block, &n_block, &n_features), TFRECORD_EFORMAT);
    printf("%s\n", tfrecord_error());
    printf("%08x\n", (unsigned) tfrecord_crc32c(0, "123456789", 9));
    return 0;
}
END
# shellcheck disable=SC2086 # a list of words
${CC:-cc} -std=c11 -Wall -Wextra -Werror -o program program.c $flags
LD_LIBRARY_PATH=$SCRATCH/prefix/lib ./program >out
cat >expected <<'END'
5 written
5 records in 1 file, x.tfrecord
5 read
ids 3 3: 7 -1 300
image 1 2: 'abc' ''
weights 2 2: 0.5 1.5
there is no record 5: there are 5
6 in the batch: 0 0 1 3 6 9 9; 300
feature 'ids' is there twice
'rar' is no compression: none, gzip, zlib or bgzip
not an Example: byte 0 of 1: not a field tag
e3069283
END
diff -u expected out
printf '#include <tfrecord_api.h>\nint main() { return tfrecord_api_version() != 1; }\n' >plus.cc
if command -v c++ >/dev/null && c++ -x c++ -fsyntax-only - </dev/null 2>/dev/null; then
    # shellcheck disable=SC2086
    c++ -Wall -Wextra -Werror -fsyntax-only -I"$SCRATCH/prefix/include/t2t" plus.cc
fi
