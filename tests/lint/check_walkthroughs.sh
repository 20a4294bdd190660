# The files and the edits (diff, sed) of docs/extending.md fit the tree, and module.mk holds its order with them.  What
# they do is tests/e2e/walkthroughs_slow.sh's, which takes minutes.
command -v patch >/dev/null || { echo "no patch" && exit 77; }
. tests/lint/walkthrough_blocks.subr
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
mkdir "$T/tree"
read_blocks docs/extending.md "$T/blocks"
# Only the files that are edited, and what check_modules.sh looks at.
sed -n -e 's,^--- a/,,p' -e 's,^sed -i .* ,,p' "$T"/blocks/* | sort -u >"$T/changed"
[ -s "$T/changed" ] || { echo "docs/extending.md: no edits found" && exit 1; }
{ cat "$T/changed" && sh tests/lint/sources.sh c && find . -path ./build -prune -o \( -name module.mk -o -name '*.cu' -o -name '*.yaml' -o -name '*.html' \) -print &&
    ls tests/lint/sources.sh tests/lint/check_modules.sh; } | sed 's,^\./,,' | sort -u | while IFS= read -r file; do
    [ ! -f "$file" ] || printf '%s\n' "$file"
done | tar -cf - -T - | tar -xf - -C "$T/tree"
cd "$T/tree" || exit 1
bad=0
wrong() { echo "docs/extending.md: '$section': $1" && bad=1; }
# Of the commands only the edits.
commands() {
    grep '^sed -i ' "$1" >"$T/edits" || return 0
    while IFS= read -r edit; do
        cp "${edit##* }" "$T/unedited"
        sh -c "$edit"
        ! cmp -s "${edit##* }" "$T/unedited" || wrong "changes nothing: $edit"
    done <"$T/edits"
}
apply_blocks "$T/blocks"
bash tests/lint/check_modules.sh >"$T/modules" || { sed 's/^/docs\/extending.md, with its diffs: /' "$T/modules" && bad=1; }
exit $bad
