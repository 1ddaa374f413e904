"""Sessions over HTTP: for robots on other computers, and for the people around them."""
