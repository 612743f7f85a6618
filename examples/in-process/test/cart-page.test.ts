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

/** The page as a visitor sees it who waits for 100 milliseconds. No socket is opened: the mock's `fetch` answers. */
const visit = () => cartPage({ baseUrl: project().baseUrl, patience: 100, fetch: mock.fetch });

test("lists what is in the cart", async () => {
  const page = await visit();

  assert.match(page, /^\d+ × .+: \d+\.\d\d EUR$/m);
  assert.match(page, /^In all: \d+\.\d\d EUR$/m);
});

test("copes with a slow cart", async () => {
  await project().rule({ operation: "getCart", latency: { fixed: 2000 } });

  assert.equal(await visit(), "Your cart cannot be shown right now.");
});

test("copes with a lost connection", async () => {
  await project().use("connection-reset");

  assert.equal(await visit(), "Your cart cannot be shown right now.");
});

test("copes with a cart that ends in the middle", async () => {
  await project().use("truncated-body");

  assert.equal(await visit(), "Your cart cannot be shown right now.");
});

test("asks for the cart once", async () => {
  await visit();

  await project().assertReceived({ operation: "getCart" }, { count: 1 });
});
