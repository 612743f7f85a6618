// @module-tag browser
import { mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { startResourceMock } from "../../src/index.ts";
import { expectAccessible } from "../setup/axe.ts";
import { useBrowser } from "../setup/browser.ts";
import { folderOf } from "../setup/folder.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { isLive, shows, showsNo } from "./dashboards.ts";

describeWithBrowser("the dashboard of a server with --projects", () => {
  const browser = useBrowser();

  test("shows that changes cannot be saved, until they are saved again", async () => {
    const folder = folderOf({});
    const mock = await startResourceMock({ projects: folder });
    try {
      const page = await browser.open(`${mock.url}/__admin/ui`);
      await isLive(page);
      // The server cannot write a file where a folder is.
      const obstacle = join(folder, "shop.ndjson.tmp");
      mkdirSync(obstacle);
      await mock.project("shop").reset();
      await fetch(`${mock.url}/shop/resource`);
      await shows(page, /^Not saved: .*shop\.ndjson/);
      await expectAccessible(page);
      rmdirSync(obstacle);
      await showsNo(page, /^Not saved/);
    } finally {
      await mock.close();
    }
  });
});
