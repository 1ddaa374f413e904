"""The abstract MDP of a task: its states, what they are worth, and how to get anywhere."""
