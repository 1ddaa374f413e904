"""Breakfast: two arms make toast, or hot oatmeal, which is worth more."""
