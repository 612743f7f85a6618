import { type ErrorDetail, isPathSegment, MAX_ID, shown } from "../contract/index.ts";

/** The key of the project with the token requests that name no project. Paths of the service cannot contain it. */
export const TOKEN_PROJECT = "oauth";

/** Returns the problem of a project key that is too long or reserved for the control API and the token endpoint. */
export function keyProblem(projectKey: string, isInPath: boolean): ErrorDetail | undefined {
  if (projectKey.startsWith("__") || (projectKey === TOKEN_PROJECT && isInPath)) {
    const message = `projectKey: expected a key that is not reserved, found "${projectKey.slice(0, 100)}". "oauth" and keys that start with "__" are reserved.`;
    return { code: "EndpointNotFound", message };
  }
  if (projectKey === "" || projectKey.length > MAX_ID) {
    const message = `projectKey: expected 1 to ${MAX_ID} characters, found ${projectKey.length}`;
    return { code: "InvalidField", message, field: "projectKey" };
  }
  if (!isPathSegment(projectKey)) {
    const message = `projectKey: expected a text other than "." and "..", of whole Unicode characters, found ${shown(projectKey)}`;
    return { code: "InvalidField", message, field: "projectKey" };
  }
  return undefined;
}
