/*
 * base/tar_read.c - the files of a tar archive, in order.
 *
 * Grammar, in blocks of 512 bytes (POSIX.1-1988 ustar, pax of POSIX.1-2001, GNU long names):
 *
 *   archive = { member } zero-block zero-block ...     both may be missing
 *   member  = { extension } header content
 *   extension = header of type 'x' (pax), 'L' (GNU long name), 'g', 'K', and its content
 *   content = size bytes, zero bytes up to the next block
 *
 * A header; numbers are octal digits in ASCII:
 *
 *   offset bytes        offset bytes
 *      0   100 name       156    1  type: '0' or NUL file, '5' folder, '1' '2' links, ...
 *    100     8 mode       157  100  target of a link
 *    108    16 owner      257    8  "ustar\0" "00"
 *    124    12 size       265   64  names of owner and group
 *    136    12 mtime      329   16  device
 *    148     8 checksum   345  155  prefix: the name is prefix/name
 *
 * The archive may be compressed (t2_in takes care) and a pipe: nothing is ever sought.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/tar.h"
#include "base/text.h"

enum { BLOCK_BYTES = 512, MAX_NAME_BYTES = 1 << 16 };
static const uint64_t MAX_MEMBER_BYTES = UINT64_C(1) << 31; /* a record's limit */

struct t2_tar {
    char *path;
    struct t2_in *in;
    uint64_t offset;       /* of the next block, in the uncompressed archive */
    uint64_t n;            /* members so far */
    struct t2_buf name;    /* of the member */
    struct t2_buf longer;  /* its name by a pax header or a GNU long name; empty: none */
    struct t2_buf scratch; /* such a header */
    uint64_t pax_size;     /* UINT64_MAX: none */
    bool at_end;
};

enum t2_status t2_tar_new(const char *path, struct t2_tar **tar, struct t2_err *err)
{
    struct t2_in *in;

    T2_TRY(t2_in_new(path, &in, err));
    *tar = t2_alloc(1, sizeof **tar);
    (*tar)->path = t2_strdup(path);
    (*tar)->in = in;
    return T2_OK;
}

void t2_tar_free(struct t2_tar *t)
{
    if (!t)
        return;
    t2_in_free(t->in);
    t2_buf_release(&t->name);
    t2_buf_release(&t->longer);
    t2_buf_release(&t->scratch);
    t2_free(t->path);
    t2_free(t);
}

static enum t2_status fail(const struct t2_tar *t, enum t2_status status, const char *what,
                           struct t2_err *err)
{
    const char *name = t2_buf_cstr(&t->name);

    if (*name)
        return t2_fail(err, status, "'%s': member '%s' at offset %" PRIu64 ": %s", t->path, name,
                       t->offset, what);
    return t2_fail(err, status, "'%s': at offset %" PRIu64 ": %s", t->path, t->offset, what);
}

/* Reads len_bytes bytes, less only at the end of the archive; *n is the number read.  t2_in_read
 * gives what its window holds, so a block may come in two pieces. */
static enum t2_status read_some(struct t2_tar *t, void *data, size_t len_bytes, size_t *n,
                                struct t2_err *err)
{
    uint8_t *to = data;
    size_t got;

    *n = 0;
    do {
        T2_TRY(t2_in_read(t->in, to + *n, len_bytes - *n, &got, err));
        *n += got;
    } while (got > 0 && *n < len_bytes);
    return T2_OK;
}

/*
 * Sizes are octal digits, or big-endian binary with the first bit set (GNU).
 *
 * The binary form is the one for sizes of 8 GiB and more; its value is checked for 55 bits before
 * it is shifted.
 */
static bool parse_number(const uint8_t *p, size_t n, uint64_t *value)
{
    size_t i = 0;

    *value = 0;
    if (p[0] & 0x80) {
        for (i = 0; i < n; i++) {
            if (*value >> 55)
                return false;
            *value = *value << 8 | (i == 0 ? p[i] & 0x7fU : p[i]);
        }
        return true;
    }
    while (i < n && p[i] == ' ')
        i++;
    for (; i < n && p[i] >= '0' && p[i] <= '7'; i++)
        *value = *value << 3 | (uint64_t) (p[i] - '0');
    return i == n || p[i] == ' ' || p[i] == '\0';
}

/*
 * The sum of the bytes of the header with the eight of the checksum itself as blanks.  Old
 * programs summed signed characters, which differs for names beyond ASCII; either is right.
 */
static bool checksum_ok(const uint8_t *block)
{
    uint64_t sum = 0, want;
    int64_t sum_signed = 0;

    for (int i = 0; i < BLOCK_BYTES; i++) {
        uint8_t b = i >= 148 && i < 156 ? ' ' : block[i];
        sum += b;
        sum_signed += (int8_t) b;
    }
    return parse_number(block + 148, 8, &want) &&
           (want == sum || (sum_signed >= 0 && want == (uint64_t) sum_signed));
}

static bool is_zero(const uint8_t *block)
{
    return block[0] == 0 && memcmp(block, block + 1, BLOCK_BYTES - 1) == 0;
}

/* The content of a member and its padding.  Read in steps of 1 MiB, so that the buffer grows with
 * the bytes that are there and not with what a damaged header claims. */
static enum t2_status read_content(struct t2_tar *t, uint64_t size, struct t2_buf *content,
                                   struct t2_err *err)
{
    uint64_t padded = (size + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;

    t2_buf_clear(content);
    while (content->len_bytes < padded) {
        uint64_t left = padded - content->len_bytes;
        size_t want = left < (1 << 20) ? (size_t) left : (size_t) 1 << 20, n;
        uint8_t *to = t2_buf_reserve(content, want);

        T2_TRY(read_some(t, to, want, &n, err));
        content->len_bytes += n;
        if (n < want && content->len_bytes < size)
            return fail(t, T2_EFORMAT, "the archive is cut short inside its data", err);
        if (n < want)
            break; /* the last padding may be missing */
    }
    t->offset += padded;
    content->len_bytes = (size_t) size;
    if (size > 0)
        content->data[size] = '\0';
    return T2_OK;
}

/* Records of a pax header: "<length> <key>=<value>\n", where the length in decimal counts the whole
 * record with its own digits.  Only path, size and GNU's marks of sparse files matter here. */
static enum t2_status parse_pax(struct t2_tar *t, struct t2_slice s, struct t2_err *err)
{
    while (s.len_bytes > 0) {
        size_t n = 0, digits = 0;
        const uint8_t *eq, *key;

        for (; digits < s.len_bytes && digits < 9 && s.data[digits] >= '0' && s.data[digits] <= '9';
             digits++)
            n = n * 10 + (size_t) (s.data[digits] - '0');
        if (n > s.len_bytes || n < digits + 3 || s.data[digits] != ' ' || s.data[n - 1] != '\n')
            return fail(t, T2_EFORMAT, "its pax header is damaged", err);
        key = s.data + digits + 1;
        eq = memchr(key, '=', n - digits - 2);
        if (!eq)
            return fail(t, T2_EFORMAT, "its pax header is damaged", err);
        struct t2_slice k = {key, (size_t) (eq - key)};
        struct t2_slice v = {eq + 1, (size_t) (s.data + n - 1 - (eq + 1))};
        if (t2_slice_eq(k, t2_slice_of("path"))) {
            t2_buf_clear(&t->longer);
            t2_buf_append(&t->longer, v.data, v.len_bytes);
        } else if (t2_slice_eq(k, t2_slice_of("size"))) {
            char *text = t2_strndup((const char *) v.data, v.len_bytes);
            bool ok = t2_parse_u64(text, &t->pax_size);
            t2_free(text);
            if (!ok)
                return fail(t, T2_EFORMAT, "its pax header has a size that is none", err);
        } else if (k.len_bytes > 11 && memcmp(k.data, "GNU.sparse.", 11) == 0) {
            return fail(t, T2_EUNSUPPORTED, "a sparse file; pack it again without --sparse", err);
        }
        s.data += n;
        s.len_bytes -= n;
    }
    return T2_OK;
}

/* A pax or GNU name in front of the header replaces the 100 bytes of the header itself. */
static void take_name(struct t2_tar *t, const uint8_t *block)
{
    const char *name = (const char *) block, *prefix = (const char *) block + 345;

    t2_buf_clear(&t->name);
    if (t->longer.len_bytes > 0) {
        t2_buf_append(&t->name, t->longer.data, t->longer.len_bytes);
    } else {
        if (memcmp(block + 257, "ustar\0", 6) == 0 && *prefix) {
            t2_buf_append(&t->name, prefix, strnlen(prefix, 155));
            t2_buf_push(&t->name, '/');
        }
        t2_buf_append(&t->name, name, strnlen(name, 100));
    }
    t2_buf_clear(&t->longer);
}

/*
 * Names become keys and file names, so a name that leads out of the folder is refused here and
 * nowhere else has to look.
 */
static enum t2_status check_name(struct t2_tar *t, struct t2_err *err)
{
    const char *name = t2_buf_cstr(&t->name);

    if (strlen(name) != t->name.len_bytes || !*name)
        return fail(t, T2_EFORMAT, "its name is empty or has a zero byte", err);
    if (*name == '/')
        return fail(t, T2_EFORMAT, "its name is absolute", err);
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return fail(t, T2_EFORMAT, "its name leads out of the archive by '..'", err);
    }
    return T2_OK;
}

/*
 * Reads to the end of the file behind the zero blocks, so that a compressed archive's checksum is
 * compared and a program at the other end of a pipe is not killed.
 */
static enum t2_status drain(struct t2_tar *t, struct t2_err *err)
{
    uint8_t rest[4096];
    size_t n;

    t->at_end = true;
    do {
        T2_TRY(t2_in_read(t->in, rest, sizeof rest, &n, err));
    } while (n > 0);
    return T2_EOF;
}

/* A message about bytes that are no header, by the magic numbers of other formats. */
static const char *what_else(const uint8_t *block, bool is_first)
{
    if (memcmp(block, "BZh", 3) == 0)
        return "compressed by bzip2; unpack it first: bzip2 -dc FILE | tfrec convert ... -";
    if (memcmp(block, "\x28\xb5\x2f\xfd", 4) == 0)
        return "compressed by zstd; unpack it first: zstd -dc FILE | tfrec convert ... -";
    if (block[0] == 0x1f && block[1] == 0x8b)
        return "compressed twice; unpack it once: gzip -dc FILE | tfrec convert ... -";
    return is_first ? "no tar archive (there is no sound header)"
                    : "the checksum of a header is wrong";
}

/* The next header that is there; T2_EOF at the end of the archive. */
static enum t2_status next_block(struct t2_tar *t, uint8_t *block, struct t2_err *err)
{
    size_t n;

    T2_TRY(read_some(t, block, BLOCK_BYTES, &n, err));
    t2_buf_clear(&t->name);
    if (n == 0 && t->offset == 0)
        return fail(t, T2_EFORMAT, "an empty file is no archive", err);
    if (n == 0) {
        t->at_end = true; /* no zero blocks; fine */
        return T2_EOF;
    }
    if (n < BLOCK_BYTES && t->offset == 0) {
        memset(block + n, 0, BLOCK_BYTES - n);
        return fail(t, T2_EFORMAT, what_else(block, true), err);
    }
    if (n < BLOCK_BYTES)
        return fail(t, T2_EFORMAT, "the archive is cut short inside a header", err);
    if (is_zero(block))
        return drain(t, err);
    if (!checksum_ok(block))
        return fail(t, T2_EFORMAT, what_else(block, t->offset == 0), err);
    return T2_OK;
}

/* A header that belongs to the next: pax, GNU long name. */
static enum t2_status extension(struct t2_tar *t, uint8_t type, uint64_t size, struct t2_err *err)
{
    if (size > MAX_NAME_BYTES * 16)
        return fail(t, T2_EFORMAT, "a header of more than 1 MiB", err);
    T2_TRY(read_content(t, size, &t->scratch, err));
    if (type == 'x')
        return parse_pax(t, t2_buf_slice(&t->scratch), err);
    if (type == 'L') {
        t2_buf_clear(&t->longer);
        t2_buf_puts(&t->longer, t2_buf_cstr(&t->scratch));
    }
    return T2_OK; /* 'g' (global) and 'K' (target of a link) concern no name or size of a file */
}

static enum t2_status refuse_type(const struct t2_tar *t, uint8_t type, struct t2_err *err)
{
    return fail(t, T2_EUNSUPPORTED,
                type == '1'   ? "a hard link; pack it again with tar --hard-dereference"
                : type == '2' ? "a symbolic link; pack it again with tar --dereference"
                : type == 'S' ? "a sparse file; pack it again without --sparse"
                : type == '3' || type == '4' || type == '6' ? "a device or pipe"
                                                            : "a member of unknown type",
                err);
}

enum t2_status t2_tar_next(struct t2_tar *t, const char **name, struct t2_buf *content,
                           struct t2_err *err)
{
    uint8_t block[BLOCK_BYTES], type;
    uint64_t size;

    t->pax_size = UINT64_MAX;
    while (!t->at_end) {
        T2_TRY(next_block(t, block, err));
        take_name(t, block);
        type = block[156];
        if (!parse_number(block + 124, 12, &size))
            return fail(t, T2_EFORMAT, "its size is no number", err);
        if (t->pax_size != UINT64_MAX)
            size = t->pax_size;
        if (size > MAX_MEMBER_BYTES)
            return fail(t, T2_EFORMAT, "it has more than 2 GiB, too much for a record", err);
        t->offset += BLOCK_BYTES;
        if (type == 'x' || type == 'g' || type == 'L' || type == 'K') {
            T2_TRY(extension(t, type, size, err));
            continue;
        }
        t->pax_size = UINT64_MAX;
        T2_TRY(check_name(t, err));
        if (type == '5')
            continue;
        if (type != '0' && type != '\0' && type != '7')
            return refuse_type(t, type, err);
        T2_TRY(read_content(t, size, content, err));
        *name = t2_buf_cstr(&t->name);
        while ((*name)[0] == '.' && (*name)[1] == '/')
            *name += 2;
        return T2_OK;
    }
    return T2_EOF;
}
