/** What the service answers for a resource, as far as this client reads it. */
interface Resource {
  version: number;
}

/** How often a change that lost against another client's is tried again. */
const MAX_ATTEMPTS = 3;

/**
 * Sets `someProperty` of a resource. Where another client changes the resource in between, it is read again and the
 * change is tried again on what it is now.
 *
 * @param baseUrl the service's address with the project key
 */
export async function setSomeProperty(baseUrl: string, id: string, someProperty: string): Promise<Resource> {
  const address = `${baseUrl}/resource/${encodeURIComponent(id)}`;
  for (let attempt = 1; ; attempt++) {
    const { version } = await read(await fetch(address));
    const response = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ version, actions: [{ action: "changeSomeProperty", someProperty }] }),
    });
    const isConflict = response.status === 409;
    if (!isConflict || attempt === MAX_ATTEMPTS) return read(response);
  }
}

async function read(response: Response): Promise<Resource> {
  if (!response.ok) throw new Error(`the service answered ${response.status}: ${await response.text()}`);
  return response.json() as Promise<Resource>;
}
