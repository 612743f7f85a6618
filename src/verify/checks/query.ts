import { isObject } from "../../text/json.ts";
import { claim, needs } from "../outcome.ts";
import { neededResults, type Reply, versionIn } from "../reply.ts";
import type { Service } from "../service.ts";
import type { Definition } from "./define.ts";

/** The names of the basic checks of queries. The finer ones need them: a service that ignores `sort` also ignores bad keys. */
export const limitWorks = "queryWithSortedParameters: limit bounds the results";
export const offsetWorks = "queryWithSortedParameters: offset skips results";
export const sortWorks = "queryWithSortedParameters: sort orders the results";
export const whereWorks = "queryWithSortedParameters: where selects the matching resources";

export const id = "queryWithSortedParameters";

export type Query = readonly (readonly [name: string, value: string])[];

/** Returns a check that the service rejects a query with 400. */
export function rejected(text: string, query: Query, more: Pick<Definition, "row" | "expected" | "needs">): Definition {
  return {
    claim: `${text} is 400`,
    ...more,
    async attempt(service) {
      const { status, seen } = await service.send(id, { query });
      claim(status === 400, seen);
      return seen;
    },
  };
}

interface Labelled {
  /** A predicate that selects the three resources. */
  readonly where: string;
}

const labelledBy = new WeakMap<Service, Promise<Labelled>>();

/** Creates three resources with the labels `one`, `two` and `none`, once for each run. */
export function labelled(service: Service): Promise<Labelled> {
  const known = labelledBy.get(service) ?? createLabelled(service);
  labelledBy.set(service, known);
  return known;
}

async function createLabelled(service: Service): Promise<Labelled> {
  const mark = service.newName();
  const contents = {
    one: { arrayOfIntExample: [1, 2], arrayOfFloatExample: [0.5, 0.75] },
    two: { arrayOfIntExample: [2, 3], arrayOfFloatExample: [0.25], arrayOfObjectType: [{ integerExample: 2 }] },
    none: { arrayOfIntExample: [4], arrayOfFloatExample: undefined, arrayOfNumberNoDefaultsExample: [] },
  };
  for (const [label, content] of Object.entries(contents)) {
    const { isOk, seen } = await service.send("createResource", { json: service.draft(content, mark, label) });
    needs(isOk, `three resources; ${seen}`);
  }
  return { where: markedBy(mark) };
}

/** Returns a predicate that selects the resources with a mark. */
export function markedBy(mark: string): string {
  return `objectTypeProperty(arrayOfStringExample contains any (${JSON.stringify(mark)}))`;
}

/** Returns the labels of the results of a query, in their order if the query has `sort`, and otherwise sorted. */
export async function labelsOf(service: Service, query: Query): Promise<string> {
  const labels = labelsList(await pageOf(service, query));
  return (query.some(([name]) => name === "sort") ? labels : labels.sort()).join(" ");
}

export function labelsIn(reply: Reply): string {
  return labelsList(reply).sort().join(" ");
}

function labelsList(reply: Reply): string[] {
  return neededResults(reply).map(({ objectTypeProperty }) => {
    const texts = isObject(objectTypeProperty) ? objectTypeProperty.arrayOfStringExample : undefined;
    const label: unknown = Array.isArray(texts) ? texts[2] : undefined;
    // Resources of others have no label.
    return label === "one" || label === "two" || label === "none" ? label : "other";
  });
}

/** Creates two resources with different content. */
export async function several(service: Service) {
  const create = async () => {
    const { send, draft } = service;
    const json = draft();
    const reply = await send("createResource", { json });
    needs(reply.isOk, `two resources; ${reply.seen}`);
    const [, segment] = /\/resource\/([^/]+)$/.exec(reply.header("location") ?? "") ?? [];
    return segment === undefined ? {} : { resource: { id: segment, version: versionIn(reply), draft: json } };
  };
  return [await create(), await create()] as const;
}

/** Returns the response with a page. Throws Skip without one. */
export async function pageOf(service: Service, query: Query): Promise<Reply> {
  const reply = await service.send(id, { query });
  needs(reply.isOk && isObject(reply.json), `a page; ${reply.seen}`);
  return reply;
}

/** Returns the results of a page. Throws Skip without them. */
export async function resultsOf(service: Service, query: Query) {
  return neededResults(await pageOf(service, query));
}
