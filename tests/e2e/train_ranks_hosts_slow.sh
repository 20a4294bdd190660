# Ranks on two machines, which are network namespaces of this one with a link between them: the bits
# of one machine, over TCP; and when the link is cut all end.
. "$T2_ROOT/tests/e2e/train_common.subr"
. "$T2_ROOT/tests/e2e/ranks.subr"
need_mpirun mpirun
[ "$(id -u)" = 0 ] || { echo 'not root' >&2; exit 77; }
mpirun --version | grep -q 'Open MPI' || { echo 'no Open MPI' >&2; exit 77; }
for tool in ip unshare; do
    command -v $tool >/dev/null || { echo "no $tool" >&2; exit 77; }
done
a=t2a$$ b=t2b$$
ip netns add $a 2>/dev/null || { echo 'no network namespaces' >&2; exit 77; }
trap 'kill -KILL $(ip netns pids $a) $(ip netns pids $b) 2>/dev/null || true; ip netns del $a; ip netns del $b' EXIT
ip netns add $b
ip link add l$a netns $a type veth peer name l$b netns $b 2>/dev/null || { echo 'no virtual links' >&2; exit 77; }
for i in 1 2; do
    [ $i = 1 ] && n=$a || n=$b
    ip -n $n addr add 10.213.7.$i/24 dev l$n
    ip -n $n link set l$n up
    ip -n $n link set lo up
done

# what ssh would be: the address, then the command
cat >remote.sh <<END
case \$1 in 10.213.7.1) n=$a ;; *) n=$b ;; esac
shift
exec ip netns exec \$n unshare -u sh -c 'hostname \$0; eval "\$1"' host-\$n "\$*"
END
chmod +x remote.sh
sed -i '1i #!/bin/sh' remote.sh
data data 600

hosts() { # OUTPUT_DIR STEPS [flags]
    (
        cat >launch.sh <<END
hostname host-$a
exec mpirun --host 10.213.7.1:1,10.213.7.2:1 -n 2 --bind-to none --mca plm_rsh_agent "$PWD/remote.sh" \
    --mca btl tcp,self --mca btl_tcp_if_include 10.213.7.0/24 --mca oob_tcp_if_include 10.213.7.0/24 -x PATH "\$@"
END
        launch="ip netns exec $a unshare -u sh ./launch.sh"
        train "$@"
    )
}

train one 12 --num_threads=1 --worker_gpu=2
hosts two 12 --num_threads=1
cmp one/model-12.safetensors two/model-12.safetensors
cmp one/optimizer-12.safetensors two/optimizer-12.safetensors

# a slow link changes nothing but the time
slow() { ip netns exec $a tc qdisc add dev l$a root "$@" 2>/dev/null; }
if slow netem delay 5ms || slow tbf rate 20mbit burst 16kbit latency 400ms; then
    hosts slow 12 --num_threads=1
    cmp one/model-12.safetensors slow/model-12.safetensors
    ip netns exec $a tc qdisc del dev l$a root
fi

# cut
hosts cut 1000000 --num_threads=1 --rank_timeout=10 --save_checkpoints_steps=4 --eval_steps=0 &
job=$!
until ls cut/state-* >/dev/null 2>&1; do
    kill -0 $job 2>/dev/null || { cat cut.log >&2; exit 1; }
    sleep 0.1
done
ip -n $a link set l$a down
trainers() { # that still run on the two
    for pid in $(ip netns pids $a) $(ip netns pids $b); do
        ! grep -q '^t2t-trainer' "/proc/$pid/comm" 2>/dev/null || echo "$pid"
    done
}
waited=0
while [ -n "$(trainers)" ]; do
    [ $((waited += 1)) -le 300 ] || { echo 'ranks are still there' >&2; exit 1; }
    sleep 0.1
done
grep -q 'rank [01] has not answered for [0-9]* s' cut.log
# mpirun itself waits for its other half until TCP gives up
for pid in $(ip netns pids $a) $(ip netns pids $b); do
    kill -KILL "$pid" 2>/dev/null || true
done
! wait $job
# what is there goes on, one step
step=$(ls cut | sed -n 's/^state-\([0-9]*\).json$/\1/p' | sort -n | tail -n 1)
train cut $((step + 1)) --num_threads=1
