"""Finding: a query goes in, ranked hits with their evidence come out. Knows versions, not how they are made."""
