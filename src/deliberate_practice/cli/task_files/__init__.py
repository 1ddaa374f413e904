"""Commands on task files: check them, and write a first one."""
