#!/bin/sh
# Starts what every container of the image runs. evolve uses no folder of kernels that it cannot add
# to; under a read-only root it gets a copy in memory, of some megabytes.
set -e
if [ ! -w "$EVOLVE_CACHE_DIR" ]; then
  [ -e /dev/shm/cache ] || cp -r "$EVOLVE_CACHE_DIR" /dev/shm/cache
  export EVOLVE_CACHE_DIR=/dev/shm/cache
fi
exec "$@"
