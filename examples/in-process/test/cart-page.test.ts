import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { createResourceMock, type ResourceMock } from "resource-mock";
import { cartPage } from "../src/cart-page.ts";

let mock: ResourceMock;
before(async () => {
  mock = await createResourceMock();
});
after(() => mock.close());

const project = () => mock.project("cart-page");
beforeEach(() => project().reset());

/** Returns the page for a visitor who waits up to 100 milliseconds. The `fetch` of the mock opens no socket. */
const visit = () => cartPage({ baseUrl: project().baseUrl, patience: 100, fetch: mock.fetch });

test("lists the items of the cart", async () => {
  const page = await visit();

  assert.match(page, /^\d+ × .+: \d+\.\d\d EUR$/m);
  assert.match(page, /^In all: \d+\.\d\d EUR$/m);
});

test("shows a page when the cart is slow", async () => {
  await project().rule({ operation: "getCart", latency: { fixed: 2000 } });

  assert.equal(await visit(), "Your cart cannot be shown right now.");
});

test("shows a page when the connection is lost", async () => {
  await project().use("connection-reset");

  assert.equal(await visit(), "Your cart cannot be shown right now.");
});

test("shows a page when the response is truncated", async () => {
  await project().use("truncated-body");

  assert.equal(await visit(), "Your cart cannot be shown right now.");
});

test("requests the cart once", async () => {
  await visit();

  await project().assertReceived({ operation: "getCart" }, { count: 1 });
});
