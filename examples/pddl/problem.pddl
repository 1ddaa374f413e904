(define (problem tidy-up)
  (:domain kitchen)
  (:objects
    blue-cup - cup
    big-plate - plate
    top bottom - drawer)
  (:init
    (hand-empty)
    (on-table blue-cup) (on-table big-plate)
    (open top) (open bottom)
    (uppermost top) (above top bottom))
  (:goal (and (in blue-cup top) (in big-plate bottom))))
