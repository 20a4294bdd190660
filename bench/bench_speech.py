#!/usr/bin/env python3
"""Features of speech on one core: ours beside torchaudio and librosa, in pairs.

  python3 bench/bench_speech.py FILE.flac ...        environment: one with soundfile, librosa, torchaudio; what is
                                                     missing is left out

mel: logarithms of 80 mel bands (25 ms, 10 ms, 512 points) of waveforms in memory; all: FLAC decoding in front of it,
and ours with differences and normalisation behind.  Prints seconds of sound a second of the processor's time and the
ratio, the median of the pairs, with its spread; the load stands beside it.
"""
import json
import os
import subprocess
import sys
import time

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"
import numpy as np  # noqa: E402
import soundfile  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAIRS, PASSES = 5, 3


def ours(work, files):
    program = os.path.join(os.environ.get("T2_BUILD", os.path.join(ROOT, "build/release")), "bench/bench_speech")
    out = subprocess.run([program, "--work=" + work, "--files=" + ",".join(files), "--reps=3", f"--passes={PASSES}"], check=True, capture_output=True)
    return json.loads(out.stdout)["value"]


def peers():
    found = {}
    try:
        import librosa

        def by_librosa(x):
            mel = librosa.feature.melspectrogram(y=x, sr=16000, n_fft=512, win_length=400, hop_length=160, n_mels=80, fmin=20, fmax=8000, htk=True, power=1.0)
            return np.log(np.maximum(mel, 1e-3))

        found["librosa " + librosa.__version__] = by_librosa
    except ImportError:
        pass
    try:
        import torch
        import torchaudio

        torch.set_num_threads(1)
        mel = torchaudio.transforms.MelSpectrogram(16000, n_fft=512, win_length=400, hop_length=160, n_mels=80, f_min=20, f_max=8000, power=1.0)

        def by_torchaudio(x):
            with torch.no_grad():
                return torch.log(torch.clamp(mel(torch.from_numpy(x)), min=1e-3)).numpy()

        found["torchaudio " + torchaudio.__version__] = by_torchaudio
    except ImportError:
        pass
    return found


def rate(work, features, files, waves):
    sound = sum(len(x) for x in waves) / 16000
    begin = time.process_time()
    for _ in range(PASSES):
        for path, x in zip(files, waves):
            if work == "all":
                x = soundfile.read(path, dtype="float32")[0]
            features(x)
    return sound * PASSES / (time.process_time() - begin)


def main():
    files = sys.argv[1:]
    waves = [soundfile.read(path, dtype="float32")[0] for path in files]
    for name, features in peers().items():
        rate("mel", features, files, waves)
        for work in ("mel", "all"):
            pairs = [(ours(work, files), rate(work, features, files, waves)) for _ in range(PAIRS)]
            ratios = sorted(a / b for a, b in pairs)
            a, b = sorted(p[0] for p in pairs)[PAIRS // 2], sorted(p[1] for p in pairs)[PAIRS // 2]
            print(f"{work:4s} ours {a:9.0f}   {name} {b:9.0f}   ratio {ratios[PAIRS // 2]:.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})   load {os.getloadavg()[0]:.1f}", flush=True)


if __name__ == "__main__":
    main()
