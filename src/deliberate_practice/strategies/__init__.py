"""Which skill to practise next."""
