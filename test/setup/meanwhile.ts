import type { MockUnderTest } from "./mock.ts";

/**
 * Sends a request, and health checks one after the other until its response is there. Returns the response and the
 * number of health checks that were answered meanwhile: 0 or 1 if the request kept the server from everything else.
 */
export async function answeredMeanwhile(
  mock: MockUnderTest,
  send: () => Promise<Response>,
): Promise<{ response: Response; answered: number }> {
  let response: Response | undefined;
  const sent = send().then((received) => {
    response = received;
  });
  let answered = 0;
  while (!response) {
    await (await mock.fetch("/__admin/health")).arrayBuffer();
    if (!response) answered++;
    // In process nothing of this waits for input: the long request continues in a later turn of the event loop.
    await new Promise(setImmediate);
  }
  await sent;
  return { response, answered };
}
