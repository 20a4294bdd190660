# One foreign library, one file (or NAME.c and NAME_*.c), and never in a header.
bad=0
includes=$(sh tests/lint/sources.sh c | grep -Ev '^(tests|bench|fixtures)/' | xargs -r grep -HE '^[ \t]*#[ \t]*include[ \t]*<' |
    sed -E 's/^([^:]*):.*<([^>]*)>.*/\1 \2/')
for library in zlib.h unicode/ archive openssl/ jansson.h curl/ cblas.h isa-l oneapi/ lapacke.h mpi.h jpeglib.h png.h webp/decode.h yaml.h histedit.h microhttpd.h; do
    files=$(printf '%s\n' "$includes" | awk -v l="$library" 'index($2, l) == 1 { print $1 }' | sort -u)
    for f in $files; do
        case $f in *.h) echo "$f: <$library...> in a header" && bad=1 ;; esac
    done
    [ "$(printf '%s\n' "$files" | sed -E 's/(_[a-z0-9]+)*[.]c$//' | sort -u | wc -w)" -le 1 ] || { echo "<$library...> in more than one file:" $files && bad=1; }
done
exit $bad
