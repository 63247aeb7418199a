"""What every question is made of: its parameters, the foes it is asked against, builds seated before them, and what a simulation says beside exact figures."""
