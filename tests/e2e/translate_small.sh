# Multi30k and Tatoeba by name: all that is missing is told in one go, downloaded from a server, made, and trained on in
# both directions.
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }
mkdir files
python3 - <<'END'
import gzip, zipfile
def put(name, n, text):
    with gzip.open("files/multi30k.%s.gz" % name, "wt") as f:
        f.writelines(text % i + "\n" for i in range(n))
for name, n in ("train", 60), ("val", 20), ("test_2016_flickr", 20):
    put(name + ".en", n, name + " a man number %d")
    put(name + ".de", n, name + " ein Mann Nummer %d")
with zipfile.ZipFile("files/deu-eng.zip", "w") as z:
    z.writestr("_about.txt", "about")
    z.writestr("deu.txt", "".join("Go %d.\tGeh %d.\tby someone\n" % (i, i) for i in range(1000)))
END
both='--problem=translate_multi30k_ende,translate_tatoeba_ende --data_dir=d --tmp_dir=t'

missing() { # command: fails and names all seven files
    # shellcheck disable=SC2086
    ! t2t-datagen --offline --quiet $both "$@" >out 2>err || { echo "did not fail: $*" >&2; exit 1; }
    for file in train.en train.de val.en val.de test_2016_flickr.en test_2016_flickr.de; do
        grep -qF "/$file.gz' is missing; put it at 't/multi30k.$file.gz'" err || { cat err >&2; exit 1; }
    done
    grep -qF "deu-eng.zip' is missing; put it at 't/deu-eng.zip'" err
}
missing
[ ! -e d ] || [ -z "$(ls d)" ]
missing --dry_run

python3 - <<'END' &
import functools, http.server, os
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory="files")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
with open("port.new", "w") as f:
    f.write(str(server.server_address[1]))
os.rename("port.new", "port")
server.serve_forever()
END
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
while [ ! -e port ]; do
    kill -0 $server
    sleep 0.05
done
no_proxy=127.0.0.1
export no_proxy
t2t-datagen --fetch="http://127.0.0.1:$(cat port)/deu-eng.zip" --tmp_dir=probe >out 2>err || {
    ! grep -q 'no libcurl' err || { tail -n 1 err >&2; exit 77; }
    cat err >&2
    exit 1
}
# the digests are those of the public files
# shellcheck disable=SC2086
! t2t-datagen --quiet $both --download_retries=0 --mirror="http://127.0.0.1:$(cat port)" 2>err
grep -q 'multi30k' err
# shellcheck disable=SC2086
t2t-datagen --quiet $both --noverify_downloads --mirror="http://127.0.0.1:$(cat port)" 2>err || { cat err >&2; exit 1; }
t2t-datagen --check=d >check
grep -q '^translate_multi30k_ende: whole: 12 shards, 100 records' check
grep -q '^translate_tatoeba_ende: whole: 12 shards, 1000 records' check
! grep -q 'are in train' check
for problem in translate_multi30k_ende translate_tatoeba_ende_rev; do
    t2t-trainer --quiet --problem=$problem --data_dir=d --output_dir=run-$problem --train_steps=1 --hparams_set=transformer_tiny \
        --hparams=hidden_size=16,filter_size=16,num_heads=2,num_hidden_layers=1,batch_size=256 --eval_steps=1
done
# what is there is not missed
# shellcheck disable=SC2086
t2t-datagen --quiet $both --noverify_downloads --offline
rm -r d
# shellcheck disable=SC2086
t2t-datagen --quiet $both --noverify_downloads --offline --dry_run >out
