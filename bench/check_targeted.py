"""Records targeted dropout as Tensor2Tensor computes it, for tests/oracle/test_recorded_cnn.c.

  PYTHON_OF_T2T bench/check_targeted.py --data=../shared/data --out=DIR
  make check T=recorded_cnn; T2_DATA=DIR build/release/tests/oracle/test_recorded_cnn

Runs T2_DATA/oracles/make/t2t_cnn.py with cases of its own into DIR/oracles/t2t_cnn.  With keep_prob 1e-12 all
targeted weights are dropped whatever is drawn: a training step and its gradients compare, and evaluation.
With keep_prob 0.5 training is random, so only the evaluation of the last variables is kept.
Where whole filters are dropped, normalisations of next to nothing enlarge the noise of float32: other seeds may
have single values that differ by 1e-4, or a ReLU that switches.
"""
import argparse
import os
import sys

p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
p.add_argument("--data", required=True, help="T2_DATA")
p.add_argument("--out", required=True)
p.add_argument("--seed", default="3")
p.add_argument("--only", default="", help="names, separated by commas")
a = p.parse_args()
sys.path.insert(0, os.path.join(os.path.abspath(a.data), "oracles", "make"))
folder = os.path.join(a.out, "oracles", "t2t_cnn")
sys.argv = ["t2t_cnn.py", "--out=" + folder, "--seed=" + a.seed, "--only=" + a.only]

import oracle_common as oc  # noqa: E402
import t2t_cnn  # noqa: E402

SMALL = ("use_nchw=false,layer_sizes=[1,2,1],filter_sizes=[4,4,8,12],learning_rate_warmup_steps=2,"
         "learning_rate=0.05")
DEEP = SMALL.replace("[1,2,1],filter_sizes=[4,4,8,12]", "[2,1,1,1],filter_sizes=[4,4,8,8,12]")
CIFAR, IMAGENET = "resnet_cifar_32_td_%s_05_05", "resnet_imagenet_34_td_%s_05_05"
RATES = {"all": (1e-12, 0.5), "imagenet": (1e-12, 0.3), "eval": (0.5, 0.5), "odd": (0.8, 0.7)}
t2t_cnn.VARIANTS = {}
for how in ("weight", "unit"):
    for which in RATES:
        small = which != "imagenet"
        t2t_cnn.VARIANTS["td_%s_%s" % (how, which)] = (
            ("resnet", CIFAR % how, SMALL, 32, 3, 10, 3.0) if small else
            ("resnet", IMAGENET % how, DEEP, 64, 3, 7, 1.0))
create, one = t2t_cnn.trainer_lib.create_hparams, t2t_cnn.one


def with_rates(name, options):
    """keep_prob has no type in the original, so that no override can be parsed; it is set."""
    def set_rates(set_name):
        hparams = create(set_name)
        hparams.keep_prob, hparams.targeting_rate = RATES[name.split("_")[-1]]
        return hparams
    t2t_cnn.trainer_lib.create_hparams = set_rates
    one(name, options)


t2t_cnn.one = with_rates
t2t_cnn.batch_norm = lambda unused: None
t2t_cnn.main()
for name in ("td_%s_%s" % (how, which) for how in ("weight", "unit") for which in ("eval", "odd")):
    path = os.path.join(folder, name + ".safetensors")
    if a.only and name not in a.only.split(","):
        continue
    tensors = oc.load_tensors(path)
    kept = {k: v for k, v in tensors.items() if k.startswith("in/") or k.startswith("out/eval")}
    kept.update({"var/" + k[len("step3/"):]: v for k, v in tensors.items() if k.startswith("step3/")})
    oc.save_tensors(path, kept)
