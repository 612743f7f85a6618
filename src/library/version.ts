import manifest from "../../package.json" with { type: "json" };

/** The version of resource-mock, as its package says it. */
export const version: string = manifest.version;
