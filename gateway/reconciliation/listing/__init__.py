"""What operators read of reconciliations: days with their runs, and pages of findings."""
