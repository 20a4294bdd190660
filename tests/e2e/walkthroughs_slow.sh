# The walk-throughs of docs/extending.md, followed literally in a copy of the tree, one section after the other:
# new files are written, diffs applied, commands run.  The rules of tests/lint hold afterwards as before.
case ${T2_BUILD:?} in */release) ;; *) echo "the walk-throughs use the release build" >&2 && exit 77 ;; esac
git -C "$T2_ROOT" rev-parse --git-dir >/dev/null 2>&1 || { echo "not a git checkout" >&2 && exit 77; }
for program in patch make bash; do
    command -v $program >/dev/null || { echo "no $program" >&2 && exit 77; }
done

# What is built already is built of the same sources at the same times: only what changes is compiled.
mkdir tree
(cd "$T2_ROOT" && git ls-files -co --exclude-standard | while IFS= read -r file; do
    [ ! -f "$file" ] || printf '%s\n' "$file"
done | tar -cf - -T -) | tar -xpf - -C tree
mkdir -p tree/build/release
cp -a "$T2_ROOT/build/config.mk" tree/build/ 2>/dev/null || :
for part in obj lib pic bin flags version; do
    cp -a "$T2_BUILD/$part" tree/build/release/ 2>/dev/null || :
done
rm -rf tree/build/release/obj/tests tree/build/release/obj/bench
cd tree || exit 1
git init -q . && git add -A
before=$(git write-tree)

. tests/lint/walkthrough_blocks.subr
read_blocks docs/extending.md ../blocks
set -- ../blocks/*.title
[ $# -ge 33 ] || { echo "only $# blocks in docs/extending.md"; exit 1; }

lint() { for rule in includes modules tests symbols flags; do bash tests/lint/run.sh $rule || :; done; }
export BUILD=build/release
lint >../lint.before 2>&1
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES T2_LOGS T2_UPDATE T2_ROOT T2_BUILD T # those of the test around this one
wrong() { echo "'$section': $1" && exit 1; }
commands() {
    echo "--- $section: ${1##*/}"
    sh -eu "$1" || wrong "a command fails"
}
apply_blocks ../blocks
git add -A
lint >../lint.after 2>&1
diff ../lint.before ../lint.after
# The page names every file that it touches.
git diff-tree -r --name-only "$before" "$(git write-tree)" >../touched
[ "$(wc -l <../touched)" -ge 30 ] || { echo "only these files were touched:" && cat ../touched && exit 1; }
while IFS= read -r file; do
    grep -qF "$file" docs/extending.md || { echo "docs/extending.md does not name $file" && exit 1; }
done <../touched
