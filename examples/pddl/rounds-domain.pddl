; A waiter carries drinks on a tray. What is on the tray may be spilt on the way.
(define (domain rounds)
  (:requirements :adl :action-costs :probabilistic-effects)
  (:types place drink)
  (:predicates
    (at ?p - place)
    (stands ?d - drink ?p - place)
    (on-tray ?d - drink)
    (spilt ?d - drink))
  (:functions (distance ?p ?q - place) - number (total-cost) - number)

  (:action load
    :parameters (?d - drink ?p - place)
    :precondition (and (at ?p) (stands ?d ?p))
    :effect (and (on-tray ?d) (not (stands ?d ?p))))

  ; Nobody walks with an empty tray.
  (:action carry
    :parameters (?p ?q - place)
    :precondition (and (at ?p) (not (= ?p ?q)) (exists (?d - drink) (on-tray ?d)))
    :effect (and
      (at ?q) (not (at ?p))
      (increase (total-cost) (distance ?p ?q))
      (forall (?d - drink)
        (when (on-tray ?d)
          (probabilistic 1/20 (and (spilt ?d) (not (on-tray ?d))))))))

  ; Everything on the tray is served at once.
  (:action serve
    :parameters (?p - place)
    :precondition (at ?p)
    :effect (forall (?d - drink)
      (when (on-tray ?d) (and (stands ?d ?p) (not (on-tray ?d)))))))
