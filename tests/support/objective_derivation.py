"""Values and gradients of all objectives in float64 NumPy, written from the papers by hand.

No automatic differentiation: every derivative by log π is the formula that its docstring derives.
With r = π/μ (or π over a constant that equals it), dr/d log π = r.  A sequence has n tokens;
s = exp(mean log r) has ds/d log π_t = s/n.
"""

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Token:
    """One trained token: log π, log μ, advantage, the number of its sequence."""

    lp: float
    lm: float
    advantage: float
    sequence: int


def loss_by_hand(tokens, config, z):
    """Return the loss −(1/Z) Σ u·w·J and its derivatives by log π."""
    value, gradient = 0.0, np.zeros(len(tokens))
    for number in sorted({t.sequence for t in tokens}):
        rows = [i for i, t in enumerate(tokens) if t.sequence == number]
        own = [tokens[i] for i in rows]
        logs = [0.0 if config.ratio_to == "proximal" else t.lp - t.lm for t in own]
        weights = [u * v for u, v in zip(units(own, config), corrected(own, config), strict=True)]
        if config.objective in ("gspo", "gmpo"):
            total, slopes = of_sequence(own, logs, config)
            # Every token of the sequence has the same J, so J counts Σ weights times.
            value += sum(weights) * total
            gradient[rows] = [sum(weights) * slope for slope in slopes]
        else:
            for row, token, log_ratio, weight in zip(rows, own, logs, weights, strict=True):
                j, slope = of_token(token, log_ratio, config)
                value += weight * j
                gradient[row] = weight * slope
    return -value / z, -gradient / z


def units(own, config):
    """Return 1, or 1/n where the loss is a mean of means over sequences."""
    return [1 / len(own) if config.mean_over == "sequences" else 1.0] * len(own)


def corrected(own, config):
    """Return the product of the corrections' weights; only 0 or 1 where r is π/μ already."""
    result = []
    gaps = [t.lp - t.lm for t in own]
    for token, gap in zip(own, gaps, strict=True):
        weight = 1.0
        for name in config.corrections:
            w = math.exp(sum(gaps) if name.endswith("_sequence") else gap)
            if name.startswith("tis"):
                weight *= min(w, config.correction_high or 2)
            elif name.startswith("mis"):
                weight *= w if w <= (config.correction_high or 2) else 0
            elif name == "icepop":
                low, high = config.correction_low, config.correction_high or 5
                weight *= w if low <= w <= high else 0
            else:  # opsm
                far = -sum(gaps) / len(gaps) > config.opsm_delta
                weight *= 0 if far and token.advantage < 0 else 1
        result.append(float(weight > 0) if config.ratio_to == "behaviour" else weight)
    return result


def of_token(token, log_ratio, config):
    """Return J of a token and dJ/d log π."""
    r, a, (low, high) = math.exp(log_ratio), token.advantage, config.clip
    if config.objective == "policy_gradient":
        if config.ratio_to == "none":
            return a * token.lp, a
        w = r if config.cap is None else min(r, config.cap)
        return w * a, w * a
    if config.objective in ("ppo", "grpo", "dapo", "dr_grpo"):
        if a > 0 and r > 1 + high:
            return (1 + high) * a, 0.0
        if a < 0 and r < 1 - low:
            return (1 - low) * a, 0.0
        return r * a, r * a
    if config.objective == "cispo":
        w = min(r, config.cap)
        return w * a * token.lp, w * a
    if config.objective == "sapo":
        # d/dr of σ(τ(r − 1))·4/τ is 4σ(1 − σ).
        tau = config.tau[1] if a > 0 else config.tau[0]
        gate = 1 / (1 + math.exp(-tau * (r - 1)))
        return gate * 4 / tau * a, 4 * gate * (1 - gate) * r * a
    pi, mu = math.exp(token.lp), math.exp(token.lm)
    if config.objective == "dppo":
        delta = config.high if a > 0 else config.low
        if abs(pi - mu) > delta and a * (pi - mu) > 0:
            return 0.0, 0.0
        return r * a, r * a
    assert config.objective == "drpo"
    # d/d log π of μ(r − 1)²/(2δ) is μ(r − 1)r/δ = r(π − μ)/δ where r = π/μ.
    delta = config.high if a > 0 else config.low
    return (
        r * a - abs(a) * mu * (r - 1) ** 2 / (2 * delta),
        r * a - abs(a) * mu * (r - 1) * r / delta,
    )


def of_sequence(own, logs, config):
    """Return J of a sequence and dJ/d log π of each token."""
    n, (low, high), a = len(own), config.clip, own[0].advantage
    if config.objective == "gspo":
        s = math.exp(sum(logs) / n)
        if a > 0 and s > 1 + high:
            return (1 + high) * a, [0.0] * n
        if a < 0 and s < 1 - low:
            return (1 - low) * a, [0.0] * n
        return s * a, [s * a / n] * n
    # gmpo: the geometric mean of ratios that are cut on the side that A pushes to
    cut = [min(x, high) if a > 0 else max(x, -low) for x in logs]
    mean = math.exp(sum(cut) / n)
    return mean * a, [mean * a / n if x == c else 0.0 for x, c in zip(logs, cut, strict=True)]
