# The files and the edits (diff, sed) of docs/extending.md fit the tree, and module.mk holds its order with them.  What
# they do is tests/e2e/walkthroughs_slow.sh's, which takes minutes.
command -v patch >/dev/null || { echo "no patch" && exit 77; }
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
mkdir "$T/blocks" "$T/tree"
awk -v out="$T/blocks" -f tests/lint/walkthrough_blocks.subr docs/extending.md
bad=0
say() { echo "docs/extending.md: '$(cat "$block.title")': $1" && bad=1; }
# Only the files that are edited, and what check_modules.sh looks at.
sed -n -e 's,^--- a/,,p' -e 's,^sed -i .* ,,p' "$T"/blocks/* | sort -u >"$T/changed"
[ -s "$T/changed" ] || { echo "docs/extending.md: no edits found" && exit 1; }
{ cat "$T/changed" && sh tests/lint/sources.sh c && find . -path ./build -prune -o \( -name module.mk -o -name '*.cu' -o -name '*.yaml' -o -name '*.html' \) -print &&
    ls tests/lint/sources.sh tests/lint/check_modules.sh; } | sed 's,^\./,,' | sort -u | while IFS= read -r file; do
    [ ! -f "$file" ] || printf '%s\n' "$file"
done | tar -cf - -T - | tar -xf - -C "$T/tree"
for title in "$T"/blocks/*.title; do
    block=${title%.title}
    case $block in
    *.sh) grep '^sed -i ' "$block" >"$T/edits" || continue
        while IFS= read -r edit; do
            cp "$T/tree/${edit##* }" "$T/unedited"
            (cd "$T/tree" && sh -c "$edit")
            ! cmp -s "$T/tree/${edit##* }" "$T/unedited" || say "changes nothing: $edit"
        done <"$T/edits" ;;
    *.diff) (cd "$T/tree" && patch -s -p1 --fuzz=0 --no-backup-if-mismatch <"$block") >"$T/patch" 2>&1 ||
        say "a diff does not apply: $(paste -s -d' ' "$T/patch")" ;;
    *) [ -f "$block.path" ] || { say "a block has no file name" && continue; }
        path=$(cat "$block.path")
        [ ! -e "$path" ] || say "$path is there already"
        mkdir -p "$T/tree/${path%/*}" && cp "$block" "$T/tree/$path" ;;
    esac
done
(cd "$T/tree" && bash tests/lint/check_modules.sh) >"$T/modules" || { sed 's/^/docs\/extending.md, with its diffs: /' "$T/modules" && bad=1; }
exit $bad
