"""The paper's bilinear program: built as data, solved by SCIP or Gurobi."""
