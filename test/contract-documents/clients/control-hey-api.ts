import * as sdk from "./control/index.ts";
import { type Calls, present, type Reply, sendImage, sendRequest } from "./reply.ts";

/** Calls the control API with the client that `@hey-api/openapi-ts` generates. It uses the first server of the document. */
export function callsTo(baseUrl: string): Calls<keyof typeof sdk> {
  const draft = { id: "a", key: "k", objectTypeProperty: { arrayOfIntExample: [1] } };

  const addResource = (projectKey: string) => sdk.addResources({ path: { projectKey }, body: draft });
  const takeSnapshot = (projectKey: string) => sdk.takeSnapshot({ path: { projectKey }, body: { name: "s" } });
  const turnOn = (projectKey: string) => sdk.turnOn({ path: { projectKey, name: "slow" }, body: { times: 2 } });
  const addRule = (projectKey: string) =>
    sdk.addRule({
      path: { projectKey },
      body: {
        operation: "updateResource",
        when: { query: { a: { matches: "^b" } } },
        conflict: true,
        latency: { fixed: 0 },
        respond: { status: 503 },
      },
    });
  /** Causes an event, then returns the first event since the start of the server. */
  const firstEvent = async (
    projectKey: string,
    open: (signal: AbortSignal) => Promise<{ stream: AsyncIterable<unknown> }>,
  ): Promise<Reply> => {
    await sendRequest(baseUrl, projectKey);
    const controller = new AbortController();
    const { stream } = await open(controller.signal);
    for await (const data of stream) {
      controller.abort();
      return { data: JSON.stringify(data) };
    }
    throw new Error("the stream has ended without an event");
  };
  const headers = { "Last-Event-ID": "0" };

  return {
    getHealth: () => sdk.getHealth(),
    getContract: () => sdk.getContract(),
    getControlApi: () => sdk.getControlApi(),
    resetAll: () => sdk.resetAll(),
    getDashboard: () => sdk.getDashboard(),
    getCaCertificate: () => sdk.getCaCertificate({ parseAs: "text" }),
    getDocs: () => sdk.getDocs(),
    listProjects: () => sdk.listProjects({ query: { limit: 10, offset: 0 } }),
    getProject: async (projectKey) => {
      await addResource(projectKey);
      return sdk.getProject({ path: { projectKey } });
    },
    closeProject: (projectKey) => sdk.closeProject({ path: { projectKey } }),
    resetProject: (projectKey) => sdk.resetProject({ path: { projectKey } }),
    exportArchive: (projectKey) => sdk.exportArchive({ path: { projectKey } }),
    restoreArchive: async (projectKey) => {
      const { data } = await sdk.exportArchive({ path: { projectKey } });
      if (!data) throw new Error("expected an archive");
      return sdk.restoreArchive({ path: { projectKey }, body: data });
    },
    exportState: (projectKey) => sdk.exportState({ path: { projectKey } }),
    replaceState: (projectKey) =>
      sdk.replaceState({ path: { projectKey }, body: { resources: [draft], lastWritten: "a" } }),
    readStoredNamespaceAction: (projectKey) => sdk.readStoredNamespaceAction({ path: { projectKey } }),
    setNamespaceAction: (projectKey) => sdk.setNamespaceAction({ path: { projectKey }, body: { body: { points: 1 } } }),
    clearNamespaceAction: (projectKey) => sdk.clearNamespaceAction({ path: { projectKey } }),
    listResources: (projectKey) =>
      sdk.listResources({
        path: { projectKey },
        query: { q: "e", where: "version > 0", sort: "version desc", limit: 2, offset: 1 },
      }),
    addResources: async (projectKey) => {
      await sdk.addResources({ path: { projectKey }, body: [draft] });
      return sdk.addResources({ path: { projectKey }, body: { generate: 2, seed: 1 } });
    },
    readResource: async (projectKey) => {
      await addResource(projectKey);
      return sdk.readResource({ path: { projectKey, id: "a" } });
    },
    writeResource: async (projectKey) => {
      await addResource(projectKey);
      const path = { projectKey, id: "a" };
      return sdk.writeResource({ path, headers: { "If-Match": "*" }, body: { ...draft, version: 3 } });
    },
    removeResource: async (projectKey) => {
      await addResource(projectKey);
      return sdk.removeResource({ path: { projectKey, id: "a" } });
    },
    addImage: (projectKey) =>
      sdk.addImage({ path: { projectKey }, body: { contentType: "image/gif", base64: "R0lGODlh" } }),
    removeImage: async (projectKey) => {
      await sdk.addImage({ path: { projectKey }, body: { id: "i", contentType: "image/gif", base64: "R0lGODlh" } });
      return sdk.removeImage({ path: { projectKey, id: "i" } });
    },
    listImages: async (projectKey) => {
      await sendImage(baseUrl, projectKey);
      return sdk.listImages({ path: { projectKey } });
    },
    readImage: async (projectKey) => {
      await sendImage(baseUrl, projectKey);
      const { data } = await sdk.listImages({ path: { projectKey } });
      const [image] = present(data).images;
      return sdk.readImage({ path: { projectKey, id: present(image).id } });
    },
    listSnapshots: async (projectKey) => {
      await takeSnapshot(projectKey);
      return sdk.listSnapshots({ path: { projectKey } });
    },
    takeSnapshot,
    restoreSnapshot: async (projectKey) => {
      await takeSnapshot(projectKey);
      return sdk.restoreSnapshot({ path: { projectKey, name: "s" } });
    },
    deleteSnapshot: async (projectKey) => {
      await takeSnapshot(projectKey);
      return sdk.deleteSnapshot({ path: { projectKey, name: "s" } });
    },
    listScenarios: () => sdk.listScenarios(),
    getScenario: () => sdk.getScenario({ path: { name: "conflict" } }),
    turnOnForAll: () => sdk.turnOnForAll({ path: { name: "conflict" }, body: { times: 1 } }),
    turnOffForAll: () => sdk.turnOffForAll({ path: { name: "conflict" } }),
    listActiveScenarios: async (projectKey) => {
      await turnOn(projectKey);
      return sdk.listActiveScenarios({ path: { projectKey } });
    },
    turnOn,
    turnOff: (projectKey) => sdk.turnOff({ path: { projectKey, name: "slow" } }),
    listRules: async (projectKey) => {
      await addRule(projectKey);
      return sdk.listRules({ path: { projectKey } });
    },
    addRule,
    clearRules: (projectKey) => sdk.clearRules({ path: { projectKey } }),
    removeRule: async (projectKey) => {
      const { data } = await addRule(projectKey);
      return sdk.removeRule({ path: { projectKey, id: present(data).id } });
    },
    getSettings: (projectKey) => sdk.getSettings({ path: { projectKey } }),
    changeSettings: (projectKey) =>
      sdk.changeSettings({ path: { projectKey }, body: { auth: "strict", latency: { uniform: [0, 1] } } }),
    getClock: (projectKey) => sdk.getClock({ path: { projectKey } }),
    setClock: (projectKey) =>
      sdk.setClock({ path: { projectKey }, body: { now: "2030-01-01T00:00:00Z", frozen: true } }),
    listTokens: (projectKey) => sdk.listTokens({ path: { projectKey } }),
    issueToken: (projectKey) =>
      sdk.issueToken({ path: { projectKey }, body: { scopes: ["manage_test"], expiresIn: 60 } }),
    revokeToken: async (projectKey) => {
      const { data } = await sdk.issueToken({ path: { projectKey } });
      return sdk.revokeToken({ path: { projectKey, token: present(data).access_token } });
    },
    listRequests: async (projectKey) => {
      await sendRequest(baseUrl, projectKey);
      const query = { operation: "getResourceById", status: "2xx", violations: false, limit: 5 } as const;
      return sdk.listRequests({ path: { projectKey }, query });
    },
    listAllRequests: async (projectKey) => {
      await sendRequest(baseUrl, projectKey);
      const query = { operation: "getResourceById,getCart", status: "2xx", q: "some", limit: 5, brief: true } as const;
      return sdk.listAllRequests({ query });
    },
    getTimeline: async (projectKey) => {
      await sendRequest(baseUrl, projectKey);
      return sdk.getTimeline({ path: { projectKey }, query: { status: "2xx", buckets: 2 } });
    },
    getTimelineOfAll: () => sdk.getTimelineOfAll({ query: { project: "p", buckets: 2 } }),
    clearRequests: (projectKey) => sdk.clearRequests({ path: { projectKey } }),
    readRequest: async (projectKey) => {
      await sendRequest(baseUrl, projectKey);
      const { data } = await sdk.listRequests({ path: { projectKey } });
      const list = present(data);
      const [request] = "requests" in list ? list.requests : [];
      return sdk.readRequest({ path: { projectKey, id: present(request).id } });
    },
    verifyRequests: async (projectKey) => {
      await sendRequest(baseUrl, projectKey);
      const match = { operation: "getResourceById", path: { id: "some-id" }, status: 200 } as const;
      return sdk.verifyRequests({ path: { projectKey }, body: { match, count: 1 } });
    },
    waitForRequests: async (projectKey) => {
      await sendRequest(baseUrl, projectKey);
      return sdk.waitForRequests({ path: { projectKey }, query: { count: 1 } });
    },
    waitForMatch: async (projectKey) => {
      await sendRequest(baseUrl, projectKey);
      return sdk.waitForMatch({ path: { projectKey }, body: { match: { method: "GET" } } });
    },
    getCoverage: () => sdk.getCoverage(),
    getProjectCoverage: (projectKey) => sdk.getProjectCoverage({ path: { projectKey } }),
    streamEvents: (projectKey) => firstEvent(projectKey, (signal) => sdk.streamEvents({ headers, signal })),
    streamProjectEvents: (projectKey) =>
      firstEvent(projectKey, (signal) => sdk.streamProjectEvents({ path: { projectKey }, headers, signal })),
    getPact: async (projectKey) => {
      await sendRequest(baseUrl, projectKey);
      return sdk.getPact({ path: { projectKey }, query: { consumer: "shop", as: "p" } });
    },
    setProviderState: async (projectKey) => {
      const resource = { project: projectKey, id: "a", key: "k", version: 2 };
      await sdk.setProviderState({ body: { state: "a resource exists", params: resource } });
      return sdk.setProviderState({
        body: { consumer: "shop", state: "conflict", action: "setup", params: { project: projectKey, times: 1 } },
      });
    },
  };
}
