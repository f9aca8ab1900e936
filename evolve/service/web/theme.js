// Sets light or dark before anything is drawn. A classic script, so that no page flashes.
"use strict";
try {
  document.documentElement.style.colorScheme = localStorage.getItem("evolve-theme");
} catch {
  // No storage here: what the system wishes holds.
}
