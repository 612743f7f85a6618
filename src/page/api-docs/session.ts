import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import { type Api, type ApiName, apiOf, type OpenApiDocument } from "./document.ts";
import type { Draft } from "./request.ts";

/** The session storage key of the admin token. The dashboard uses the same key, so a tab prompts for the token once. */
const TOKEN = "resource-mock.admin-token";

/** Returns the admin token that the user entered in this tab, or an empty text. */
export function storedToken(): string {
  return sessionStorage.getItem(TOKEN) ?? "";
}

/** Keeps the admin token as long as the tab is open; an empty text removes it. */
export function storeToken(token: string): void {
  if (token === "") sessionStorage.removeItem(TOKEN);
  else sessionStorage.setItem(TOKEN, token);
}

/** Returns whether a header can contain the token. */
export function isSendable(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

/** The OpenAPI documents of the mock, below `/__admin`. */
export const documents: Readonly<Record<ApiName, string>> = { service: "contract.json", control: "openapi.json" };

/** Loads both documents from the mock. Returns "unauthorized" if the mock requires another admin token. */
export async function loadApis(adminToken: string): Promise<readonly Api[] | "unauthorized"> {
  const [service, control] = await Promise.all([load(documents.service), load(documents.control)]);
  if (!service || !control) return "unauthorized";
  return [apiOf("service", "Service API", service), apiOf("control", "Control API", control)];

  async function load(name: string): Promise<OpenApiDocument | undefined> {
    const headers: HeadersInit = adminToken ? { Authorization: `Bearer ${adminToken}` } : {};
    const response = await fetch(`/__admin/${name}`, { headers });
    if (response.status === 401) return undefined;
    if (!response.ok) throw new Error(`GET /__admin/${name} returned ${response.status}`);
    return response.json();
  }
}

/** Calls the control API. Returns the JSON body; throws an Error with the message of the mock. */
export async function callControl<T>(adminToken: string, path: string, init: RequestInit = {}): Promise<T> {
  const headers: HeadersInit = {
    ...(init.body !== undefined && { "Content-Type": "application/json" }),
    ...(adminToken && { Authorization: `Bearer ${adminToken}` }),
  };
  const response = await fetch(`/__admin${path}`, { ...init, headers }).catch(() => undefined);
  if (!response) throw new Error("The mock did not respond.");
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(body.detail ?? `The mock returned ${response.status}.`);
  return body;
}

/** The state that the forms of all operations share. */
export interface Session {
  readonly adminToken: string;
  /** The bearer token for the service. */
  readonly token: string;
  setToken(token: string): void;
  /** The key of the project that the forms start with. */
  readonly projectKey: string | undefined;
  /** Absent if the page is about this project only: the forms then have no field for the key. */
  setProjectKey?(key: string): void;
  /** Shows the journal entry of a response in its place, instead of a link to the entry. */
  renderEntry?(projectKey: string, requestId: string): ComponentChildren;
  /** The forms that the user changed, by operation. */
  readonly drafts: Map<`${ApiName}/${string}`, Draft>;
}

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("useSession: expected a SessionContext.Provider around the component, found none");
  return session;
}
