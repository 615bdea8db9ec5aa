"""Small models for the study of training with approximate gradients: a ViT on images of
8x8 points, GPT-2- and LLaMA-shaped language models on characters.

Each function returns (module, inputs); module(*inputs) is the loss and the share of
right answers. `lora=True` freezes all but rank-8 adapters on queries and values.
"""
import torch
import torch.nn.functional as F
import transformers


class Classifier(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, image, label):
        logits = self.model(pixel_values=image).logits
        right = (logits.argmax(-1) == label).float().mean()
        return F.cross_entropy(logits, label), right


class NextCharacter(torch.nn.Module):
    """`targets` are the ids one place further on."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids, targets):
        logits = self.model(input_ids=ids, use_cache=False).logits.flatten(0, 1)
        right = (logits.argmax(-1) == targets.flatten()).float().mean()
        return F.cross_entropy(logits, targets.flatten()), right


def _adapted(model, lora, targets):
    if not lora:
        return model.train()
    import peft
    return peft.get_peft_model(model, peft.LoraConfig(r=8, lora_alpha=16, target_modules=targets)).train()


def vit(batch=32, layers=3, hidden=64, heads=4, classes=10, lora=False):
    """ViT: erf-GELU, LayerNorm; 2x2 patches of one channel."""
    config = transformers.ViTConfig(
        image_size=8, patch_size=2, num_channels=1, hidden_size=hidden, num_hidden_layers=layers,
        num_attention_heads=heads, intermediate_size=4 * hidden, num_labels=classes,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, attn_implementation="eager")
    model = transformers.ViTForImageClassification(config)
    names = [n for n, _ in model.named_modules()]
    targets = ["q_proj", "v_proj"] if any(n.endswith("q_proj") for n in names) else ["query", "value"]
    return (Classifier(_adapted(model, lora, targets)),
            (torch.randn(batch, 1, 8, 8), torch.randint(0, classes, (batch,))))


def _text(model, batch, length, vocabulary):
    # Eager attention returns None here for sequences that are not packed; a tracer
    # would see a branch on data.
    import transformers.masking_utils as masking
    masking.find_packed_sequence_indices = lambda position_ids: None
    ids = lambda: torch.randint(0, vocabulary, (batch, length))
    return NextCharacter(model), (ids(), ids())


def gpt(batch=16, length=32, layers=3, hidden=64, heads=4, vocabulary=96, lora=False):
    """GPT-2: tanh-GELU, LayerNorm, learned positions, tied embeddings."""
    config = transformers.GPT2Config(
        vocab_size=vocabulary, n_positions=length, n_embd=hidden, n_layer=layers, n_head=heads,
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, attn_implementation="eager")
    model = _adapted(transformers.GPT2LMHeadModel(config), lora, ["c_attn"])
    return _text(model, batch, length, vocabulary)


def llama(batch=16, length=32, layers=3, hidden=64, heads=4, intermediate=176, vocabulary=96, lora=False):
    """LLaMA: SiLU, RMSNorm, rotary positions."""
    config = transformers.LlamaConfig(
        vocab_size=vocabulary, hidden_size=hidden, intermediate_size=intermediate,
        num_hidden_layers=layers, num_attention_heads=heads, num_key_value_heads=heads,
        max_position_embeddings=length, attn_implementation="eager")
    model = _adapted(transformers.LlamaForCausalLM(config), lora, ["q_proj", "v_proj"])
    return _text(model, batch, length, vocabulary)
