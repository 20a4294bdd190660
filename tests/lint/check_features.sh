# What is asked for with #ifdef T2_HAVE_<NAME> is what the Makefile can define: of another name the code, a test
# above all, would never be there.
defined=$(sed -n 's/^OPTIONAL := //p' mk/config.mk | tr ' ' '\n' | sed 's/^/T2_HAVE_/'
    grep -ohE 'DT2_HAVE_[A-Z0-9_]+=1' mk/*.mk | sed 's/^D//; s/=1$//')
found=$(sh tests/lint/sources.sh c | xargs grep -noE 'T2_HAVE_[A-Z0-9_]+' /dev/null | while IFS=: read -r file line name; do
    [ "$name" = T2_HAVE_CPU_ ] || printf '%s\n' "$defined" | grep -qx "$name" || echo "$file:$line: nothing defines $name"
done)
[ -z "$found" ] || { printf '%s\n' "$found"; exit 1; }
