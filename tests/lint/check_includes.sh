# The include graph: dependencies only point down (docs/design.md).
#   base <- tfrecord, tokenizer, augment, audio <- datagen <- train; tfrec and vocab, programs, stand on the first four; nothing includes tests/, bench/ or fixtures/
# Of datagen/, train/ includes only problem.h.  Within datagen/ and train/, the table below; the headers
# of datagen/ itself are for all of its folders; train/input sees the two headers of models/ that say what
# a batch is and how it is wanted.
rules='
base           base
tfrecord       base tfrecord
tokenizer      base tokenizer
augment        base augment
audio          base audio
tfrec          base tfrecord tokenizer augment tfrec
vocab          base tfrecord tokenizer vocab
datagen/fetch  base datagen datagen/fetch
datagen/source base tfrecord tokenizer augment datagen datagen/fetch datagen/source
datagen/vocabs base tfrecord tokenizer datagen datagen/fetch datagen/source datagen/vocabs
datagen/shards base tfrecord tokenizer datagen datagen/fetch datagen/source datagen/vocabs datagen/shards
datagen/passes base tfrecord tokenizer datagen datagen/fetch datagen/source datagen/vocabs datagen/shards datagen/passes
datagen/sets   base tfrecord tokenizer augment datagen datagen/fetch datagen/source datagen/vocabs datagen/shards datagen/passes datagen/images datagen/sets
datagen/runs   base tfrecord tokenizer augment datagen datagen/fetch datagen/source datagen/vocabs datagen/shards datagen/passes datagen/sets datagen/runs
datagen/images base tfrecord tokenizer augment datagen datagen/fetch datagen/source datagen/images
datagen/speech base tfrecord tokenizer audio datagen datagen/fetch datagen/source datagen/speech
datagen/problems base tfrecord tokenizer augment datagen datagen/fetch datagen/source datagen/vocabs datagen/shards datagen/passes datagen/images datagen/speech datagen/problems
datagen/official base tfrecord tokenizer augment datagen datagen/fetch datagen/source datagen/vocabs datagen/shards datagen/images datagen/official
datagen/own    base tfrecord tokenizer augment datagen datagen/fetch datagen/source datagen/vocabs datagen/shards datagen/images datagen/speech datagen/own
datagen/problem_files base datagen datagen/fetch datagen/source datagen/problems datagen/own datagen/problem_files
datagen        base tfrecord tokenizer augment datagen datagen/*
train/device   base train/device
train/graph    base train/device train/graph
train/ops      base train/device train/graph train/ops
train/models   base train/device train/graph train/ops train/models
train/optim    base train/device train/graph train/ops train/models train/optim
train/ckpt     base train/device train/graph train/ops train/models train/optim train/ckpt
train/dist     base train/dist
train/decode   base tfrecord tokenizer train/device train/graph train/ops train/models train/ckpt train/dist train/decode
train/eval     base tfrecord tokenizer train/device train/graph train/ops train/models train/ckpt train/eval
train/input    base tfrecord tokenizer augment audio train/device train/input
train/dist     base train/device train/dist
train/experiment base train/experiment
train/serve    base tfrecord tokenizer train/device train/graph train/ops train/models train/ckpt train/decode train/serve
train/tune     base train/ckpt train/tune
train/exchange base tokenizer augment train/device train/graph train/ops train/models train/optim train/ckpt train/exchange
train/trained  base tfrecord tokenizer augment audio train train/device train/graph train/ops train/models train/optim train/ckpt train/decode train/eval train/input train/experiment train/dist train/exchange train/serve train/trained train/runs
train/runs     base tfrecord tokenizer augment datagen train train/device train/graph train/ops train/models train/optim train/ckpt train/decode train/eval train/input train/experiment train/tune train/dist train/runs
train          base tfrecord tokenizer augment train train/*
'
sh tests/lint/sources.sh c | grep -Ev '^(tests|bench|fixtures)/' | xargs -r perl tests/lint/code.pl |
    sed -nE 's/^([^:]*):([0-9]+):[ \t]*#[ \t]*include[ \t]*"([^"]*)".*/\1 \2 \3/p' |
    awk -v rules="$rules" '
        function folder(path) { # datagen and train have one more level
            n = split(path, p, "/")
            return p[1] ~ /^(datagen|train)$/ && n > 2 ? p[1] "/" p[2] : p[1]
        }
        BEGIN {
            n_rules = split(rules, line, "\n")
            for (i = 1; i <= n_rules; i++) { k = split(line[i], w, " "); for (j = 2; j <= k; j++) may[w[1], w[j]] = 1 }
        }
        {
            from = folder($1); to = folder($3)
            if ($3 !~ /\//) { print $1 ":" $2 ": \"" $3 "\": includes are written from the root"; bad = 1; next }
            if ((getline dummy < $3) < 0) { print $1 ":" $2 ": \"" $3 "\" does not exist"; bad = 1; next }
            close($3)
            ok = ((from, to) in may) || (from ~ /^(datagen|train)$/ && index(to, from "/") == 1) ||
                 (from ~ /^train/ && $3 == "datagen/problem.h") ||
                 (from == "train/input" && $3 ~ /^train\/models\/(hparams|model)\.h$/)
            if (!ok) { print $1 ":" $2 ": " from " may not include " $3; bad = 1 }
        }
        END { exit bad }'
