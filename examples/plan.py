"""Plan: split a practice budget, see what more time would buy, and draw it.

Run it with ``python examples/plan.py``; it writes ``frontier.png`` into the current folder.
"""

import deliberate_practice as dp

BUDGET = 60

task = dp.load_task("breakfast")  # or the path of your own task file

best = dp.allocate(task, BUDGET)
print(f"With {BUDGET} episodes, aim for {best.goal}: {' -> '.join(best.plan)}")
for policy, episodes in best.allocation.items():
    print(f"  practise {policy} for {episodes} episodes")
print(f"Expected reward {best.value:.3f}, {best.status} (upper bound {best.bound:.3f})")

frontier = dp.frontier(task, max_budget=150)
for budget in (0, 30, 60, 90, 150):
    print(f"budget {budget:3}: reward {frontier.values[budget]:.3f} by {frontier.goals[budget]}")

dp.write_chart(dp.frontier_chart(frontier), "frontier.png")
print("The chart is in frontier.png.")
