"""The value of a fixed decision rule for other competences, against evaluating the rule itself."""

from __future__ import annotations

import numpy as np
from counts import count
from random_tasks import random_competence, random_task

from deliberate_practice.allocation.rules.chain import rule_chain
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.values import rule_values, solve


def test_a_chain_has_the_value_of_its_rule_for_all_competences_of_each_policy() -> None:
    compared = 0
    for seed in range(count(600)):
        rng = np.random.default_rng(seed)
        grounded = ground(random_task(rng, product_form=bool(rng.random() < 0.2)))
        solution = solve(grounded, random_competence(rng, grounded.task))
        chain = rule_chain(grounded, solution)
        some = rng.uniform(0.02, 1.0, (3, len(grounded.policy_names)))
        response = chain.at(some)
        for c, competence in enumerate(some):
            expected = grounded.start @ rule_values(grounded, competence, solution.actions)
            assert np.isclose(response.value[c], expected, rtol=1e-5, atol=1e-7), seed
        for u in range(len(grounded.policy_names)):
            others = rng.uniform(0.02, 1.0, (3, 2))
            found = response.changed(u, others)
            for c, t in np.ndindex(others.shape):
                competence = some[c].copy()
                competence[u] = others[c, t]
                expected = grounded.start @ rule_values(grounded, competence, solution.actions)
                assert np.isclose(found[c, t], expected, rtol=1e-5, atol=1e-7), (seed, u)
                compared += u in response.used
    assert compared > 100


def test_a_rule_that_relies_on_what_never_succeeds_is_worth_nothing() -> None:
    for seed in range(count(100)):
        rng = np.random.default_rng(seed)
        task = random_task(rng, product_form=True)
        grounded = ground(task)
        chain = rule_chain(grounded, solve(grounded, np.ones(len(task.policies))))
        assert abs(float(chain.at(np.zeros((1, len(task.policies)))).value[0]) - chain.rest) < 1e-6
