# params.yaml and overrides against the real tf-models-official: the same bytes for every experiment, and for
# hostile texts.  T2_TFM_PYTHON is a Python that can import TensorFlow and official (2.20) in T2_TFM.
[ -n "${T2_TFM_PYTHON:-}" ] && [ -n "${T2_TFM:-}" ] || { echo "T2_TFM_PYTHON and T2_TFM do not say where tf-models-official is" >&2; exit 77; }
cat >peer.py <<'PY'
import importlib.abc, importlib.machinery, os, sys
from unittest import mock

os.environ.update(TF_USE_LEGACY_KERAS="1", TF_CPP_MIN_LOG_LEVEL="3")
sys.path.insert(0, os.environ["T2_TFM"])


class Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """What official imports on the way, and configurations do not need."""

    def find_spec(self, name, path, target=None):
        roots = ("tensorflow_datasets", "tensorflow_model_optimization", "tensorflow_hub", "tensorflow_text", "cv2",
                 "sacrebleu", "sentencepiece", "pycocotools", "PIL", "scipy", "matplotlib", "pandas", "seqeval", "sklearn", "psutil")
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split(".")[0] in roots else None

    def create_module(self, spec):
        module = mock.MagicMock(name=spec.name)
        module.__path__, module.__spec__, module.__name__ = [], spec, spec.name
        return module

    def exec_module(self, module):
        pass


sys.meta_path.append(Absent())
from official.core import exp_factory
from official.modeling import hyperparams
from official.nlp.configs import finetuning_experiments, pretraining_experiments, wmt_transformer_experiments
from official.vision.configs import image_classification

for line in open("cases"):
    name, experiment, override = line.rstrip("\n").split("\t")
    params = exp_factory.get_exp_config(experiment)
    if override:
        params = hyperparams.override_params_dict(params, override, is_strict=True)
    hyperparams.save_params_dict_to_yaml(params, name + ".theirs")
PY
C=trainer.optimizer_config
cat >cases <<TSV
a	resnet_imagenet	
b	image_classification	
c	wmt_transformer/large	
d	resnet_imagenet	task.train_data.crop_area_range=[0.08, 1],task.name='one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen'
e	resnet_imagenet	task.train_data.input_path=['a b/x*', '/y: z#1', 'null', '1e-4', '0.5', 'tr,ue', 'a', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'c', 'yes']
f	resnet_imagenet	$C.optimizer.type='adam',task.train_data.seed=7,$C.optimizer.adam.epsilon=3e-9,trainer.loss_upper_bound=1e22,task.losses.l2_weight_decay=12345678.9
g	wmt_transformer/large	$C.ema={average_decay: 0.9},task.sentencepiece_model_path=gs://x/y.model,$C.warmup.type=polynomial,$C.warmup.polynomial.warmup_steps=1_000
h	wmt_transformer/large	{trainer: {optimizer_config: {learning_rate: {type: cosine, cosine: {initial_learning_rate: 5e-2, decay_steps: 010}}}}}
i	image_classification	$C.optimizer.type=lars,$C.optimizer.lars.exclude_from_weight_decay=[bias, 'a b'],runtime.loss_scale=dynamic,runtime.tpu='it''s'
j	resnet_imagenet	task.train_data.input_path=x y,task.name=' x',runtime.worker_hosts='*',trainer.loss_upper_bound=1.5e+3
k	resnet_imagenet	task.train_data.aug_type.type=randaug,task.validation_data.aug_type.type=autoaug
m	resnet_rs_imagenet	
n	mobilenet_imagenet	task.model.backbone.mobilenet.filter_size_scale=0.5
o	vit_imagenet_finetune	task.model.backbone.vit.representation_size=768
p	bert/sentence_prediction	task.model.num_classes=3
q	bert/pretraining	{task: {model: {cls_heads: [{inner_dim: 64}]}}}
r	bert/pretraining	{task: {model: {cls_heads: []}}}
s	vit_imagenet_pretrain	
t	bert/squad	task.validation_data.is_training=false
l	resnet_imagenet	{task: {train_data: {mixup_and_cutmix: {prob: 0.5}}, losses: {soft_labels: true, one_hot: false}, model: {dropout_rate: 0.2}}}
TSV
"$T2_TFM_PYTHON" peer.py 2>peer.log || { tail -5 peer.log >&2; exit 1; }
while IFS="$(printf '\t')" read -r name experiment override; do
    t2t-trainer --experiment="$experiment" --params_override="$override" --describe=yaml >"$name.ours"
    cmp "$name.ours" "$name.theirs"
done <cases
