/*
 * layout_messages.h - everything a layout says in one run, as lines.
 */
#ifndef TESTS_LAYOUT_MESSAGES_H
#define TESTS_LAYOUT_MESSAGES_H

#include <fcntl.h>
#include <unistd.h>

#include "datagen/shards/layout.h"
#include "tests/support/t.h"

/* What follows goes to a file instead of stderr; returns what to give to said_end. */
static inline int said_begin(void)
{
    int kept = dup(STDERR_FILENO);
    int fd = open(t_tmp_path("said"), O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(kept >= 0 && fd >= 0);
    assert_int_equal(dup2(fd, STDERR_FILENO), STDERR_FILENO);
    close(fd);
    return kept;
}

/* The lines that were said, without the tool's name; free() it. */
static inline char *said_end(int kept)
{
    size_t n;

    assert_int_equal(dup2(kept, STDERR_FILENO), STDERR_FILENO);
    close(kept);
    return t_read_file(t_tmp_path("said"), &n);
}

/* All messages of a layout, in the order of a run; free() it. */
static inline char *all_messages(const struct dg_layout *layout)
{
    const struct dg_messages *says = &layout->says;
    int kept = said_begin();

    says->begins("NAME");
    says->was_complete();
    says->vocab_is_there("VOCAB");
    says->split_begins(DG_DEV);
    says->many_records(0);
    says->many_records(100000);
    says->split_ends(123456);
    says->shuffle_begins();
    says->shard_is_shuffled("SHARD");
    says->shuffle_ends();
    return said_end(kept);
}

#endif
