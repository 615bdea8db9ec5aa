"""Models of the timm library, with random weights."""
import os

import torch
import torch.nn.functional as F

os.environ.setdefault("TIMM_FUSED_ATTN", "0")


class Classifier(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, image, label):
        return F.cross_entropy(self.model(image), label)


def deit(batch=2, layers=2, hidden=32, heads=4, image=16, patch=8, classes=6, layer_scale=1e-1):
    """DeiT III: erf-GELU, LayerNorm, LayerScale after each branch."""
    import timm
    model = timm.models.VisionTransformer(
        img_size=image, patch_size=patch, embed_dim=hidden, depth=layers, num_heads=heads,
        mlp_ratio=2, num_classes=classes, init_values=layer_scale, no_embed_class=True)
    return (Classifier(model.train()),
            (torch.randn(batch, 3, image, image), torch.randint(0, classes, (batch,))))
