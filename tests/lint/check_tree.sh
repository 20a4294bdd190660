# No machine paths, no files too large, no file too long.
bad=0
files=$(git ls-files 2>/dev/null) || { echo "not a git checkout"; exit 77; }
[ -n "$files" ] || { echo "not a git checkout"; exit 77; }
printf '%s\n' "$files" | grep -v '^tests/lint/' | tr '\n' '\0' |
    xargs -0 grep -nIE '(^|[^A-Za-z0-9._])/(work|home|root|mnt)/' 2>/dev/null && echo "^ paths of one machine" && bad=1
big=$(printf '%s\n' "$files" | tr '\n' '\0' | xargs -0 -I{} find {} -maxdepth 0 -size +1024k 2>/dev/null)
[ -z "$big" ] || { echo "$big: over 1 MiB" && bad=1; }
# lines of comments are not counted: describing a format must not split a file
long=$(printf '%s\n' "$files" | grep '\.[ch]$' | tr '\n' '\0' |
    xargs -0 grep -HcvE '^[[:space:]]*(/\*|\*[ /]|\*$)' 2>/dev/null |
    awk -F: '$2 > 700 { print $1 ": " $2 " lines, two ideas in one file?" }')
[ -z "$long" ] || { echo "$long" && bad=1; }
exit $bad
