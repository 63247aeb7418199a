"""The room below the games: what several of them share, with no game's own rule in it."""
