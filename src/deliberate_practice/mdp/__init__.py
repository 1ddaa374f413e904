"""The abstract MDP of a task: its states, their values, and the routes between them."""
