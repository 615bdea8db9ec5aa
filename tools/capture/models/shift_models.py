"""Models whose convolutions are sums of shifted inputs, so that their gradients cut off padding:
what one writes where a grouped convolution does not lower.

Each function returns (module, inputs); module(*inputs) is the loss.
"""
import torch
from torch import nn
import torch.nn.functional as F


class DepthwiseConvolution(nn.Module):
    def __init__(self, channels, size=3):
        super().__init__()
        self.size = size
        self.weight = nn.Parameter(torch.randn(channels, size, size) / size)
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        height, width = x.shape[-2:]
        x = F.pad(x, (self.size // 2,) * 4)
        taps = [(i, j) for i in range(self.size) for j in range(self.size)]
        return self.bias[:, None, None] + sum(
            x[..., i:i + height, j:j + width] * self.weight[:, i, j][:, None, None] for i, j in taps)


class ConvNext(nn.Module):
    """One block (depthwise convolution, LayerNorm over channels, erf-GELU, layer scale) between two
    strided convolutions; label smoothing."""

    def __init__(self, channels, classes):
        super().__init__()
        self.stem = nn.Conv2d(3, channels, 2, 2)
        self.depthwise, self.norm = DepthwiseConvolution(channels), nn.LayerNorm(channels, eps=1e-6)
        self.up, self.down = nn.Linear(channels, 4 * channels), nn.Linear(4 * channels, channels)
        self.scale = nn.Parameter(torch.full((channels,), 0.1))
        self.merge, self.last = nn.Conv2d(channels, 2 * channels, 2, 2), nn.LayerNorm(2 * channels)
        self.head = nn.Linear(2 * channels, classes)

    def forward(self, x, labels):
        x = self.stem(x)
        h = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        x = x + (self.scale * self.down(F.gelu(self.up(h)))).permute(0, 3, 1, 2)
        x = self.last(self.merge(x).mean((2, 3)))
        return F.cross_entropy(self.head(x), labels, label_smoothing=0.1)


class StateSpace(nn.Module):
    """A selective state space (Gu and Dao, 2023), its recurrence unrolled: RMSNorm, a causal convolution,
    SiLU gates, softplus steps; Huber loss."""

    def __init__(self, features, states):
        super().__init__()
        self.gamma, self.inner = nn.Parameter(torch.ones(features)), nn.Linear(features, 2 * features)
        self.taps, self.step = nn.Parameter(torch.randn(features, 3) / 2), nn.Linear(features, features)
        self.decay = nn.Parameter(torch.rand(features, states))
        self.write, self.read = nn.Linear(features, states), nn.Linear(features, states)
        self.skip, self.out = nn.Parameter(torch.ones(features)), nn.Linear(features, features)

    def forward(self, x, target):
        normed = self.gamma * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))
        u, gate = self.inner(normed).chunk(2, -1)
        length = u.shape[1]
        padded = F.pad(u, (0, 0, 2, 0))
        u = F.silu(sum(padded[:, i:i + length] * self.taps[:, i] for i in range(3)))
        step, decay = F.softplus(self.step(u)), -self.decay.exp()
        write, read = self.write(u), self.read(u)
        state, outs = u.new_zeros(u.shape[0], u.shape[2], decay.shape[1]), []
        for t in range(length):
            state = (torch.exp(step[:, t, :, None] * decay) * state
                     + (step[:, t] * u[:, t])[..., None] * write[:, t, None])
            outs.append((state * read[:, t, None]).sum(-1))
        y = (torch.stack(outs, 1) + self.skip * u) * F.silu(gate)
        return F.huber_loss(self.out(y) + x, target)


def convnext(batch=2, size=12, channels=8, classes=10):
    return (ConvNext(channels, classes),
            (torch.randn(batch, 3, size, size), torch.randint(0, classes, (batch,))))


def state_space(batch=2, length=4, features=12, states=4):
    return StateSpace(features, states), (torch.randn(batch, length, features), torch.randn(batch, length, features))
