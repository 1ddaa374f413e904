"""The tasks of the paper, each a task with its scene and skills side by side."""
