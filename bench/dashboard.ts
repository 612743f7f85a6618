import { existsSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { chromium, type Page } from "playwright-core";
import { type Figure, type Row, ratio } from "./figures.ts";
import { inTurn, rateOf, warmUp, withServer } from "./measuring.ts";
import { type BenchServer, dist, startMock } from "./servers.ts";

const browserPath = process.env.MOCK_TEST_BROWSER ?? "/usr/bin/chromium";
/** The number of requests in the journal of a page that is opened. */
const REQUESTS = 5000;
/** The rate of requests while the page is observed, per second, and the time, in seconds. */
const RATE = 200;
const SECONDS = 10;
const requests = { kind: "get", paths: ["/demo/resource/my-id"] } as const;

/** Measures the dashboard in a browser: its size, its first rows, its main thread, and its cost for the server. */
export async function* dashboard(): AsyncGenerator<Row> {
  const html = readFileSync(`${dist}/dashboard.html`);
  yield {
    what: "dashboard, compressed",
    value: gzipSync(html).byteLength / 1000,
    unit: "kB",
    bar: { atMost: 90 },
    from: `${Math.round(html.byteLength / 1000)} kB`,
  };
  if (!existsSync(browserPath)) {
    yield { what: "dashboard in a browser", reason: `no browser at ${browserPath}; set MOCK_TEST_BROWSER` };
    return;
  }
  const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    yield await withServer(startMock, (server) => firstRows(server, page));
    yield* await withServer(startMock, (server) => atRate(server, page));
    yield await withServer(startMock, (server) => cost(server, page));
  } finally {
    await browser.close();
  }
}

async function open(page: Page, { url }: BenchServer): Promise<void> {
  await page.goto(`${url}/__admin/ui#/projects/demo/requests`);
  await page.locator(".row-list li").first().waitFor();
}

/** Returns the time from the request for the page to its first rows. */
async function firstRows(server: BenchServer, page: Page): Promise<Figure> {
  await setJournalSize(server);
  for (let sent = 0; sent < REQUESTS; sent++) await get(server);
  const times: number[] = [];
  for (let round = 0; round < 7; round++) {
    await page.goto("about:blank");
    const started = performance.now();
    await open(page, server);
    times.push(performance.now() - started);
  }
  const value = times.sort((a, b) => a - b)[3] ?? Number.NaN;
  return {
    what: "dashboard: first rows",
    value,
    unit: "ms",
    bar: { atMost: 1000 },
    from: `${REQUESTS} requests in the journal`,
  };
}

/** Returns the share of time that the main thread works at 200 requests a second, and its longest task. */
async function atRate(server: BenchServer, page: Page): Promise<Figure[]> {
  await get(server);
  await open(page, server);
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  await page.locator(".row-list li").first().hover();
  await page.evaluate(() => {
    const tasks: number[] = [];
    Object.assign(globalThis, { tasks });
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: "longtask",
    });
  });
  const busy = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
  };
  const before = await busy();
  const started = performance.now();
  for (let sent = 0; sent < RATE * SECONDS; sent++) {
    const wait = started + (sent * 1000) / RATE - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    await get(server);
  }
  const share = (await busy()) - before;
  const tasks = await page.evaluate(() => (globalThis as unknown as { tasks: number[] }).tasks);
  const from = `${RATE} requests/s for ${SECONDS} s, the pointer on a row`;
  return [
    {
      what: "dashboard: share of the main thread",
      value: (share / ((performance.now() - started) / 1000)) * 100,
      unit: "%",
      bar: { atMost: 30 },
      from,
    },
    { what: "dashboard: longest task", value: Math.max(0, ...tasks), unit: "ms", bar: { atMost: 50 }, from },
  ];
}

/** Returns the throughput of the server with an open page, as a share of that without. */
async function cost(server: BenchServer, page: Page): Promise<Figure> {
  await get(server);
  await warmUp(server, requests);
  const rates = await inTurn(
    {
      open: async () => {
        await open(page, server);
        return rateOf(server, requests);
      },
      closed: async () => {
        await page.goto("about:blank");
        return rateOf(server, requests);
      },
    },
    15,
  );
  const show = (rate: number) => `${Math.round(rate).toLocaleString("en")}/s`;
  return ratio("throughput with an open dashboard", { atLeast: 0.9 }, [rates.open, rates.closed], show);
}

async function setJournalSize({ url }: BenchServer): Promise<void> {
  await fetch(`${url}/__admin/projects/demo/settings`, {
    method: "PATCH",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ journalSize: 2 * REQUESTS }),
  });
}

async function get({ url }: BenchServer): Promise<void> {
  await (await fetch(`${url}/demo/resource/my-id`)).arrayBuffer();
}
