"""Our agents for other people's programs: engines that speak GTP and NBoard."""
