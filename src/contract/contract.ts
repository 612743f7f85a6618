import type { ErrorFacts } from "./error-form.ts";
import type { Schema } from "./json-schema.ts";
import type { Operation } from "./operation-table.ts";
import { identifierOf, type ResourceType } from "./resource-type.ts";
import type { Claim } from "./response-claims.ts";
import { scopesOf } from "./security.ts";

/** What the documentation of a service says about the whole of it. */
interface ServiceInfo {
  readonly title: string;
  /** The version of the document that describes it. */
  readonly version?: string;
  readonly summary?: string;
  readonly description?: string;
  /** The servers of the real service, as in OpenAPI. */
  readonly servers?: readonly object[];
  readonly tags?: readonly { readonly name: string; readonly description: string }[];
}

/** What the mock assumes where a contract leaves a question open. */
export interface Assumption {
  readonly id: string;
  /** Markdown. */
  readonly behaviour: string;
  /** The ids of the operations that it concerns; undefined if it concerns all, or none in particular. */
  readonly operations?: readonly string[];
}

export interface Assumptions {
  readonly assumptions: readonly Assumption[];
  readonly claims: readonly Claim[];
}

/** The project of requests whose paths name none. */
export const DEFAULT_PROJECT = "default";

/** How requests address the operations of a contract. */
export interface Addresses {
  /** The first parameter of all paths, if it is the project: `projectKey`. Without it, `/{project}` comes before the paths. */
  readonly project?: string;
  /** The paths of the servers. Requests can have one of them before the path of an operation: `/v1`. */
  readonly basePaths: readonly string[];
  /** The URLs of the real service: `https://api.example.com/v1`. */
  readonly servers: readonly string[];
  /**
   * Whether a path belongs to one template for all methods, and a slash at its end is part of it. Otherwise each method is
   * matched by itself, and the last slash has no meaning.
   */
  readonly isStrict: boolean;
}

/** The token endpoints of a service (RFC 6749, 3.2), besides that of the mock. */
export interface TokenEndpoints {
  readonly paths: readonly string[];
  readonly grantTypes: readonly string[];
}

/** A schema for json-schema-faker: a schema with additional keywords (`faker`: a function of Faker). */
export type GeneratorSchema = { readonly [keyword: string]: unknown };

/** Keywords that narrow the schemas of single values, by the name of their member, or of object and member: `color.label`. */
export type Hints = Readonly<Record<string, GeneratorSchema>>;

interface Generator {
  readonly hints: Hints;
  /** Returns an object with members that agree, of which the inner objects agree already. */
  consistent(value: Readonly<Record<string, unknown>>): object;
}

/** The parts that a contract is made of. */
export interface ContractParts {
  readonly info: ServiceInfo;
  readonly operations: readonly Operation[];
  /** The schemas that the OpenAPI document lists under `components/schemas`. */
  readonly schemas?: Readonly<Record<string, Schema>>;
  /** The types of the items in the state. The first one is the default of the control API. */
  readonly types?: readonly ResourceType[];
  readonly addresses?: Partial<Addresses>;
  /** The defaults of settings that differ from those of the mock, by the names of settings. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /**
   * Whether the operations declare every status that they can have. If not, rules can return others, and the response is
   * labelled as off-contract.
   */
  readonly declaresAllStatuses?: boolean;
  /**
   * Whether the operations declare all credentials and scopes that the service accepts. If not, `auth: lenient` refuses only
   * tokens that were issued here and have expired or been revoked: one of their scopes can include those of an operation.
   */
  readonly declaresAllCredentials?: boolean;
  /** All scopes; by default those that the operations require. */
  readonly scopes?: readonly string[];
  readonly tokens?: TokenEndpoints;
  /** Returns the body of an error, if all errors have one form. By default, the schemas of the errors decide. */
  readonly errorBody?: (error: ErrorFacts) => object;
  /** Schemas of values with a meaning in the protocol, such as versions. A varied response keeps these values. */
  readonly protocolValues?: ReadonlySet<Schema>;
  /** The OpenAPI document that the contract was made of, if it comes from one. */
  readonly document?: object;
  /** Loads what makes generated values realistic. */
  readonly generator?: () => Promise<Generator>;
  /** Loads the assumptions, and what they claim about single responses. */
  readonly loadAssumptions?: () => Promise<Assumptions>;
}

/** A service as data. The code outside of `src/services` receives a contract as a parameter, and knows no service. */
export interface Contract extends Required<Omit<ContractParts, "errorBody" | "addresses" | "generator" | "document">> {
  readonly errorBody?: ContractParts["errorBody"];
  readonly generator?: ContractParts["generator"];
  readonly document?: ContractParts["document"];
  readonly addresses: Addresses;
  /** Whether scopes end with the key of the project that they are granted for: `manage_test:{projectKey}`. */
  readonly scopesNameProjects: boolean;
  /** The ids of the operations, in their order. */
  readonly ids: readonly string[];
  find(operationId: string): Operation | undefined;
  typeOf(name: string): ResourceType | undefined;
}

/** Creates a contract from its parts. Throws TypeError if a role names a collection or a path parameter that does not exist. */
export function createContract(parts: ContractParts): Contract {
  const { operations, types = [], addresses } = parts;
  const { project } = addresses ?? {};
  const scopes = [...new Set([...(parts.scopes ?? []), ...operations.flatMap(scopesOf)])].sort();
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  const byName = new Map(types.map((type) => [type.name, type]));
  for (const { id, path, role } of operations) {
    if (role && !byName.has(role.type))
      throw new TypeError(`${id}: expected a type of the contract, found ${role.type}`);
    for (const parameter of identifierOf(role)?.parameters ?? []) {
      if (!path.includes(`{${parameter}}`))
        throw new TypeError(`${id}: expected a parameter of ${path}, found ${parameter}`);
    }
  }
  return {
    schemas: {},
    defaults: {},
    declaresAllStatuses: false,
    declaresAllCredentials: false,
    tokens: { paths: [], grantTypes: ["client_credentials"] },
    protocolValues: new Set(),
    loadAssumptions: async () => ({ assumptions: [], claims: [] }),
    ...parts,
    types,
    scopes,
    scopesNameProjects: scopes.some((scope) => scope.endsWith(`:{${project}}`)),
    addresses: { basePaths: [], servers: [], isStrict: false, ...addresses },
    ids: operations.map(({ id }) => id),
    find: (operationId) => byId.get(operationId),
    typeOf: (name) => byName.get(name),
  };
}
