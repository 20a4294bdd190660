/*
 * base/mapping.h - a file mapped for reading that may be cut or fail under us.
 *
 * Touching a mapped page that the file no longer has, or that its disk does not give, kills a
 * process with SIGBUS.  A program may say which file it was before it ends.
 */
#ifndef T2_BASE_MAPPING_H
#define T2_BASE_MAPPING_H

#include <stdint.h>

#include "base/err.h"

struct t2_mapping;

/*
 * Maps size bytes (> 0) of the open file fd; the descriptor may be closed.  The first call installs
 * a handler of SIGBUS that looks after these mappings only; anything else goes to the handler that
 * was there before.  A handler installed later must pass on what is not its own.
 */
T2_MUST_CHECK enum t2_status t2_mapping_new(int fd, uint64_t size, const char *path,
                                            struct t2_mapping **m, struct t2_err *err);
const uint8_t *t2_mapping_data(const struct t2_mapping *m);
/* Called in a handler of SIGBUS with the path of the file whose bytes are gone; must not return,
 * and do only what a signal handler may.  NULL, the default: SIGBUS does what it did before. */
void t2_mapping_on_loss(void (*report)(const char *path));
void t2_mapping_free(struct t2_mapping *m); /* NULL is allowed */

#endif
