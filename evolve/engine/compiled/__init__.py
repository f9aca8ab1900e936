"""How kernels are compiled and cached, and the instructions that numba lacks."""
