"""An independent derivation of the losses, in float64 NumPy, by token and bucket.

For a token with probabilities μ then and π now and advantage A, r = π/μ.  Its divergence is that
of the distributions over buckets: the token and the rest; or the token, others of the top k, and
the rest.  TV = ½ Σ|π − μ|, KL = Σ μ·log(μ/π).

- dppo: blocked where the divergence exceeds δ and A·(π − μ) > 0; else the loss gets −r·A/Z, whose
  derivative by log π is −r·A/Z, because dr/d(log π) = r.
- dapo: the loss gets −min(r·A, clip(r)·A)/Z; the derivative is −r·A/Z where r·A is the smaller.
- cispo: the loss gets −w·A·log π/Z with w = min(r, cap) held fixed, so the derivative is −w·A/Z.
"""

import math

import numpy as np

SPECIAL = (math.nan, math.inf, -math.inf, 0.0)
"""Log-probabilities of sampled tokens that engines have reported."""


def of_buckets(p, q, kind):
    """Return the divergence of lists of probabilities p (now) and q (then)."""
    if kind.endswith("_tv"):
        return 0.5 * sum(abs(a - b) for a, b in zip(p, q, strict=True))
    return sum(b * math.log(b / a) for a, b in zip(p, q, strict=True) if b > 0)


def token(lp, lm, advantage, config, others=()):
    """Return value, coefficient and the distance from the nearest threshold.

    `others` are (π, μ) of other tokens of the top k.
    """
    pi, mu = math.exp(lp), math.exp(lm)
    ratio = pi / mu
    if config.objective == "cispo":
        weight = min(ratio, 5.0 if config.is_cap is None else config.is_cap)
        return weight * advantage * lp, weight * advantage, math.inf
    if config.objective == "dapo":
        low, high = 1 - config.clip[0], 1 + config.clip[1]
        clipped = min(max(ratio, low), high) * advantage
        nearest = min(abs(ratio - low), abs(ratio - high))
        if clipped < ratio * advantage:
            return clipped, 0.0, nearest
        return ratio * advantage, ratio * advantage, nearest
    p, q = [pi, *(o[0] for o in others)], [mu, *(o[1] for o in others)]
    rests = (-math.expm1(lp), -math.expm1(lm)) if not others else (1 - sum(p), 1 - sum(q))
    far = of_buckets([*p, rests[0]], [*q, rests[1]], config.divergence)
    delta = config.high if advantage > 0 else config.low
    if far > delta and advantage * (pi - mu) > 0:
        return 0.0, 0.0, abs(far - delta)
    if config.is_cap is not None:
        ratio = min(ratio, config.is_cap)
    return ratio * advantage, ratio * advantage, abs(far - delta)


def by_hand(logp, mu_logp, advantages, mask, z, config):
    """Return loss, gradient and the distance of the nearest token from its threshold."""
    loss, gradient, nearest = 0.0, np.zeros(len(logp)), math.inf
    for i, (lp, lm, a, m) in enumerate(zip(logp, mu_logp, advantages, mask, strict=True)):
        if not m or not math.isfinite(lm) or a == 0:
            continue
        value, coefficient, near = token(lp, lm, a, config)
        loss -= value / z
        gradient[i] = -coefficient / z
        nearest = min(nearest, near)
    return loss, gradient, nearest


def head_by_hand(hidden, weight, tokens, z, *, config, temperature=1.0):
    """Return loss, both gradients and the nearest distance, from softmaxes written out.

    `tokens` are (id, log μ, A, mask) of each row, or with a list of (id, μ) of the top k.
    """
    loss, nearest = 0.0, math.inf
    d_hidden, d_weight = np.zeros_like(hidden), np.zeros_like(weight)
    for row, (sampled, lm, advantage, trained, *top) in enumerate(tokens):
        if not trained or not math.isfinite(lm) or advantage == 0:
            continue
        logits = weight @ hidden[row] / temperature
        powers = np.exp(logits - logits.max())
        p = powers / powers.sum()
        lp = float(logits[sampled] - logits.max() - np.log(powers.sum()))
        others = [(float(p[i]), q) for i, q in (top[0] if top else []) if i != sampled]
        value, coefficient, near = token(lp, lm, advantage, config, others)
        nearest = min(nearest, near)
        loss -= value / z
        # d log p[y] / d logits = 1[y] − p
        towards = -coefficient / z / temperature * (np.eye(len(p))[sampled] - p)
        d_hidden[row] = towards @ weight
        d_weight += np.outer(towards, hidden[row])
    return loss, d_hidden, d_weight, nearest
