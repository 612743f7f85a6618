import { expect, test } from "vitest";
import { expectProblem, inProject } from "../setup/control.ts";
import { newProject, onTransports } from "../setup/mock.ts";
import { configure } from "../setup/resources.ts";

const gif = new Uint8Array([...new TextEncoder().encode("GIF89a"), 0, 1, 255]);

onTransports("uploaded images", { now: () => Date.parse("2025-06-01T12:00:00Z") }, (mock) => {
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
    await configure(mock, project, { validation: "off" });
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

  test("are added and deleted without a request to the service", async () => {
    const project = newProject();
    const base64 = Buffer.from(gif).toString("base64");
    const add = (body: object) => inProject<{ id: string }>(mock, project, "POST", "/images", body);
    const added = await add({ contentType: "image/gif", base64, filename: "a.gif", sku: "s-1" });
    const facts = { contentType: "image/gif", uploadedAt: "2025-06-01T12:00:00.000Z", bytes: gif.length };
    expect(added).toMatchObject({ status: 201, body: { filename: "a.gif", sku: "s-1", ...facts } });
    expect(added.body).not.toHaveProperty("base64");
    await add({ id: "mine", contentType: "image/png", base64 });
    const { body } = await inProject(mock, project, "GET", "/images");
    expect(body).toMatchObject({ images: [added.body, { id: "mine" }], total: 2 });
    const image = await mock.fetch(`/__admin/projects/${project}/images/${added.body.id}`);
    expect(new Uint8Array(await image.arrayBuffer())).toEqual(gif);
    expect((await inProject(mock, project, "GET", "/requests")).body).toMatchObject({ total: 0 });

    expectProblem(await add({ id: "mine", contentType: "image/gif", base64 }), 409, "DuplicateValue", "/id");
    const invalid = await add({ contentType: "image/gif", base64: "?" });
    expect(expectProblem(invalid, 400, "InvalidField")).toMatchObject([{ pointer: "/base64" }]);

    const remove = (id: string) => inProject(mock, project, "DELETE", `/images/${id}`);
    expect((await remove(added.body.id)).status).toBe(204);
    expectProblem(await remove(added.body.id), 404, "ResourceNotFound");
    await upload(project, "");
    const after = await inProject<{ images: { id: string }[] }>(mock, project, "GET", "/images");
    expect(after.body).toMatchObject({ images: [{ id: "mine" }, { id: expect.any(String) }], total: 2 });
  });

  test("get ids that no imported image has", async () => {
    const project = newProject();
    const images = async () =>
      (await inProject<{ images: { id: string }[] }>(mock, project, "GET", "/images")).body.images;
    await upload(project, "");
    const [first] = await images();
    await inProject(mock, project, "POST", "/reset");
    await inProject(mock, project, "POST", "/images", { id: first?.id, contentType: "image/gif", base64: "" });
    await upload(project, "");
    expect(new Set((await images()).map(({ id }) => id)).size).toBe(2);
  });
});
