import { invalidField, MAX_NAME, percentDecoded, ServiceError, shown } from "../contract/index.ts";

/** The pattern of the name of a sandbox. */
export const SANDBOX_NAME = new RegExp(`^[A-Za-z0-9._-]{1,${MAX_NAME}}$`);

/** The pattern in words. */
export const NAME_RULE = `1 to ${MAX_NAME} of the characters A-Z, a-z, 0-9, ".", "_" and "-"`;

/** Returns the key of the project that holds this sandbox of a project. */
export function sandboxKey(projectKey: string, name: string): string {
  return `${projectKey}~${name}`;
}

/** Returns the name of the sandbox in a project key such as `shop~t1`; undefined for the key of a plain project. */
export function sandboxOf(projectKey: string): string | undefined {
  const tilde = projectKey.lastIndexOf("~");
  if (tilde < 1) return undefined;
  const name = projectKey.slice(tilde + 1);
  return SANDBOX_NAME.test(name) ? name : undefined;
}

/** The request headers that select a sandbox, as the `Vary` header of responses lists them. */
export const SANDBOX_HEADERS = "Mock-Sandbox, baggage";

/** The key of the baggage member that contains the name of a sandbox. */
const BAGGAGE_KEY = "mock-sandbox";

/** The sandbox of a request, and the header that selects it. */
export interface SelectedSandbox {
  readonly name: string;
  readonly header: "Mock-Sandbox" | "baggage";
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Returns the sandbox that the headers select: the header `Mock-Sandbox`, or else the member `mock-sandbox` of the
 * header `baggage`. Returns undefined for most requests, which select none. Throws InvalidField for an invalid name:
 * serving the request in the plain project would mix the data of tests.
 *
 * @param headers the headers by lower-case name
 */
export function selectedSandbox(headers: Headers): SelectedSandbox | undefined {
  const { "mock-sandbox": given, baggage } = headers;
  if (given !== undefined) return checked(String(given), "Mock-Sandbox", "Mock-Sandbox");
  if (baggage === undefined) return undefined;
  const value = baggageValue(String(baggage), BAGGAGE_KEY);
  return value === undefined ? undefined : checked(value, "baggage", `baggage, member ${BAGGAGE_KEY}`);
}

function checked(name: string, header: SelectedSandbox["header"], location: string): SelectedSandbox {
  if (SANDBOX_NAME.test(name)) return { name, header };
  const message = `${location}: expected the name of a sandbox, ${NAME_RULE}, found ${shown(name)}`;
  throw new ServiceError({ ...invalidField("", message), field: header });
}

/**
 * Returns the value of a key in a `baggage` header (W3C Baggage), percent-decoded; undefined if no member has this key.
 * Several headers arrive as one text, joined by commas. Ignores the properties of members. If several members have the
 * key, the last one wins, as in OpenTelemetry. A member without `=` has an empty value. A value with an invalid
 * percent-encoding stays as it is.
 */
export function baggageValue(baggage: string, key: string): string | undefined {
  let found: string | undefined;
  for (const member of baggage.split(",")) {
    const end = member.indexOf(";");
    const pair = end === -1 ? member : member.slice(0, end);
    const equals = pair.indexOf("=");
    const name = equals === -1 ? pair : pair.slice(0, equals);
    if (name.trim() === key) found = equals === -1 ? "" : pair.slice(equals + 1).trim();
  }
  return found === undefined ? undefined : percentDecoded(found);
}
