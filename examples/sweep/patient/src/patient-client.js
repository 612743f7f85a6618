import { setTimeout } from "node:timers/promises";

const MAX_ATTEMPTS = 3;

/**
 * Returns a client that survives each failure that passes: it waits, connects again, gets a new token, and reads a resource
 * again that another client has changed.
 *
 * @param {string} baseUrl the address of the service with the project key
 * @param {() => Promise<string>} getToken gets a new access token
 */
export function createPatientClient(baseUrl, getToken) {
  /** @type {Promise<string> | undefined} */
  let token;

  /** Returns the items of the cart. */
  async function cartItems() {
    return (await send("GET", "/resource/namespace-action-with-example")).body.lineItems;
  }

  /** Sets `someProperty` of a resource. If another client changes the resource at the same time, reads it again. */
  async function setSomeProperty(id, someProperty) {
    const path = `/resource/${encodeURIComponent(id)}`;
    for (let attempt = 1; ; attempt++) {
      const { version } = (await send("GET", path)).body;
      const actions = [{ action: "changeSomeProperty", someProperty }];
      // If only the response is lost, the repeated request conflicts with the first one.
      const { status, body } = await send("POST", path, { version, actions });
      if (status === 200) return body;
      if (status !== 409 || attempt === MAX_ATTEMPTS) throw new Error(`the service returned ${status}`);
    }
  }

  /** Sends a request, and repeats it after each failure that can pass. */
  async function send(method, path, content) {
    for (let attempt = 1; ; attempt++) {
      try {
        token ??= getToken();
        const headers = { Authorization: `Bearer ${await token}`, "Content-Type": "application/json" };
        const response = await fetch(baseUrl + path, { method, headers, body: content && JSON.stringify(content) });
        const body = await response.json();
        if (![401, 429, 503].includes(response.status) || attempt === MAX_ATTEMPTS) {
          return { status: response.status, body };
        }
        if (response.status === 401) token = undefined;
        else await setTimeout(1000 * Number(response.headers.get("Retry-After") ?? 1));
      } catch (error) {
        if (attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  return { cartItems, setSomeProperty };
}
