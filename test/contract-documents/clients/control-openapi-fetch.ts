import createClient from "openapi-fetch";
import type { operations, paths } from "./control.ts";
import { type Calls, present, type Reply, sendImage, sendRequest } from "./reply.ts";

/** Calls the control API with `openapi-fetch` and the types of `openapi-typescript`. */
export function callsTo(baseUrl: string): Calls<keyof operations> {
  const client = createClient<paths>({ baseUrl });
  const draft = { id: "a", key: "k", objectTypeProperty: { arrayOfIntExample: [1] } };

  const at = (projectKey: string) => ({ params: { path: { projectKey } } });
  const named = (name: string) => ({ params: { path: { name } } });
  const namedIn = (projectKey: string, name: string) => ({ params: { path: { projectKey, name } } });
  const withId = (projectKey: string, id: string) => ({ params: { path: { projectKey, id } } });
  const project = "/__admin/projects/{projectKey}";

  const addResource = (projectKey: string) => client.POST(`${project}/resources`, { ...at(projectKey), body: draft });
  const takeSnapshot = (projectKey: string) =>
    client.POST(`${project}/snapshots`, { ...at(projectKey), body: { name: "s" } });
  const turnOn = (projectKey: string) =>
    client.PUT(`${project}/scenarios/{name}`, { ...namedIn(projectKey, "slow"), body: { times: 2 } });
  const addRule = (projectKey: string) =>
    client.POST(`${project}/rules`, {
      ...at(projectKey),
      body: {
        operation: "updateResource",
        when: { query: { a: { matches: "^b" } } },
        conflict: true,
        latency: { fixed: 0 },
        respond: { status: 503 },
      },
    });
  /** Causes an event, then returns the first events since the start of the server. */
  const firstEvent = async (projectKey: string, open: () => Promise<{ data?: ReadableStream | null } & Reply>) => {
    await sendRequest(baseUrl, projectKey);
    const { data, ...reply } = await open();
    const reader = data?.getReader();
    const chunk = await reader?.read();
    await reader?.cancel();
    return { ...reply, data: new TextDecoder().decode(chunk?.value) };
  };
  const replayed = { headers: { "Last-Event-ID": "0" }, parseAs: "stream" } as const;

  return {
    getHealth: () => client.GET("/__admin/health"),
    getContract: () => client.GET("/__admin/contract.json"),
    getControlApi: () => client.GET("/__admin/openapi.json"),
    resetAll: () => client.POST("/__admin/reset"),
    getDashboard: () => client.GET("/__admin/ui", { parseAs: "text" }),
    getCaCertificate: () => client.GET("/__admin/ca.pem", { parseAs: "text" }),
    getDocs: () => client.GET("/__admin/docs", { parseAs: "text" }),
    listProjects: () => client.GET("/__admin/projects", { params: { query: { limit: 10, offset: 0 } } }),
    getProject: async (projectKey) => {
      await addResource(projectKey);
      return client.GET(project, at(projectKey));
    },
    closeProject: (projectKey) => client.DELETE(project, at(projectKey)),
    resetProject: (projectKey) => client.POST(`${project}/reset`, at(projectKey)),
    exportArchive: (projectKey) => client.GET(`${project}/archive`, at(projectKey)),
    restoreArchive: async (projectKey) => {
      const { data } = await client.GET(`${project}/archive`, at(projectKey));
      if (!data) throw new Error("expected an archive");
      return client.PUT(`${project}/archive`, { ...at(projectKey), body: data });
    },
    exportState: (projectKey) => client.GET(`${project}/state`, at(projectKey)),
    replaceState: (projectKey) =>
      client.PUT(`${project}/state`, { ...at(projectKey), body: { resources: [draft], lastWritten: "a" } }),
    rewind: (projectKey) => client.POST(`${project}/rewind`, { ...at(projectKey), body: { moment: 0 } }),
    rewindRequest: async (projectKey) => {
      await sendImage(baseUrl, projectKey);
      const { data } = await client.GET(`${project}/requests`, at(projectKey));
      const list = present(data);
      const [request] = "requests" in list ? list.requests : [];
      const { id } = present(request);
      return client.POST(`${project}/requests/{id}/rewind`, { ...withId(projectKey, id), body: { to: "after" } });
    },
    readStoredNamespaceAction: (projectKey) => client.GET(`${project}/namespace-action`, at(projectKey)),
    setNamespaceAction: (projectKey) =>
      client.PUT(`${project}/namespace-action`, { ...at(projectKey), body: { body: { points: 1 } } }),
    clearNamespaceAction: (projectKey) => client.DELETE(`${project}/namespace-action`, at(projectKey)),
    listResources: (projectKey) => {
      const query = { q: "e", where: "version > 0", sort: "version desc", limit: 2, offset: 1 };
      return client.GET(`${project}/resources`, { params: { path: { projectKey }, query } });
    },
    addResources: async (projectKey) => {
      await client.POST(`${project}/resources`, { ...at(projectKey), body: [draft] });
      return client.POST(`${project}/resources`, { ...at(projectKey), body: { generate: 2, seed: 1 } });
    },
    readResource: async (projectKey) => {
      await addResource(projectKey);
      return client.GET(`${project}/resources/{id}`, withId(projectKey, "a"));
    },
    resourceHistory: async (projectKey) => {
      await addResource(projectKey);
      return client.GET(`${project}/resources/{id}/history`, withId(projectKey, "a"));
    },
    writeResource: async (projectKey) => {
      await addResource(projectKey);
      return client.PUT(`${project}/resources/{id}`, {
        params: { path: { projectKey, id: "a" }, header: { "If-Match": "*" } },
        body: { ...draft, version: 3 },
      });
    },
    removeResource: async (projectKey) => {
      await addResource(projectKey);
      return client.DELETE(`${project}/resources/{id}`, withId(projectKey, "a"));
    },
    addImage: (projectKey) =>
      client.POST(`${project}/images`, {
        ...at(projectKey),
        body: { contentType: "image/gif", base64: "R0lGODlh" },
      }),
    removeImage: async (projectKey) => {
      const body = { id: "i", contentType: "image/gif", base64: "R0lGODlh" };
      await client.POST(`${project}/images`, { ...at(projectKey), body });
      return client.DELETE(`${project}/images/{id}`, withId(projectKey, "i"));
    },
    listImages: async (projectKey) => {
      await sendImage(baseUrl, projectKey);
      return client.GET(`${project}/images`, at(projectKey));
    },
    readImage: async (projectKey) => {
      await sendImage(baseUrl, projectKey);
      const { data } = await client.GET(`${project}/images`, at(projectKey));
      const [image] = present(data).images;
      return client.GET(`${project}/images/{id}`, { ...withId(projectKey, present(image).id), parseAs: "blob" });
    },
    listSnapshots: async (projectKey) => {
      await takeSnapshot(projectKey);
      return client.GET(`${project}/snapshots`, at(projectKey));
    },
    takeSnapshot,
    restoreSnapshot: async (projectKey) => {
      await takeSnapshot(projectKey);
      return client.POST(`${project}/snapshots/{name}/restore`, namedIn(projectKey, "s"));
    },
    deleteSnapshot: async (projectKey) => {
      await takeSnapshot(projectKey);
      return client.DELETE(`${project}/snapshots/{name}`, namedIn(projectKey, "s"));
    },
    listScenarios: () => client.GET("/__admin/scenarios"),
    getScenario: () => client.GET("/__admin/scenarios/{name}", named("conflict")),
    turnOnForAll: () => client.PUT("/__admin/scenarios/{name}", { ...named("conflict"), body: { times: 1 } }),
    turnOffForAll: () => client.DELETE("/__admin/scenarios/{name}", named("conflict")),
    listActiveScenarios: async (projectKey) => {
      await turnOn(projectKey);
      return client.GET(`${project}/scenarios`, at(projectKey));
    },
    turnOn,
    turnOff: (projectKey) => client.DELETE(`${project}/scenarios/{name}`, namedIn(projectKey, "slow")),
    listRules: async (projectKey) => {
      await addRule(projectKey);
      return client.GET(`${project}/rules`, at(projectKey));
    },
    addRule,
    clearRules: (projectKey) => client.DELETE(`${project}/rules`, at(projectKey)),
    removeRule: async (projectKey) => {
      const { data } = await addRule(projectKey);
      return client.DELETE(`${project}/rules/{id}`, withId(projectKey, present(data).id));
    },
    getSettings: (projectKey) => client.GET(`${project}/settings`, at(projectKey)),
    changeSettings: (projectKey) =>
      client.PATCH(`${project}/settings`, {
        ...at(projectKey),
        body: { auth: "strict", latency: { uniform: [0, 1] } },
      }),
    getClock: (projectKey) => client.GET(`${project}/clock`, at(projectKey)),
    setClock: (projectKey) =>
      client.PUT(`${project}/clock`, { ...at(projectKey), body: { now: "2030-01-01T00:00:00Z", frozen: true } }),
    listTokens: (projectKey) => client.GET(`${project}/tokens`, at(projectKey)),
    issueToken: (projectKey) =>
      client.POST(`${project}/tokens`, { ...at(projectKey), body: { scopes: ["manage_test"], expiresIn: 60 } }),
    revokeToken: async (projectKey) => {
      const { data } = await client.POST(`${project}/tokens`, at(projectKey));
      const path = { projectKey, token: present(data).access_token };
      return client.DELETE(`${project}/tokens/{token}`, { params: { path } });
    },
    listRequests: async (projectKey) => {
      await sendRequest(baseUrl, projectKey);
      const query = { operation: "getResourceById", status: "2xx", violations: false, limit: 5 } as const;
      return client.GET(`${project}/requests`, { params: { path: { projectKey }, query } });
    },
    listAllRequests: async (projectKey) => {
      await sendRequest(baseUrl, projectKey);
      const query = { operation: "getResourceById,getCart", status: "2xx", q: "some", limit: 5, brief: true } as const;
      return client.GET("/__admin/requests", { params: { query } });
    },
    getTimeline: async (projectKey) => {
      await sendRequest(baseUrl, projectKey);
      const query = { status: "2xx", buckets: 2 } as const;
      return client.GET(`${project}/requests/timeline`, { params: { path: { projectKey }, query } });
    },
    getTimelineOfAll: () =>
      client.GET("/__admin/requests/timeline", { params: { query: { project: "p", buckets: 2 } } }),
    clearRequests: (projectKey) => client.DELETE(`${project}/requests`, at(projectKey)),
    readRequest: async (projectKey) => {
      await sendRequest(baseUrl, projectKey);
      const { data } = await client.GET(`${project}/requests`, at(projectKey));
      const list = present(data);
      const [request] = "requests" in list ? list.requests : [];
      return client.GET(`${project}/requests/{id}`, withId(projectKey, present(request).id));
    },
    verifyRequests: async (projectKey) => {
      await sendRequest(baseUrl, projectKey);
      return client.POST(`${project}/requests/verify`, {
        ...at(projectKey),
        body: { match: { operation: "getResourceById", path: { id: "some-id" }, status: 200 }, count: 1 },
      });
    },
    waitForRequests: async (projectKey) => {
      await sendRequest(baseUrl, projectKey);
      return client.GET(`${project}/requests/wait`, { params: { path: { projectKey }, query: { count: 1 } } });
    },
    waitForMatch: async (projectKey) => {
      await sendRequest(baseUrl, projectKey);
      return client.POST(`${project}/requests/wait`, { ...at(projectKey), body: { match: { method: "GET" } } });
    },
    getCoverage: () => client.GET("/__admin/coverage"),
    getProjectCoverage: (projectKey) => client.GET(`${project}/coverage`, at(projectKey)),
    streamEvents: (projectKey) => firstEvent(projectKey, () => client.GET("/__admin/events", replayed)),
    streamProjectEvents: (projectKey) =>
      firstEvent(projectKey, () => client.GET(`${project}/events`, { ...at(projectKey), ...replayed })),
    getPact: async (projectKey) => {
      await sendRequest(baseUrl, projectKey);
      const query = { consumer: "shop", as: "p" };
      return client.GET(`${project}/pact`, { params: { path: { projectKey }, query } });
    },
    setProviderState: async (projectKey) => {
      const resource = { project: projectKey, id: "a", key: "k", version: 2 };
      await client.POST("/__admin/provider-states", { body: { state: "a resource exists", params: resource } });
      return client.POST("/__admin/provider-states", {
        body: { consumer: "shop", state: "conflict", action: "setup", params: { project: projectKey, times: 1 } },
      });
    },
  };
}
