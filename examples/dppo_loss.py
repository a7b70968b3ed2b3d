"""The DPPO loss on four tokens: which of them are still pushed, and how hard."""

import torch

from tmax_trainers import DPPOLossConfig, dppo_loss

# Probability of each sampled token when it was sampled (mu) and now (pi), and its advantage.
mu = torch.tensor([0.50, 0.50, 0.50, 0.50])
pi = torch.tensor([0.55, 0.70, 0.45, 0.30])
advantages = torch.tensor([1.0, 1.0, -1.0, -1.0])

logp = pi.log().requires_grad_()
loss, sums = dppo_loss(
    logp,
    mu.log(),
    advantages,
    mask=torch.ones(4, dtype=torch.bool),
    denominator=4,
    config=DPPOLossConfig(divergence="binary_tv", delta_low=0.1, delta_high=0.1),
)
loss.backward()

# The gradient is -(1/Z) pi/mu A, and 0 where pi has left the trust region |pi - mu| <= 0.1
# in the direction that the advantage pushes.
print("gradient:", [round(g, 4) for g in logp.grad.tolist()])
print("blocked upwards:", int(sums["blocked_high"]), "downwards:", int(sums["blocked_low"]))
