"""Models of the size whose step's time is compared with PyTorch's: six layers of 384 features,
some thousand tokens. `attention` is the transformers library's: eager writes the scores out,
sdpa calls a fused kernel, which has no decomposition to capture.

Each function returns (module, inputs); module(*inputs) is the model's own loss.
"""
import torch
import transformers

from transformers_models import Loss, _causal, _decoder


def vit(batch=16, layers=6, hidden=384, heads=6, classes=10, attention="eager"):
    """LayerNorm and erf-GELU; 64 patches of 4x4 and a class token: 65 tokens."""
    config = transformers.ViTConfig(
        image_size=32, patch_size=4, num_channels=3, hidden_size=hidden, num_hidden_layers=layers,
        num_attention_heads=heads, intermediate_size=4 * hidden, num_labels=classes,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, attn_implementation=attention)
    return (Loss(transformers.ViTForImageClassification(config).train(), "pixel_values"),
            (torch.randn(batch, 3, 32, 32), torch.randint(0, classes, (batch,))))


def gpt2(batch=8, length=128, layers=6, hidden=384, heads=6, vocabulary=4096, attention="eager"):
    """LayerNorm, tanh-GELU, learned positions, tied embeddings."""
    config = transformers.GPT2Config(
        vocab_size=vocabulary, n_positions=length, n_embd=hidden, n_layer=layers, n_head=heads,
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, attn_implementation=attention)
    return _causal(transformers.GPT2LMHeadModel(config), batch, length, vocabulary)


def llama(batch=8, length=128, layers=6, hidden=384, intermediate=1024, heads=6, vocabulary=4096,
          attention="eager"):
    """RMSNorm, SiLU, rotary positions."""
    keywords = _decoder(heads, layers, hidden, intermediate, vocabulary, length, num_key_value_heads=heads)
    config = transformers.LlamaConfig(**{**keywords, "attn_implementation": attention})
    return _causal(transformers.LlamaForCausalLM(config), batch, length, vocabulary)
