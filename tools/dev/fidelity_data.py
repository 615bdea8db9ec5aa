"""Real data for the training study: where it comes from, and as batches for mem-run.

- Images: the 1,797 digits of 8x8 points that the scikit-learn package carries (the test
  part of the UCI set "Optical Recognition of Handwritten Digits"), read out of its wheel.
- Text for the first training: the licences of Debian's base-files package.
- Text for the fine-tuning: the topics of Python's own reference that its standard
  library carries (pydoc_data), from the end of which the evaluation is taken.
"""
import gzip
import io
import pathlib
import subprocess
import sys
import zipfile

import numpy as np

LICENCES = pathlib.Path("/usr/share/common-licenses")
DIGITS = "sklearn/datasets/data/digits.csv.gz"
TEST_IMAGES = 448  # 14 batches of 32
EVALUATION_BATCHES = 14


def digits(folder):
    """(images in [0, 1] of shape [n, 1, 8, 8], labels), or None where PyPI is out of
    reach. The wheel is fetched once."""
    saved = folder / "digits.npz"
    if not saved.exists():
        venv = folder / "pip"
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        got = subprocess.run([venv / "bin" / "python", "-m", "pip", "download", "-q", "--no-deps",
                              "--only-binary=:all:", "-d", folder, "scikit-learn"])
        wheels = sorted(folder.glob("scikit_learn-*.whl"))
        if got.returncode or not wheels:
            return None
        with zipfile.ZipFile(wheels[-1]) as wheel:
            table = np.loadtxt(io.BytesIO(gzip.decompress(wheel.read(DIGITS))), delimiter=",")
        np.savez(saved, images=(table[:, :64] / 16).reshape(-1, 1, 8, 8).astype(np.float32),
                 labels=table[:, 64].astype(np.int64))
    with np.load(saved) as arrays:
        return arrays["images"], arrays["labels"]


def encode(text):
    """Printable ASCII as 0 to 94, a line's end as 95, all else as a space."""
    codes = np.frombuffer(text.encode("ascii", "replace"), np.uint8).astype(np.int64) - 32
    return np.where(codes == 10 - 32, 95, np.where((codes < 0) | (codes > 94), 0, codes))


def licences():
    files = sorted(p for p in LICENCES.iterdir() if p.is_file() and not p.is_symlink())
    return encode("\n".join(p.read_text(errors="replace") for p in files))


def reference_topics():
    import pydoc_data.topics
    topics = pydoc_data.topics.topics
    return encode("\n".join(topics[name] for name in sorted(topics)))


class Images:
    """Turned by 90 degrees and with black for white: what a fine-tuning starts from; as they
    are: what it is tuned to."""

    def __init__(self, images, labels):
        order = np.random.default_rng(0).permutation(len(labels))
        self.images, self.labels = images[order], labels[order]

    def batch_sets(self, first, steps, batch, seed):
        images = 1 - np.rot90(self.images, axes=(2, 3)) if first else self.images
        cut = len(images) - TEST_IMAGES
        # Whole epochs in a new order each.
        random, taken = np.random.default_rng(seed), []
        while sum(map(len, taken)) < steps * batch:
            taken.append(random.permutation(cut))
        train = np.concatenate(taken)[:steps * batch].reshape(steps, batch)
        test = np.arange(cut, len(images)).reshape(-1, batch)
        return [(np.ascontiguousarray(images[i]), self.labels[i]) for i in (train, test)]


class Text:
    """Windows of characters and the same one place further on."""

    def __init__(self, length):
        self.length = length
        self.first, self.tuned = licences(), reference_topics()

    def windows(self, text, starts):
        at = starts[..., None] + np.arange(self.length + 1)
        return text[at][..., :-1], text[at][..., 1:]

    def batch_sets(self, first, steps, batch, seed):
        text = self.first if first else self.tuned
        cut = len(text) * 9 // 10
        train = np.random.default_rng(seed).integers(0, cut - self.length - 1, (steps, batch))
        count = EVALUATION_BATCHES * batch
        test = cut + np.arange(count) * ((len(text) - cut - self.length - 1) // count)
        return [self.windows(text, train), self.windows(text, test.reshape(-1, batch))]
