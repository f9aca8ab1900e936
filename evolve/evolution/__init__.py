"""The run of an evolution: its loop, checkpoint, panel, play-off and ancestry."""
