// Addresses of pages: the hash, such as #/run/ID/generations/12?individual=x.

import { useEffect, useState } from "./html.js";

/** Parts of a path, encoded, with a query whose empty values are left out. */
export function address(parts, query = {}) {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of [value].flat()) if (item || item === 0) pairs.append(name, item);
  }
  const path = parts.map((part) => encodeURIComponent(part).replaceAll("%3A", ":")).join("/");
  return pairs.size ? `${path}?${pairs}` : path;
}

export const to = (parts, query) => `#/${address(parts, query)}`;

export function go(where) {
  location.hash = where;
}

export function currentRoute() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  return { parts: path.split("/").filter(Boolean).map(decode), query: new URLSearchParams(query) };
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Put what a page shows into its address, without another step of the browser's history. */
export function setQuery(changes) {
  const { parts, query } = currentRoute();
  for (const [name, value] of Object.entries(changes)) query.set(name, value ?? "");
  const kept = Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)]));
  history.replaceState(null, "", to(parts, kept));
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
