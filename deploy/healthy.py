"""Ends with 0 if the service in this container answers, else with 1 and the reason.

    python healthy.py [PORT]

It asks as any client does, with the token in EVOLVE_TOKEN.
"""

from __future__ import annotations

import os
import sys
import urllib.request

port = sys.argv[1] if len(sys.argv) > 1 else "8765"
question = urllib.request.Request(
    f"http://127.0.0.1:{port}/api/v1/health",
    headers={"Authorization": f"Bearer {os.environ.get('EVOLVE_TOKEN', '')}"},
)
try:
    with urllib.request.urlopen(question, timeout=5) as answer:
        answer.read()
except OSError as error:
    sys.exit(f"the service does not answer: {error}")
