const { setTimeout } = require("node:timers/promises");

const MAX_ATTEMPTS = 3;

/**
 * Returns a client that retries, but never gets a new token: after a 401, it sends the expired token again.
 *
 * @param {string} baseUrl the address of the service with the project key
 * @param {() => Promise<string>} getToken gets an access token
 */
function createForgetfulClient(baseUrl, getToken) {
  /** @type {Promise<string> | undefined} */
  let token;

  /** Sets `someProperty` of a resource. If another client changes the resource at the same time, reads it again. */
  async function setSomeProperty(id, someProperty) {
    const path = `/resource/${encodeURIComponent(id)}`;
    for (let attempt = 1; ; attempt++) {
      const { version } = (await send("GET", path)).body;
      const actions = [{ action: "changeSomeProperty", someProperty }];
      const { status, body } = await send("POST", path, { version, actions });
      if (status === 200) return body;
      if (status !== 409 || attempt === MAX_ATTEMPTS) throw new Error(`the service returned ${status}`);
    }
  }

  /** Sends a request, and repeats it after a broken connection and while the service is not available. */
  async function send(method, path, content) {
    token ??= getToken();
    const headers = { Authorization: `Bearer ${await token}`, "Content-Type": "application/json" };
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await fetch(baseUrl + path, { method, headers, body: content && JSON.stringify(content) });
        const body = await response.json();
        if (![429, 503].includes(response.status) || attempt === MAX_ATTEMPTS) return { status: response.status, body };
        await setTimeout(1000 * Number(response.headers.get("Retry-After") ?? 1));
      } catch (error) {
        if (attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  return { setSomeProperty };
}

module.exports = { createForgetfulClient };
