#!/bin/sh
# tests/lint/sources.sh - the project's own files: `sources.sh c` C sources and headers, `sources.sh sh`
# scripts.  From the root.
case $1 in
c) find base tfrecord tokenizer augment audio tfrec vocab datagen train tests bench fixtures -name '*.[ch]' 2>/dev/null ;;
sh) {
    find mk tests scripts bench fixtures -name '*.sh' ! -path 'tests/cli/*' 2>/dev/null
    find tests/cli -name '*.sh' 2>/dev/null
    ls ./*.sh .ci/run
} | sed 's,^\./,,' ;;
esac | LC_ALL=C sort
