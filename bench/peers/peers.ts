import { copyFileSync, writeFileSync } from "node:fs";
import { repository } from "../servers.ts";

/** Another mock server that is compared with resource-mock by a GET of one resource. */
export interface Peer {
  /** The name of the npm package. */
  name: string;
  /** The content of the response and the work behind it. */
  serves: string;
  /** The path of the resource. */
  path: string;
  /** Returns the arguments of Node for the path of the package's command and a port. */
  args(bin: string, port: string): string[];
}

/** The resource and the OpenAPI document of resource-mock, from which the peers serve. */
export interface Material {
  resource: object;
  openapi: string;
}

export const resourcePath = "/bench/resource/some-id";

/** The peers, with their defaults except for request logs. */
export const peers: readonly Peer[] = [
  {
    name: "resource-mock",
    serves: "a resource from versioned state; validates the request, and records it in the journal and the coverage",
    path: resourcePath,
    args: (bin, port) => [bin, "--port", port, "--host", "127.0.0.1", "--log", "off"],
  },
  {
    name: "@stoplight/prism-cli",
    serves: "the example in our OpenAPI document; validates request and response",
    path: resourcePath,
    args: (bin, port) => [bin, "mock", "openapi.json", "--port", port, "--verboseLevel", "silent"],
  },
  {
    name: "@mockoon/cli",
    serves: "a newly generated response from the schema in our OpenAPI document; keeps the request in its log",
    path: resourcePath,
    args: (bin, port) => [bin, "start", "--data", "openapi.json", "--hostname", "127.0.0.1", "--port", port],
  },
  {
    name: "json-server",
    serves: "the same resource from a JSON file",
    path: "/resource/some-id",
    args: (bin, port) => [bin, "db.json", "--host", "127.0.0.1", "--port", port, "--quiet"],
  },
  {
    name: "@labdigital/commercetools-mock",
    serves: "a category from versioned state",
    path: "/bench/categories/some-id",
    args: (_bin, port) => ["category.mjs", port],
  },
];

/** Writes the files that the peers need into a folder. */
export function provide(folder: string, { resource, openapi }: Material): void {
  writeFileSync(`${folder}/openapi.json`, openapi);
  writeFileSync(`${folder}/db.json`, JSON.stringify({ resource: [{ id: "some-id", ...resource }] }));
  copyFileSync(`${repository}bench/peers/category.mjs`, `${folder}/category.mjs`);
}
