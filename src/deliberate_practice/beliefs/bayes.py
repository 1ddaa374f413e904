"""The exact posterior over a table of curves, with the quality of the stated priors unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from deliberate_practice.beliefs.belief import Batch, Belief, EvidenceModel, Mixture, usual_evidence
from deliberate_practice.beliefs.experience.populations import LEARNED, SHARE, learned_rows
from deliberate_practice.beliefs.posterior import Posterior, posterior
from deliberate_practice.beliefs.prior import QUALITIES, prior_weights, statement_evidence
from deliberate_practice.beliefs.search import SearchPosterior, search_weights, searched
from deliberate_practice.beliefs.stated import Stated, known_of, stated
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.checks import number, one_of
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.task.experience import Experience
from deliberate_practice.task.model import Task

FADING = 0.8
"""Default weight of the evidence of earlier versions after a training run."""

Known = Posterior | SearchPosterior
"""The posterior of one policy, which improves along a curve or by a search."""


@dataclass(frozen=True, eq=False)
class BayesBelief(Belief):
    """An exact posterior over a table of curves and over the quality of the stated priors.

    Policies that improve by a search have a model of the search instead, see
    :mod:`deliberate_practice.beliefs.search`.

    With h a curve of the table, c a quality of the stated priors, q_h the competence of h:

        P(h, c | data) ∝ w_c prod_u prior_{u,c}(h_u) prod_batches Binomial(s; n, q_{h_u}(before))

    w_c is the probability of c given the stated curves, see :func:`.prior.statement_evidence`.
    Given c the policies are independent, so evidence multiplies over them:
    w_c prod_u Z_{u,c} are the weights of :meth:`mixture`. Under every c a policy may be dead, so
    one that never succeeds says little about the statements of the others.

    With experience every quality has a twin whose prior takes the skills of the same kind in
    earlier sessions for the usual ones.

    >>> import deliberate_practice as dp
    >>> belief = BayesBelief.prior(dp.load_task("breakfast"))
    >>> for before in range(0, 30, 6):
    ...     belief = belief.after(Batch("StartToaster", before, attempts=6, successes=0))
    >>> round(belief.competence("StartToaster"), 2)
    0.01

    Attributes:
        posteriors: The posterior of each practised policy.
        constants: Competence of each policy that is not practised, as stated.
        log_prior: Logarithm of the probability of each quality given what is stated, shape (C,).
        qualities: Their names.
    """

    posteriors: Mapping[str, Known]
    constants: Mapping[str, float]
    log_prior: FloatArray
    qualities: tuple[str, ...]

    @classmethod
    def prior(
        cls,
        task: Task,
        evidence: Mapping[str, EvidenceModel] | None = None,
        quality: str | None = None,
        exploration: float | None = None,
        fading: float = FADING,
    ) -> BayesBelief:
        """What the task states, before any attempt.

        Args:
            task: The task.
            evidence: The evidence model of each policy, from its learner; by default that of ours.
            quality: How good its competences and rates are, if that is known: ``accurate``,
                ``noisy``, ``optimistic``, ``pessimistic`` or ``vague``; by default as the task
                says.
            exploration: Success probability of an exploring attempt, as a multiple of the deployed
                policy's. By default 1 for policies that improve along a curve; others are seen as
                a search, see :mod:`deliberate_practice.beliefs.search`.
            fading: After each training run the log-likelihood of what was seen before counts only
                with this part, in [0, 1]: a new version may be better or worse than the curve
                that the old ones lie on. With 1 the posterior is exact for versions on one curve.
        """
        number("fading", fading, 0, 1, error=ArgumentError)
        if quality is not None:
            one_of("quality", quality, QUALITIES, ArgumentError)
        if exploration is not None:
            number("exploration", exploration, 0, open_low=True, error=ArgumentError)
        if quality is None and task.priors != "unknown":
            quality = task.priors
        models = usual_evidence(task) if evidence is None else evidence
        shares = _qualities(quality)
        log_shares = np.log([*shares.values()])
        alike: dict[tuple[EvidenceModel, str, Stated], Known] = {}  # they share what is computed
        posteriors: dict[str, Known] = {}
        for policy in task.policies.values():
            if not policy.practisable:
                continue
            model = models.get(policy.name, "curve") if exploration is None else "curve"
            like = (model, policy.kind if task.experience else "", stated(policy))
            if like not in alike:
                prior = _prior(*like, shares, task.experience)
                if model == "search":
                    alike[like] = searched(prior)
                else:
                    alike[like] = posterior(prior, exploration or 1.0, fading)
            posteriors[policy.name] = alike[like]
        said = dict.fromkeys(said for model, _, said in alike if model != "search")
        for statement in said:  # equal curves were stated together, and count once
            log_shares += statement_evidence(statement)[_places(shares)]
        names = tuple(shares)
        if task.experience:
            log_shares = np.append(
                np.log(1 - SHARE) + log_shares,
                np.log(SHARE) + _log_learned(task.experience, shares, alike),
            )
            names += tuple(LEARNED + name for name in shares)
        log_shares -= np.logaddexp.reduce(log_shares)
        return cls(
            posteriors=posteriors,
            constants={p.name: p.competence for p in task.policies.values() if not p.practisable},
            log_prior=log_shares,
            qualities=names,
        )

    @property
    def policies(self) -> list[str]:
        """Names of all policies of the task."""
        return [*self.posteriors, *self.constants]

    def after(self, batch: Batch) -> BayesBelief:
        """The belief once a batch has been seen; policies that are not practised stay as stated."""
        known = known_of(batch.policy, self.posteriors, self.constants)
        if known is None or (batch.attempts == 0 and not batch.training):
            return self
        return replace(self, posteriors={**self.posteriors, batch.policy: known.after(batch)})

    @cached_property
    def weights(self) -> FloatArray:
        """Probability of each quality, shape (C,)."""
        return np.asarray(np.exp(self._log_joint - self._log_evidence))

    @property
    def quality(self) -> dict[str, float]:
        """Probability of each quality of the stated priors, by name."""
        return dict(zip(self.qualities, self.weights.tolist(), strict=True))

    def curve(self, policy: str, attempts: int) -> FloatArray:
        """Mean competence after 0, 1, ..., ``attempts`` more attempts, nondecreasing."""
        known = known_of(policy, self.posteriors, self.constants)
        if known is None:
            return np.full(attempts + 1, self.constants[policy])
        return np.maximum.accumulate(self._average(known.mean(attempts)))

    def band(self, policy: str, attempts: int) -> FloatArray:
        """Standard deviation of the competence after 0, 1, ..., ``attempts`` more attempts."""
        known = known_of(policy, self.posteriors, self.constants)
        if known is None:
            return np.zeros(attempts + 1)
        square = self._average(known.mean_square(attempts))
        variance = square - np.square(self._average(known.mean(attempts)))
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)))

    def mixture(self, attempts: int) -> Mixture:
        """Curves of all policies under each quality of the stated priors."""
        shape = (len(self.qualities), attempts + 1)
        curves = {name: known.mean(attempts) for name, known in self.posteriors.items()}
        constants = {name: np.full(shape, p) for name, p in self.constants.items()}
        return Mixture(self.weights, curves | constants)

    def draw(self, attempts: int, rng: np.random.Generator) -> dict[str, FloatArray]:
        """True curves as they may be, from attempt 0, of policies that improve along a curve.

        The quality of the stated priors is drawn first, because all policies share it.
        """
        quality = int(rng.choice(len(self.qualities), p=self.weights / self.weights.sum()))
        curves = {n: known for n, known in self.posteriors.items() if isinstance(known, Posterior)}
        return {name: known.draw(quality, attempts, rng) for name, known in curves.items()}

    def _average(self, values: FloatArray) -> FloatArray:
        """Mean over qualities of an array of shape (C, n); column by column, as n may vary."""
        return np.asarray((self.weights[:, None] * values).sum(axis=0))

    @cached_property
    def _log_joint(self) -> FloatArray:
        """Logarithm of the probability of each quality together with all attempts, shape (C,)."""
        evidence = (known.log_evidence for known in self.posteriors.values())
        return sum(evidence, start=self.log_prior)

    @cached_property
    def _log_evidence(self) -> float:
        return float(np.logaddexp.reduce(self._log_joint))


def _qualities(told: str | None) -> dict[str, float]:
    """Weight of each quality that is possible.

    Args:
        told: The quality, if it is known.
    """
    if told is not None:
        return {told: 1.0}
    return {name: quality.weight for name, quality in QUALITIES.items()}


def _places(shares: Mapping[str, float]) -> list[int]:
    """Rows of these qualities among all of them."""
    return [list(QUALITIES).index(name) for name in shares]


def _prior(
    model: EvidenceModel,
    kind: str,
    said: Stated,
    shares: Mapping[str, float],
    experience: Experience | None,
) -> FloatArray:
    """Probability of each hypothesis under each quality, then with experience, shape (C, H)."""
    weights = search_weights if model == "search" else prior_weights
    rows: FloatArray = weights(said)[_places(shares)]
    if not experience:
        return rows
    learned = learned_rows(weights, experience, model, kind, said)
    return np.vstack([rows, learned[_places(shares)]])


def _log_learned(
    experience: Experience,
    shares: Mapping[str, float],
    alike: Iterable[tuple[EvidenceModel, str, Stated]],
) -> FloatArray:
    """Logarithm of the probability of each quality and all statements if skills are as in earlier
    sessions, shape (C,).

    Kinds that state the same share one statement's weight.
    """
    found: dict[Stated, list[FloatArray]] = {}
    for model, kind, said in alike:
        if model != "search":
            rows = learned_rows(statement_evidence, experience, model, kind, said)
            found.setdefault(said, []).append(rows)
    evidence = (np.mean(each, axis=0)[_places(shares)] for each in found.values())
    seen = np.array([experience.qualities[name] for name in shares])
    joint: FloatArray = sum(evidence, start=np.log(seen / seen.sum()))
    return joint
