#!/bin/sh
# mk/flags.sh - prints docs/flags.md: the flag tables of the tools in the folder BIN, as they say them
# themselves (--help=markdown).
#
#   mk/flags.sh BIN >docs/flags.md
set -eu
bin=$1
cat <<'END'
# Flags

Made by `make flags` from the tables of the tools themselves; `TOOL --help` prints the same. Tools
of several commands (`tfrec`, `t2t-vocab`, `t2t-tune`) explain theirs by `TOOL COMMAND --help`.

A flag of an original program either has a row in the first table of its tool, or is *passed over*:
it is taken with any value, and a warning says why it means nothing here; or it is *refused*, unless
its value changes nothing, with what to do instead. Any flag that is in no table is an error that
names the nearest one.
END
for tool in t2t-trainer t2t-decoder transformer_main resnet_main t2t-datagen data_download jpeg-to-tfrecord \
    t2t-avg-all t2t-translate-all t2t-bleu t2t-exporter t2t-query-server; do
    echo
    "$bin/$tool" --help=markdown
done
