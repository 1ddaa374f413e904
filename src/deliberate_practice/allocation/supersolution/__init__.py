"""An upper bound for tasks whose decision rules are not plans: the log-separable supersolution."""
