"""Models of real size by the number of their layers, so that the difference of two steps is
one layer: GPT-2 small, ViT-B/16, LLaMA-7B and RoBERTa-base, everything trained, no dropout,
attention written out. Capture them with --fake.

Each function returns (module, inputs); module(*inputs) is the model's own loss.
"""
import torch
import transformers

from transformers_models import Loss, _causal, _decoder, _tokens


def gpt2(layers=1, batch=8, length=1024, hidden=768, heads=12, vocabulary=50257):
    """LayerNorm, tanh-GELU, learned positions, tied embeddings."""
    config = transformers.GPT2Config(
        vocab_size=vocabulary, n_positions=length, n_embd=hidden, n_layer=layers, n_head=heads,
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, attn_implementation="eager")
    return _causal(transformers.GPT2LMHeadModel(config), batch, length, vocabulary)


def vit(layers=1, batch=64, hidden=768, heads=12, classes=1000):
    """LayerNorm and erf-GELU; 196 patches and a class token."""
    config = transformers.ViTConfig(
        hidden_size=hidden, num_hidden_layers=layers, num_attention_heads=heads,
        intermediate_size=4 * hidden, num_labels=classes, hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0, attn_implementation="eager")
    return (Loss(transformers.ViTForImageClassification(config).train(), "pixel_values"),
            (torch.randn(batch, 3, 224, 224), torch.randint(0, classes, (batch,))))


def llama(layers=1, batch=1, length=2048, hidden=4096, intermediate=11008, heads=32, vocabulary=32000):
    """RMSNorm, SiLU, rotary positions."""
    config = transformers.LlamaConfig(
        **_decoder(heads, layers, hidden, intermediate, vocabulary, length, num_key_value_heads=heads))
    return _causal(transformers.LlamaForCausalLM(config), batch, length, vocabulary)


def roberta(layers=1, batch=32, length=128, hidden=768, heads=12, vocabulary=50265, classes=2):
    """LayerNorm after each sum, erf-GELU."""
    config = transformers.RobertaConfig(
        vocab_size=vocabulary, max_position_embeddings=length + 2, hidden_size=hidden,
        num_hidden_layers=layers, num_attention_heads=heads, intermediate_size=4 * hidden,
        num_labels=classes, type_vocab_size=1, hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0, attn_implementation="eager")
    return (Loss(transformers.RobertaForSequenceClassification(config).train(), "input_ids"),
            (_tokens(batch, length, vocabulary), torch.randint(0, classes, (batch,))))
