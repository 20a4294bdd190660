/*
 * train/ckpt/block_table.h - sorted tables of keys and values (LevelDB's), in which TensorFlow
 * keeps the index of a checkpoint.
 *
 * tensorflow/core/lib/io/table*.cc; spec formats-and-experiments.md E3.2.
 */
#ifndef CKPT_BLOCK_TABLE_H
#define CKPT_BLOCK_TABLE_H

#include "base/buf.h"
#include "base/err.h"

/* Gets the entries in their order; key and value are borrowed until it returns. */
typedef enum t2_status (*ckpt_entry_fn)(void *context, struct t2_slice key, struct t2_slice value,
                                        struct t2_err *err);

/*
 * Gives all entries of a table in memory.  Blocks may be plain or snappy's; every checksum is
 * compared, and keys must ascend.  T2_EFORMAT names `path`, and the block's offset; T2_EUNSUPPORTED
 * for blocks that are packed otherwise.
 */
T2_MUST_CHECK enum t2_status ckpt_table_read(struct t2_slice table, const char *path,
                                             ckpt_entry_fn entry, void *context,
                                             struct t2_err *err);

/* ---- writing: plain blocks, laid out as TensorFlow does ---- */
struct ckpt_table;

struct ckpt_table *ckpt_table_new(void);
/* Keys must ascend (assertion). */
void ckpt_table_add(struct ckpt_table *t, struct t2_slice key, struct t2_slice value);
/* Appends the whole table to out and frees t. */
void ckpt_table_finish(struct ckpt_table *t, struct t2_buf *out);

#endif
