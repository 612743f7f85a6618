/**
 * A client of the service that holds a token, and gets itself a new one when the service does not take it any more.
 *
 * @param {string} baseUrl the service's address with the project key
 * @param {() => Promise<string>} getToken gets a new access token
 */
function createServiceClient(baseUrl, getToken) {
  /** @type {Promise<string> | undefined} */
  let token;

  /**
   * Deletes a resource; one that is not there any more is as good as deleted.
   *
   * @param {string} id
   */
  async function deleteResource(id) {
    let response = await send("DELETE", id);
    if (response.status === 401) {
      token = undefined;
      response = await send("DELETE", id);
    }
    if (!response.ok && response.status !== 404) throw new Error(`the service answered ${response.status}`);
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
