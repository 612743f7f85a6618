// @module-tag browser
import { expect, test } from "vitest";
import { useBrowser } from "../setup/browser.ts";
import { control, inProject } from "../setup/control.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { draft } from "../setup/resources.ts";

const DEVTOOLS = "devtools://devtools/bundled";

/** The module of Chromium's developer tools that "Import HAR file" uses. */
interface DevToolsHar {
  readonly HARFormat: { readonly HARRoot: new (har: unknown) => { readonly log: unknown } };
  readonly Importer: { readonly Importer: { requestsFromHARLog(log: unknown): ImportedRequest[] } };
}
interface ImportedRequest {
  readonly requestMethod: string;
  readonly statusCode: number;
  readonly duration: number;
  readonly queryParameters: object[] | null;
  url(): string;
  requestFormData(): Promise<string | null>;
  requestContentData(): Promise<{ readonly text?: string; readonly base64?: string }>;
}

describeWithBrowser("the developer tools of Chromium", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  test("import an HTTP archive with all requests, bodies and timings, also of broken connections", async () => {
    const project = newProject();
    await mock.resource(project, "", json("POST", draft));
    await mock.resource(project, "?stringParameter=a");
    await control(mock, "PUT", `/projects/${project}/scenarios/connection-reset`);
    await expect(mock.resource(project, "/a")).rejects.toThrow();
    const { body: har } = await inProject(mock, project, "GET", "/requests?format=har");

    const page = await browser.open(`${DEVTOOLS}/devtools_app.html`);
    // A text, as Vitest would replace `import` in a function.
    const devTools = await page.evaluateHandle<DevToolsHar>(`import("${DEVTOOLS}/models/har/har.js")`);
    const imported = await devTools.evaluate(async ({ HARFormat, Importer }, archive) => {
      const requests = Importer.Importer.requestsFromHARLog(new HARFormat.HARRoot(archive).log);
      return Promise.all(
        requests.map(async (request) => ({
          line: `${request.requestMethod} ${request.url()} ${request.statusCode}`,
          sent: await request.requestFormData(),
          received: (await request.requestContentData()).text,
          milliseconds: Math.round(request.duration * 1000),
          query: request.queryParameters,
        })),
      );
    }, har);
    const url = `${mock.url}/${project}/resource`;
    const { entries } = (har as { log: { entries: { time: number; response: { content: { text?: string } } }[] } }).log;
    const [created, listed] = entries;
    const milliseconds = (time = 0) => Math.round(time);
    expect(imported).toMatchObject([
      {
        line: `POST ${url} 201`,
        sent: JSON.stringify(draft),
        received: created?.response.content.text,
        milliseconds: milliseconds(created?.time),
      },
      {
        line: `GET ${url}?stringParameter=a 200`,
        received: listed?.response.content.text,
        query: [{ name: "stringParameter", value: "a" }],
      },
      { line: `GET ${url}/a 0`, received: "" },
    ]);
  });
});
