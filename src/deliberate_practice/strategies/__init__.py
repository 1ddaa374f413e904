"""Strategies, which choose the policy to practise next."""
