"""An objective of your own: one function of the trained tokens, here with a penalty on log r."""

import torch

from tmax_trainers import DPPOLossConfig, dppo_loss, register_objective


def leashed(tokens, config):
    """Return log pi * A - (log r)^2 / 2: pushed by A, pulled back towards the sampling policy."""
    return tokens.logp * tokens.advantage - tokens.log_ratio.square() / 2


register_objective("leashed", leashed)

# One sequence of four tokens: probability of each when it was sampled (mu) and now (pi), and its
# advantage.
mu = torch.tensor([[0.50, 0.50, 0.50, 0.50]])
pi = torch.tensor([[0.55, 0.70, 0.45, 0.30]])
advantages = torch.tensor([[1.0, 1.0, -1.0, -1.0]])

for objective in ("leashed", "dppo"):
    logp = pi.log().requires_grad_()
    loss, _ = dppo_loss(
        logp,
        mu.log(),
        advantages,
        mask=torch.ones(1, 4, dtype=torch.bool),
        denominator=4,
        config=DPPOLossConfig(objective=objective),
    )
    loss.backward()
    print(f"{objective}:", [round(g, 4) for g in logp.grad[0].tolist()])
