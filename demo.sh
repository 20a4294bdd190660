#!/bin/sh
# demo.sh - installs what is missing, builds, and runs the whole pipeline on data that the program makes
# itself: records, training, translation, BLEU.  Arguments go to make: ./demo.sh V=1
set -eu
cd "$(dirname "$0")"
. ./mk/packages.sh

install_packages build
make -j"$(n_jobs)" all "$@"
exec make demo "$@"
