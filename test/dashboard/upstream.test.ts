// @module-tag browser
import { expect, test } from "vitest";
import { useBrowser } from "../setup/browser.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { forwardingTo, openService } from "../upstream/services.ts";
import { dashboardOf, isLive } from "./dashboards.ts";

const service = await openService((_request, response) => {
  response.writeHead(200, { "Content-Type": "application/json", "X-Real": "yes" }).end('{"version":"seven"}');
});

describeWithBrowser("a forwarded request on the dashboard", async () => {
  const mock = useMock("over a socket", await forwardingTo(service.url));
  const browser = useBrowser();

  test("shows what was sent on, what came back, and the violations of the upstream", async () => {
    const project = newProject();
    const response = await mock.resource(project, "/r-1?a=b");
    await response.text();
    const id = response.headers.get("Mock-Request-Id") ?? "";
    const page = await browser.open(dashboardOf(mock, project, `requests/${id}`));
    const details = page.getByRole("region", { name: `Request ${id}` });
    await details.getByText(/^the upstream responded in \d+ ms/).waitFor();
    await details.getByRole("heading", { name: "Contract violations of the upstream" }).waitFor();
    await details.getByRole("link", { name: "Request", exact: true }).click();
    const upstream = details.getByRole("region", { name: "Upstream" });
    const text = await upstream.textContent();
    expect(text).toContain(`GET ${service.url}/${project}/resource/r-1?a=b`);
    expect(text).toMatch(/Received200 after [\d.]+ ms/);
  });

  test("the setting upstreamMode stops the forwarding", async () => {
    const project = newProject();
    await (await mock.resource(project, "/r-1")).text();
    const page = await browser.open(dashboardOf(mock, project, "settings"));
    await isLive(page);
    const set = (mode: string) => page.getByRole("combobox", { name: "upstreamMode" }).selectOption(mode);
    await set("off");
    await page.getByText("upstreamMode is set").first().waitFor();
    expect((await mock.resource(project, "/r-1")).headers.get("Mock-Source")).toMatch(/^fixture:/);
    // The server of this test has no folder for recorded fixtures.
    await set("record");
    await page
      .getByText(/Start the server with --record-to/)
      .first()
      .waitFor();
  });
});
