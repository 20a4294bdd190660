#!/bin/sh
# mk/install_shared.sh - copies libtfrecord.so, its header and its pkg-config file below a prefix.
#
#   mk/install_shared.sh LIBDIR PREFIX VERSION [DESTDIR]     LIBDIR: the build's lib folder
set -eu
cd "$(dirname "$0")/.."
so=libtfrecord.so.0
to=${4:-}$2
install -d "$to/lib/pkgconfig" "$to/include/t2t"
install -m 755 "$1/$so" "$to/lib"
ln -sfn "$so" "$to/lib/libtfrecord.so"
install -m 644 tfrecord/tfrecord_api.h "$to/include/t2t"
sed -e "s|@PREFIX@|$2|" -e "s|@VERSION@|$3|" mk/tfrecord.pc.in >"$to/lib/pkgconfig/tfrecord.pc"
