/**
 * Returns a client of the service that keeps its token, and gets a new one when the service returns 401.
 *
 * @param {string} baseUrl the address of the service with the project key
 * @param {() => Promise<string>} getToken gets a new access token
 */
function createServiceClient(baseUrl, getToken) {
  /** @type {Promise<string> | undefined} */
  let token;

  /**
   * Deletes a resource. Succeeds if the resource was already deleted.
   *
   * @param {string} id
   */
  async function deleteResource(id) {
    let response = await send("DELETE", id);
    if (response.status === 401) {
      token = undefined;
      response = await send("DELETE", id);
    }
    if (!response.ok && response.status !== 404) throw new Error(`the service returned ${response.status}`);
  }

  /** @type {(method: string, id: string) => Promise<Response>} */
  async function send(method, id) {
    token ??= getToken();
    const headers = { Authorization: `Bearer ${await token}` };
    return fetch(`${baseUrl}/resource/${encodeURIComponent(id)}`, { method, headers });
  }

  return { deleteResource };
}

module.exports = { createServiceClient };
