/** A resource, with the members that this client reads. */
interface Resource {
  version: number;
}

/** How often to attempt a change that conflicts with changes of other clients. */
const MAX_ATTEMPTS = 3;

/**
 * Sets `someProperty` of a resource. If another client changes the resource at the same time, reads the resource again
 * and retries with its new version.
 *
 * @param baseUrl the address of the service with the project key
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
  if (!response.ok) throw new Error(`the service returned ${response.status}: ${await response.text()}`);
  return response.json() as Promise<Resource>;
}
