"""What every room builds on: the clock that limits work, and files that notice damage."""
