// Requests to the REST API: JSON, and errors as problem documents.

export { address as path } from "./router.js";

const ROOT = new URL("api/v1/", document.baseURI);

/** What the API answered instead: a problem document (RFC 9457). Status 0: it did not answer. */
class ApiError extends Error {
  constructor({ status, title, detail, errors = [] }) {
    super(detail || title);
    Object.assign(this, { status, title, errors });
  }
}

async function request(method, where, { body, headers, signal } = {}) {
  const json = body && { "Content-Type": "application/json" };
  let response;
  try {
    response = await fetch(new URL(where, ROOT), { method, signal, headers: { ...json, ...headers }, body: body && JSON.stringify(body) });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError({ status: 0, title: "No answer", detail: "The server does not answer." });
  }
  if (response.ok) return response.status === 204 ? null : response.json();
  if (response.status === 401) document.dispatchEvent(new Event("evolve-token"));
  const problem = await response.json().catch(() => ({}));
  throw new ApiError({ title: response.statusText, ...problem, status: response.status });
}

export const get = (where, signal) => request("GET", where, { signal });
export const post = (where, body = {}, options = {}) => request("POST", where, { body, ...options });
export const remove = (where) => request("DELETE", where);

export const giveToken = (token) => post("session", { token });

