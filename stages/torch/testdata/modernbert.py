"""Makes folders of ModernBERTs for load.py: {"folders": […], "texts": […]} comes in. Each has weights that transformers
draws, other settings, and a byte-level BPE as the published one's that is learned from the texts. Exits with 3 where
transformers or sentence-transformers is not installed."""

import json
import sys

try:
    import torch
    from sentence_transformers import SentenceTransformer, models
    from tokenizers import AddedToken, Tokenizer, normalizers, pre_tokenizers, processors, trainers
    from tokenizers import models as kinds
    from transformers import ModernBertConfig, ModernBertModel, PreTrainedTokenizerFast
except ModuleNotFoundError as e:
    print(e, file=sys.stderr)
    sys.exit(3)

torch.manual_seed(1)
request = json.load(sys.stdin)
special = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
tokenizer = Tokenizer(kinds.BPE())
tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.NFC(), pre_tokenizers.ByteLevel(add_prefix_space=False)
alphabet = pre_tokenizers.ByteLevel.alphabet()
tokenizer.train_from_iterator(request["texts"], trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, show_progress=False))
tokenizer.add_tokens([AddedToken(" " * n, normalized=True) for n in (4, 3, 2)])
tokenizer.add_special_tokens(special)
ends = [(t, tokenizer.token_to_id(t)) for t in ("[CLS]", "[SEP]")]
tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", "[CLS] $A [SEP] $B [SEP]", ends)
roles = {t.strip("[]").lower() + "_token": t for t in special}
fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=300, model_input_names=["input_ids", "attention_mask"], **roles)
for i, folder in enumerate(request["folders"]):
    settings = [
        dict(num_hidden_layers=4),
        dict(num_hidden_layers=3, norm_bias=True, attention_bias=True, mlp_bias=True, classifier_bias=True, hidden_activation="relu",
             local_attention=10, layer_types=["full_attention", "sliding_attention", "full_attention"],
             rope_parameters={"full_attention": {"rope_type": "default", "rope_theta": 500.0},
                              "sliding_attention": {"rope_type": "default", "rope_theta": 20.0}}),
    ][i]
    config = ModernBertConfig(vocab_size=len(fast), hidden_size=64, num_attention_heads=4, intermediate_size=96, initializer_range=0.1,
                              max_position_embeddings=512, pad_token_id=fast.pad_token_id, **settings)
    model = ModernBertModel(config)
    for name, p in model.named_parameters():
        if p.dim() == 1:
            torch.nn.init.normal_(p, name.endswith("weight"), 0.2)
    plain = folder + "/plain"
    model.save_pretrained(plain)
    fast.save_pretrained(plain)
    SentenceTransformer(modules=[t := models.Transformer(plain), models.Pooling(t.get_word_embedding_dimension())]).save(folder + "/whole")
print("{}")
