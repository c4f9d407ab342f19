#!/usr/bin/env python3
"""What transformers' generate() finds with beams: the witness of src/generate/beam.c.

    pip install torch transformers
    tools/golden_beam.py               writes tests/fixtures/beam.json

The model is two tables: the logits after a text are table[sum of the text mod V] + step[its last
position]. Small as it is, generate() treats it as any model, and the test in C needs nothing but
the tables. Every token counts and so does its place: no two texts have equal scores by exchange.
"""
import json
import random
from pathlib import Path

import torch
import transformers
from transformers import GenerationConfig, GenerationMixin, PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import CausalLMOutput

FILE = Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "beam.json"
VOCAB = 12
POSITIONS = 15


class TableConfig(PretrainedConfig):
    model_type = "table"


class TableModel(PreTrainedModel, GenerationMixin):
    config_class = TableConfig

    def __init__(self, table, step):
        super().__init__(TableConfig(vocab_size=VOCAB, num_hidden_layers=1))
        self.table = torch.nn.Parameter(torch.tensor(table, dtype=torch.float32))
        self.step = torch.nn.Parameter(torch.tensor(step, dtype=torch.float32))
        self.post_init()

    def _init_weights(self, module):
        pass

    def prepare_inputs_for_generation(self, input_ids, **kwargs):
        return {"input_ids": input_ids}

    def forward(self, input_ids, return_dict=True, **kwargs):
        self.n_calls += 1
        row = input_ids.cumsum(-1) % VOCAB
        return CausalLMOutput(logits=self.table[row] + self.step[:input_ids.shape[-1]])


def make_table(rng, n_rows, spread, end_lift):
    """Logits exact in float32; token 0, the usual end token, is made more or less likely."""
    rows = [[round(rng.gauss(0, spread) * 256) / 256 for _ in range(VOCAB)] for _ in range(n_rows)]
    for row in rows:
        row[0] += end_lift
    return rows


def find(model, prompt, case):
    config = GenerationConfig(
        num_beams=case["n_beams"], num_return_sequences=case["n_best"], do_sample=False,
        max_new_tokens=case["tokens_max"], length_penalty=case["length_penalty"],
        early_stopping=case["early_stopping"], eos_token_id=case["end"] or None, pad_token_id=VOCAB,
        use_cache=False, return_dict_in_generate=True, output_scores=True)
    model.n_calls = 0
    out = model.generate(torch.tensor([prompt]), generation_config=config)
    found = []
    for row, beams, score in zip(out.sequences, out.beam_indices, out.sequences_scores):
        n = int((beams >= 0).sum())
        found.append({"token": row[len(prompt):len(prompt) + n].tolist(),
                      "score": float(f"{score.item():.8g}")})
    return found, model.n_calls


def main():
    rng = random.Random(20261)
    tables = [{"table": make_table(rng, VOCAB, spread, end_lift),
               "step": make_table(rng, POSITIONS, 0.5, 0)}
              for spread, end_lift in ((1.0, 0.5), (2.0, 1.0), (1.5, -1.0))]
    cases = []
    for i_model, tables_of_model in enumerate(tables):
        model = TableModel(**tables_of_model).eval()
        for early_stopping in (False, True, "never"):
            for length_penalty in (1.0, 0.0, -1.0):
                for n_beams, n_best, tokens_max in ((2, 1, 6), (3, 3, 9), (5, 2, 12), (4, 4, 1)):
                    end = rng.choice(([0], [0], [0, 5], [0, 3, 7], []))
                    case = {"model": i_model, "prompt": rng.choices(range(1, VOCAB), k=3),
                            "n_beams": n_beams, "n_best": n_best, "tokens_max": tokens_max,
                            "length_penalty": length_penalty, "early_stopping": early_stopping,
                            "end": end}
                    case["found"], case["n_steps"] = find(model, case["prompt"], case)
                    cases.append(case)
    with open(FILE, "w") as out:
        out.write('{"made_by": "tools/golden_beam.py, transformers %s",\n'
                  % transformers.__version__)
        out.write(' "models": [\n  ' + ",\n  ".join(map(json.dumps, tables)) + "],\n")
        out.write(' "cases": [\n  ' + ",\n  ".join(map(json.dumps, cases)) + "]}\n")


if __name__ == "__main__":
    main()
