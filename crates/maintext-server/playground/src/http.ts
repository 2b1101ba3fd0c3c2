// The backend that asks a running service.
import { Problem } from "./backend";

const TOKEN = "maintext-token";

export const token = {
  get: () => sessionStorage.getItem(TOKEN) ?? "",
  set: (value: string) => sessionStorage.setItem(TOKEN, value),
};

export async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (token.get()) headers.set("Authorization", `Bearer ${token.get()}`);
  const response = await fetch(path, { ...init, headers });
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  // Firecrawl's routes call the reason "error", MCP calls it "error.message".
  const detail = problem.detail ?? problem.error?.message ?? problem.error;
  throw new Problem(problem.code ?? "", detail ?? `${response.status} ${response.statusText}`);
}

export async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await call(path, signal ? { ...init, signal } : init);
  return response.json();
}
