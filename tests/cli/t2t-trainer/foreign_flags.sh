# Flags of tensor2tensor: passed over where they mean nothing, refused where they would mean something.
try() {
    rc=0
    t2t-trainer --output_dir=run --data_dir=absent "$@" || rc=$?
    echo "exit code $rc"
}
try --worker_gpu=1 --noxla_compile --iterations_per_loop 100 --nouse_tpu --worker_replicas=1
try --worker_gpu=-1
try --sync
try --gin_file old
try --ps_replicas 2
try --t2t_usr_dir=mine
try --generate_data
try --decode_reference=ref.txt
try --schedule=continuous_decode_from_file
