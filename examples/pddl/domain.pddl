; Put things away into drawers. An open drawer blocks the ones below it.
(define (domain kitchen)
  (:requirements :strips :typing :negative-preconditions)
  (:types
    cup plate - thing
    drawer)
  (:predicates
    (on-table ?o - thing)
    (on-floor ?o - thing)
    (in ?o - thing ?d - drawer)
    (holding ?o - thing)
    (hand-empty)
    (open ?d - drawer)
    (uppermost ?d - drawer)
    (above ?upper ?lower - drawer))

  (:action pick
    :parameters (?o - thing)
    :precondition (and (on-table ?o) (hand-empty))
    :effect (and (holding ?o) (not (on-table ?o)) (not (hand-empty))))

  (:action close
    :parameters (?d - drawer)
    :precondition (and (open ?d) (hand-empty))
    :effect (not (open ?d)))

  ; The drawer above must be closed.
  (:action place-below
    :parameters (?o - thing ?d ?upper - drawer)
    :precondition (and (holding ?o) (open ?d) (above ?upper ?d) (not (open ?upper)))
    :effect (and (in ?o ?d) (hand-empty) (not (holding ?o))))

  (:action place-top
    :parameters (?o - thing ?d - drawer)
    :precondition (and (holding ?o) (uppermost ?d) (open ?d))
    :effect (and (in ?o ?d) (hand-empty) (not (holding ?o)))))
