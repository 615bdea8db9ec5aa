"""Training steps written in JAX and flax, with random weights.

Each function returns (loss, parameters, batch); loss(parameters, *batch) is a scalar.
"""
import jax
import jax.numpy as jnp
import numpy as np


def _batch(batch, length, vocabulary, seed=0):
    random = np.random.default_rng(seed)
    draw = lambda: jnp.array(random.integers(0, vocabulary, (batch, length)), jnp.int32)
    return draw(), draw()


def _cross_entropy(logits, targets):
    logp = jax.nn.log_softmax(logits, -1)
    return -jnp.mean(jnp.take_along_axis(logp, targets[..., None], -1))


def _randomize(tree):
    """Moves every parameter a little, so that no gamma is 1 and no bias 0."""
    random = np.random.default_rng(1)
    return jax.tree.map(lambda x: x + jnp.asarray(0.05 * random.normal(size=x.shape), x.dtype), tree)


def flax_decoder(batch=2, length=12, layers=2, hidden=32, intermediate=48, heads=4, vocabulary=64):
    """flax.linen: LayerNorm (variance as E[x^2] - E[x]^2), RMSNorm, a product of
    erf-GELU and SiLU branches, multi-head attention with a causal mask."""
    import flax.linen as nn

    class Block(nn.Module):
        @nn.compact
        def __call__(self, x, mask):
            h = nn.LayerNorm()(x)
            x = x + nn.MultiHeadDotProductAttention(num_heads=heads)(h, h, mask=mask)
            h = nn.RMSNorm()(x)
            gate = nn.silu(nn.Dense(intermediate)(h))
            up = nn.gelu(nn.Dense(intermediate)(h), approximate=False)
            return x + nn.Dense(hidden)(gate * up)

    class Decoder(nn.Module):
        @nn.compact
        def __call__(self, ids):
            position = self.param("position", nn.initializers.normal(0.02), (length, hidden))
            x = nn.Embed(vocabulary, hidden)(ids) + position
            for _ in range(layers):
                x = Block()(x, nn.make_causal_mask(ids))
            return nn.Dense(vocabulary)(nn.LayerNorm()(x))

    model = Decoder()
    ids, targets = _batch(batch, length, vocabulary)
    parameters = _randomize(model.init(jax.random.key(0), ids)["params"])
    return lambda p, i, t: _cross_entropy(model.apply({"params": p}, i), t), parameters, (ids, targets)


def mixer(batch=2, tokens=16, layers=2, hidden=32, token_hidden=24, channel_hidden=64, classes=6):
    """An MLP mixer in plain jax.numpy: LayerNorm and tanh-GELU on tokens and channels."""
    random = np.random.default_rng(0)
    weight = lambda *shape: jnp.asarray(random.normal(size=shape) / np.sqrt(shape[0]), jnp.float32)

    def norm(x, gamma, beta):
        mean = x.mean(-1, keepdims=True)
        return (x - mean) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-6) * gamma + beta

    def mlp(x, p):
        return jax.nn.gelu(x @ p["up"], approximate=True) @ p["down"]

    def block(x, p):
        y = norm(x, p["gamma1"], p["beta1"])
        x = x + mlp(y.swapaxes(-1, -2), p["tokens"]).swapaxes(-1, -2)
        return x + mlp(norm(x, p["gamma2"], p["beta2"]), p["channels"])

    def parameters_of(p):
        return {"gamma1": jnp.ones(hidden), "beta1": jnp.zeros(hidden),
                "gamma2": jnp.ones(hidden), "beta2": jnp.zeros(hidden),
                "tokens": {"up": weight(tokens, token_hidden), "down": weight(token_hidden, tokens)},
                "channels": {"up": weight(hidden, channel_hidden), "down": weight(channel_hidden, hidden)}}

    parameters = _randomize({"blocks": [parameters_of(i) for i in range(layers)],
                             "head": weight(hidden, classes)})

    def loss(p, x, label):
        for block_parameters in p["blocks"]:
            x = block(x, block_parameters)
        return _cross_entropy(x.mean(-2) @ p["head"], label)

    x = jnp.asarray(random.normal(size=(batch, tokens, hidden)), jnp.float32)
    label = jnp.asarray(random.integers(0, classes, (batch,)), jnp.int32)
    return loss, parameters, (x, label)
