import { MAX_NAME } from "../../contract/index.ts";

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
