"""Engines that speak GTP and NBoard, so that other programs can use our agents."""
