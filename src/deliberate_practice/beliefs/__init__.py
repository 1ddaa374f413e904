"""What outcomes say about how practice raises competence."""
