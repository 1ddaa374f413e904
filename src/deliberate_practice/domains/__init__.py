"""The domains of the paper, each a task with its scenes, skills and measured priors."""
