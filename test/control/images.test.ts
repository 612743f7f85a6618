import { expect, test } from "vitest";
import { expectProblem, inProject } from "../setup/control.ts";
import { newProject, onBothTransports } from "../setup/mock.ts";
import { configure } from "../setup/resources.ts";

const gif = new Uint8Array([...new TextEncoder().encode("GIF89a"), 0, 1, 255]);

onBothTransports("uploaded images", { now: () => Date.parse("2025-06-01T12:00:00Z") }, (mock) => {
  const upload = (project: string, query: string, type = "image/gif") =>
    mock.resource(project, `/images${query}`, { method: "POST", body: gif, headers: { "Content-Type": type } });

  test("are listed with their metadata, and returned byte for byte", async () => {
    const project = newProject();
    await upload(project, "?filename=a.gif&variant=3&sku=s-1&staged=false");
    await upload(project, "");
    const { body } = await inProject<{ images: { id: string }[] }>(mock, project, "GET", "/images");
    const facts = { contentType: "image/gif", uploadedAt: "2025-06-01T12:00:00.000Z", bytes: gif.length };
    expect(body).toEqual({
      images: [
        { id: expect.any(String), filename: "a.gif", variant: 3, sku: "s-1", staged: false, ...facts },
        { id: expect.any(String), ...facts },
      ],
      total: 2,
    });

    const image = await mock.fetch(`/__admin/projects/${project}/images/${body.images[0]?.id}`);
    expect([image.status, image.headers.get("Content-Type")]).toEqual([200, "image/gif"]);
    expect(new Uint8Array(await image.arrayBuffer())).toEqual(gif);
  });

  test("are never run by a browser, whatever their content type", async () => {
    const project = newProject();
    configure(mock, project, { validation: "off" });
    await upload(project, "", "text/html");
    const { body } = await inProject<{ images: { id: string }[] }>(mock, project, "GET", "/images");
    const image = await mock.fetch(`/__admin/projects/${project}/images/${body.images[0]?.id}`);
    expect(image.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(image.headers.get("Content-Security-Policy")).toContain("sandbox");
    await image.body?.cancel();
  });

  test("are visible only in their own project", async () => {
    const [project, other] = [newProject(), newProject()];
    await upload(project, "");
    const { body } = await inProject<{ images: { id: string }[] }>(mock, project, "GET", "/images");
    expect((await inProject(mock, other, "GET", "/images")).body).toEqual({ images: [], total: 0 });
    expectProblem(await inProject(mock, other, "GET", `/images/${body.images[0]?.id}`), 404, "ResourceNotFound");
  });
});
