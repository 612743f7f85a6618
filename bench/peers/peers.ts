import { copyFileSync, writeFileSync } from "node:fs";
import { repository } from "../servers.ts";

/** A mock server, and how it comes to answer a GET of one resource. */
export interface Peer {
  /** Its package's name. */
  name: string;
  /** What it does to answer. */
  serves: string;
  /** The path of the resource. */
  path: string;
  /** Node's arguments, given the script of the package's command and a port. */
  args(bin: string, port: string): string[];
}

/** The resource as resource-mock answers it, and the interface as it prints it. */
export interface Material {
  resource: object;
  openapi: string;
}

export const resourcePath = "/bench/resource/some-id";

/** Each with its defaults, but for what it logs about a request. */
export const peers: readonly Peer[] = [
  {
    name: "resource-mock",
    serves: "a resource out of versioned state; the request validated, journaled and counted",
    path: resourcePath,
    args: (bin, port) => [bin, "--port", port, "--host", "127.0.0.1", "--log", "off"],
  },
  {
    name: "@stoplight/prism-cli",
    serves: "the example in our OpenAPI document; request and answer validated",
    path: resourcePath,
    args: (bin, port) => [bin, "mock", "openapi.json", "--port", port, "--verboseLevel", "silent"],
  },
  {
    name: "@mockoon/cli",
    serves: "an answer made up anew from the schema in our OpenAPI document; the request kept in its log",
    path: resourcePath,
    args: (bin, port) => [bin, "start", "--data", "openapi.json", "--hostname", "127.0.0.1", "--port", port],
  },
  {
    name: "json-server",
    serves: "the same resource out of a JSON file",
    path: "/resource/some-id",
    args: (bin, port) => [bin, "db.json", "--host", "127.0.0.1", "--port", port, "--quiet"],
  },
  {
    name: "@labdigital/commercetools-mock",
    serves: "a category out of versioned state",
    path: "/bench/categories/some-id",
    args: (_bin, port) => ["category.mjs", port],
  },
];

/** Puts the files that the peers are started with into a folder. */
export function provide(folder: string, { resource, openapi }: Material): void {
  writeFileSync(`${folder}/openapi.json`, openapi);
  writeFileSync(`${folder}/db.json`, JSON.stringify({ resource: [{ id: "some-id", ...resource }] }));
  copyFileSync(`${repository}bench/peers/category.mjs`, `${folder}/category.mjs`);
}
