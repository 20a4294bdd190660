#!/bin/sh
# mk/sysroot.sh - libraries for another architecture, from Debian: for `make CROSS=...` on a machine of
# this one.
#
#   mk/sysroot.sh arm64       fills build/sysroot/aarch64-linux-gnu
#
# The packages are those of apt-packages.txt that are libraries, with all that they depend on.  They are
# downloaded by apt-get, which keeps its lists, its state and the packages below build/sysroot: nothing is
# installed, no architecture is added to the system's dpkg, and no root is needed.  Exit code 77, with the
# reason as the last line of stderr, where they cannot be had.
set -eu
cd "$(dirname "$0")/.."
arch=$1
case $arch in
arm64) triplet=aarch64-linux-gnu ;;
*) echo "usage: mk/sysroot.sh arm64" >&2 && exit 2 ;;
esac
if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
    echo "no apt-get here: give SYSROOT=DIR, a folder with libraries for $arch" >&2
    exit 77
fi

# libdnnl-dev: see ONEDNN in mk/config.mk
packages=$(sed -n 's/^\(lib[^ ]*\)  *\(build\|check\)$/\1/p' apt-packages.txt | grep -vx libdnnl-dev | tr '\n' ' ')
root=$PWD/build/sysroot/$triplet
if [ "$(cat "$root/.packages" 2>/dev/null)" = "$packages" ]; then
    exit 0
fi

own=$PWD/build/sysroot/apt-$arch
rm -rf "$own" "$root"
mkdir -p "$own/lists/partial" "$own/archives/partial" "$root"
: >"$own/status"
cat >"$own/apt.conf" <<END
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
APT::Install-Recommends "false";
APT::Sandbox::User "";
Dir::State "$own";
Dir::State::lists "$own/lists";
Dir::State::status "$own/status";
Dir::Cache "$own";
Dir::Cache::archives "$own/archives";
END
export APT_CONFIG="$own/apt.conf" DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # a list of words
if ! { apt-get -q update && apt-get -q -y --download-only install $packages; } >"$own/log" 2>&1; then
    tail -n 5 "$own/log" >&2
    echo "apt-get cannot download the libraries for $arch" >&2
    exit 77
fi
for deb in "$own"/archives/*.deb; do
    dpkg-deb -x "$deb" "$root"
done
rm -rf "$own" "$root/usr/share/doc" "$root/usr/share/man"

# Links to absolute names would leave the folder.
find "$root" -type l -lname '/*' | while IFS= read -r link; do
    ln -sfnr "$root$(readlink "$link")" "$link"
done
# What OpenBLAS's package asks update-alternatives for when it is installed.
for file in "lib/$triplet/openblas-pthread/libopenblas.so" "lib/$triplet/openblas-pthread/libopenblas.so.0" \
    "include/$triplet/openblas-pthread/cblas.h" "include/$triplet/openblas-pthread/openblas_config.h"; do
    [ ! -e "$root/usr/$file" ] || ln -sfnr "$root/usr/$file" "$root/usr/${file%/openblas-pthread/*}/${file##*/}"
done
printf '%s' "$packages" >"$root/.packages"
