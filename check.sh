#!/bin/sh
# check.sh - installs what is missing, builds, runs the tests.  Arguments go to make:
# ./check.sh DEVELOPER=1, ./check.sh T=tokenizer, ./check.sh T2_DATA=/some/folder
set -eu
cd "$(dirname "$0")"
. ./mk/packages.sh

install_packages build check
make -j"$(n_jobs)" all "$@"
exec make -j"$(n_jobs)" check "$@"
