// Addresses of pages: the hash, such as #/run/ID/generations/12?individual=x.

import { useEffect, useState } from "./html.js";

/** What the hash says: its parts, decoded, and its query. */
export function currentRoute() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return {
    parts: path.split("/").filter(Boolean).map(decode),
    path,
    query: new URLSearchParams(query),
  };
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a page: its parts are encoded, empty values of the query left out. */
export function to(parts, query = {}) {
  const path = parts.map((part) => encodeURIComponent(part).replaceAll("%3A", ":"));
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) {
      if (one !== undefined && one !== null && one !== "") pairs.append(name, one);
    }
  }
  const text = pairs.toString();
  return `#/${path.join("/")}${text ? `?${text}` : ""}`;
}

export function go(address) {
  location.hash = address;
}

/** Put what a page shows into its address, without another step of the browser's history. */
export function setQuery(changes) {
  const { path, query } = currentRoute();
  for (const [name, value] of Object.entries(changes)) {
    if (value === "" || value === null || value === undefined) query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  history.replaceState(null, "", `#/${path}${text ? `?${text}` : ""}`);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useRoute() {
  const [route, setRoute] = useState(currentRoute);
  useEffect(() => {
    const changed = () => setRoute(currentRoute());
    window.addEventListener("hashchange", changed);
    return () => window.removeEventListener("hashchange", changed);
  }, []);
  return route;
}
