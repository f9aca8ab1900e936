// Requests to the REST API: JSON, errors as problem documents, the token, downloads.

export { address as path } from "./router.js";

const ROOT = new URL("api/v1/", document.baseURI);
const TOKEN = "evolve-token";

/** What the API answered instead: a problem document (RFC 9457). Status 0: it did not answer. */
class ApiError extends Error {
  constructor(problem) {
    super(problem.detail || problem.title);
    this.status = problem.status;
    this.title = problem.title;
    this.errors = problem.errors || [];
  }
}

export function token() {
  try {
    return sessionStorage.getItem(TOKEN);
  } catch {
    return null;
  }
}

export function setToken(text) {
  sessionStorage.setItem(TOKEN, text);
}

export function authorization() {
  const given = token();
  return given ? { Authorization: `Bearer ${given}` } : {};
}

async function send(method, where, { body, headers = {}, signal } = {}) {
  let response;
  try {
    response = await fetch(new URL(where, ROOT), {
      method,
      signal,
      headers: {
        Accept: "application/json",
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...authorization(),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError({ status: 0, title: "No answer", detail: "The server does not answer." });
  }
  if (response.ok) return response;
  if (response.status === 401) document.dispatchEvent(new Event("evolve-token"));
  const problem = await response.json().catch(() => ({}));
  throw new ApiError({ title: response.statusText, detail: "", ...problem, status: response.status });
}

async function request(method, where, options) {
  const response = await send(method, where, options);
  return response.status === 204 ? null : response.json();
}

export const get = (where, signal) => request("GET", where, { signal });
export const post = (where, body = {}, options = {}) => request("POST", where, { body, ...options });
export const remove = (where) => request("DELETE", where);

/** A key for a request that must not be carried out twice. */
export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Save a file of the API where a link alone would not do, because the token goes into a header. */
export async function save(where, name) {
  const response = await send("GET", where);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
