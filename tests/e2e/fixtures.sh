# fixtures/ holds what its programs make, byte for byte, and besides only what fixtures/README.md lists as kept.
command -v python3 >/dev/null || { echo "no python3" >&2 && exit 77; }
[ -x "$T2_BUILD/fixtures/make/make_images" ] || { echo "make_images is not built: make fixtures builds it" >&2 && exit 77; }
fixtures=$T2_ROOT/fixtures
sh "$fixtures/make/all.sh" "$T2_BUILD/fixtures/make/make_images" made
if [ ! -f made/images/webp/3.webp ]; then # built without libwebp
    cp "$fixtures"/images/webp/* made/images/webp/
fi
(cd made && find . -type f | sort) >made.list
(cd "$fixtures" && find . -path ./make -prune -o -type f ! -path ./README.md -print | sort) >there.list
sed -n '/^## Kept/,$s/^| `\([^`]*\)` |.*/.\/\1/p' "$fixtures/README.md" | (cd "$fixtures" && xargs -I{} find {} -type f) | sort >kept.list
sort made.list kept.list >all.list
diff all.list there.list || { echo "< made or kept, but not in fixtures/; > in fixtures/, but neither" && exit 1; }
[ "$(wc -l <made.list)" -ge 400 ] || { echo "only these are made:" && cat made.list && exit 1; }

# Another version of a library that compresses may give other bytes.
while IFS= read -r file; do
    cmp -s "made/$file" "$fixtures/$file" || case $file in
        ./images/jpeg/* | ./images/png/* | ./images/webp/*) echo "other bytes, of other libraries? $file" ;;
        ./archives/archive/*.?z* | ./archives/archive/zip | ./archives/npz/deflated | ./archives/npz/shared)
            echo "other bytes, of another zlib, bzip2 or xz? $file" ;;
        ./records/*/*gzip* | ./records/*/*zlib* | ./records/*/*members* | ./texts/text/gzip | ./texts/text/cut | ./texts/text/members | ./texts/text/zlib)
            echo "other bytes, of another zlib? $file" ;;
        *) echo "its program makes other bytes: $file" && exit 1 ;;
        esac
done <made.list
