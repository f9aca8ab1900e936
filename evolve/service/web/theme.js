// Sets light or dark before anything is drawn. A classic script, so that no page flashes.
"use strict";
{
  let theme = "auto";
  try {
    theme = localStorage.getItem("evolve-theme") || "auto";
  } catch {
    // Storage is forbidden here: what the system wishes holds.
  }
  document.documentElement.dataset.theme = theme;
}
