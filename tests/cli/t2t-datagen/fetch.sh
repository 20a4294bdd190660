# --fetch of files that are here, what it would do, and wrong usage
printf 'hello' >a.txt
try() { t2t-datagen --tmp_dir=tmp "$@" || echo "exit code $?"; }
digest=2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
try --fetch="no.txt|a.txt" --sha256=$digest --size=5
try --fetch="file://$PWD/a.txt"
try --fetch=a.txt,http://host.invalid/x/b.tgz --dry_run --offline
echo "<html><title>Sign in</title>" >b.tgz
try --fetch=http://host.invalid/x/b.tgz,http://host.invalid/x/c.zip --archive_dir=. --offline
try --fetch=a.txt --sha256=12
try --fetch=a.txt --sha256=$digest,$digest
try --fetch=http://host.invalid/
try --fetch=a.txt --size=6
try --mirror=ftp://host.invalid/ --fetch=a.txt
try --download_retries=-1 --fetch=a.txt
try --max_parallel_downloads=65 --fetch=a.txt
try --sha256=$digest
[ ! -e tmp ]
