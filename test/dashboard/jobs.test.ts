// @module-tag browser
import { describeJobs } from "./jobs.ts";

const shirt = { objectTypeProperty: { arrayOfStringExample: ["linen"] } };
const update = (version: number, someProperty: string) => ({
  method: "POST",
  path: "/resource/shirt",
  body: { version, actions: [{ action: "changeSomeProperty", someProperty }] },
});

describeJobs("the built-in service", {
  before: [{ method: "GET", path: "/resource/shirt" }, update(1, "cotton")],
  read: { method: "GET", path: "/resource/shirt" },
  readId: "getResourceById",
  change: update(2, "wool"),
  bad: { ...update(1, "silk"), status: 409, reason: /the client sent version 1; version 2 was written/ },
  conflict: { ...update(1, "silk"), status: 409, reason: /the client sent version 1; version 3 was written/ },
  create: { id: "createResource", path: {}, body: shirt },
  item: { type: "Resource", id: "shirt", before: "cotton", after: "wool" },
  upload: { id: "uploadImage", path: {} },
});
