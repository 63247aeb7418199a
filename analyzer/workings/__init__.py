"""What single questions work out, each in a room of its own: sums and searches over exact rounds and simulated ones, without tables or figures."""
