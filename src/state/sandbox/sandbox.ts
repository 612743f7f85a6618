import { invalidField, ServiceError, shown } from "../../contract/index.ts";
import { baggageValue } from "./baggage.ts";
import { NAME_RULE, SANDBOX_NAME } from "./name.ts";

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
 * Returns the sandbox that the headers select: the header `Mock-Sandbox`, or else the member `mock-sandbox` of the header
 * `baggage`. Returns undefined for most requests, which select none. Throws InvalidField for an invalid name: serving the
 * request in the plain project would mix the data of tests.
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
