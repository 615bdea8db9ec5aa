"""Models of the transformers library, with random weights from a configuration.

Each function returns (module, inputs); module(*inputs) is the model's own loss.
The defaults are tiny; real sizes are given by keyword.
"""
import torch
import transformers


class Loss(torch.nn.Module):
    """The loss of a transformers model as a function of its inputs and labels."""

    def __init__(self, model, input_name, **extra):
        super().__init__()
        self.model, self.input_name, self.extra = model, input_name, extra

    def forward(self, x, labels):
        return self.model(**{self.input_name: x}, labels=labels, **self.extra).loss


def _tokens(batch, length, vocabulary):
    return torch.randint(0, vocabulary, (batch, length))


def _causal(model, batch, length, vocabulary):
    # Eager attention returns None here for sequences that are not packed; a tracer
    # would see a branch on data.
    import transformers.masking_utils as masking
    masking.find_packed_sequence_indices = lambda position_ids: None
    return (Loss(model.train(), "input_ids", use_cache=False),
            (_tokens(batch, length, vocabulary), _tokens(batch, length, vocabulary)))


def _decoder(heads, layers, hidden, intermediate, vocabulary, length, **extra):
    return dict(hidden_size=hidden, num_hidden_layers=layers, num_attention_heads=heads,
                intermediate_size=intermediate, vocab_size=vocabulary,
                max_position_embeddings=max(length, 64), attn_implementation="eager",
                use_cache=False, pad_token_id=0, bos_token_id=1, eos_token_id=2, **extra)


def qwen3(batch=2, length=12, layers=2, hidden=32, intermediate=48, heads=4, vocabulary=64):
    """RMSNorm on the residual stream and on each head's queries and keys; SiLU."""
    config = transformers.Qwen3Config(
        **_decoder(heads, layers, hidden, intermediate, vocabulary, length,
                   num_key_value_heads=2, head_dim=hidden // heads))
    return _causal(transformers.Qwen3ForCausalLM(config), batch, length, vocabulary)


def gpt_neox(batch=2, length=12, layers=2, hidden=32, intermediate=64, heads=4, vocabulary=64):
    """Two LayerNorms read one residual (parallel attention and MLP); erf-GELU."""
    config = transformers.GPTNeoXConfig(
        **_decoder(heads, layers, hidden, intermediate, vocabulary, length),
        hidden_dropout=0.0, attention_dropout=0.0)
    return _causal(transformers.GPTNeoXForCausalLM(config), batch, length, vocabulary)


def llama(batch=1, length=64, layers=2, hidden=64, intermediate=172, heads=4, vocabulary=128,
          bf16=False, lora=False):
    """RMSNorm and SiLU; with `lora` only rank-8 adapters on q and v train."""
    torch.set_default_dtype(torch.bfloat16 if bf16 else torch.float32)
    config = transformers.LlamaConfig(
        **_decoder(heads, layers, hidden, intermediate, vocabulary, length, num_key_value_heads=heads))
    model = transformers.LlamaForCausalLM(config)
    if lora:
        import peft
        model = peft.get_peft_model(model, peft.LoraConfig(
            r=8, lora_alpha=16, lora_dropout=0.0, target_modules=["q_proj", "v_proj"], bias="none",
            init_lora_weights=False), autocast_adapter_dtype=False)
    torch.set_default_dtype(torch.float32)
    return _causal(model, batch, length, vocabulary)


def clip_vision(batch=2, layers=2, hidden=32, intermediate=64, heads=4, image=16, patch=8, classes=6):
    """CLIP's image encoder: quick-GELU, a LayerNorm before the first block."""
    config = transformers.CLIPVisionConfig(
        hidden_size=hidden, intermediate_size=intermediate, num_hidden_layers=layers,
        num_attention_heads=heads, image_size=image, patch_size=patch, hidden_act="quick_gelu",
        attn_implementation="eager")
    config = transformers.CLIPConfig(vision_config=config.to_dict(), num_labels=classes,
                                     attn_implementation="eager")
    model = transformers.CLIPForImageClassification(config)
    return (Loss(model.train(), "pixel_values"),
            (torch.randn(batch, 3, image, image), torch.randint(0, classes, (batch,))))


def modernbert(batch=2, length=12, layers=2, hidden=32, intermediate=48, heads=4, vocabulary=64):
    """LayerNorm without bias, a gated erf-GELU."""
    config = transformers.ModernBertConfig(
        **_decoder(heads, layers, hidden, intermediate, vocabulary, length), cls_token_id=1,
        sep_token_id=2, num_labels=2, reference_compile=False)
    model = transformers.ModernBertForSequenceClassification(config)
    return (Loss(model.train(), "input_ids"),
            (_tokens(batch, length, vocabulary), torch.randint(0, 2, (batch,))))
