import { describe, expect, test } from "vitest";
import uploaded from "../../fixtures/uploadImage/200.json" with { type: "json" };
import { expectError } from "../setup/errors.ts";
import { newProject, onBothTransports } from "../setup/mock.ts";
import { image, images } from "../setup/requests.ts";
import { configure } from "../setup/resources.ts";

const types = Object.keys(images) as (keyof typeof images)[];

onBothTransports("uploading an image", {}, (mock) => {
  /** What is kept; the control API shows it. */
  const kept = async (project: string) => [...(await mock.engine.projects.get(project).store.listImages())];

  test.each(types)("%s is answered the fixture, and kept as sent", async (type) => {
    const project = newProject();
    const answer = await mock.resource(
      project,
      "/images?filename=Fr%C3%BChling.png&variant=2&sku=MV-1&staged=false",
      image(type, images[type]),
    );
    expect([answer.status, await answer.json()]).toEqual([200, uploaded]);
    expect(answer.headers.get("Mock-Source")).toBe("fixture:uploadImage/200.json");
    const [stored] = await kept(project);
    expect(stored).toMatchObject({
      filename: "Frühling.png",
      variant: 2,
      sku: "MV-1",
      staged: false,
      contentType: type,
    });
    expect([...(stored?.bytes ?? [])]).toEqual([...images[type]]);
  });

  test("the parameters may be left out, and the content type may say more", async () => {
    const project = newProject();
    expect((await mock.resource(project, "/images", image("IMAGE/PNG; q=1"))).status).toBe(200);
    expect(await kept(project)).toMatchObject([{ contentType: "image/png", filename: undefined }]);
  });

  test("images are kept in the order of upload, each with an id of its own", async () => {
    const project = newProject();
    for (const name of ["a", "b", "c"]) await mock.resource(project, `/images?filename=${name}`, image("image/png"));
    const stored = await kept(project);
    expect(stored.map(({ filename }) => filename)).toEqual(["a", "b", "c"]);
    expect(new Set(stored.map(({ id }) => id)).size).toBe(3);
  });

  test("older GIFs begin with other bytes", async () => {
    const bytes = new TextEncoder().encode("GIF87a  ");
    expect((await mock.resource(newProject(), "/images", image("image/gif", bytes))).status).toBe(200);
  });

  describe("first bytes of another type are 400", () => {
    const pairs = types.flatMap((type) =>
      types.filter((other) => other !== type).map((other) => [type, other] as const),
    );
    test.each(pairs)("%s with the bytes of %s", async (type, other) => {
      const project = newProject();
      const answer = await mock.resource(project, "/images", image(type, images[other]));
      await expectError(answer, "InvalidInput", { message: expect.stringContaining(`expected ${type} to begin with`) });
      expect(await kept(project)).toEqual([]);
    });

    test.each([
      ["the signature cut short", images["image/png"].slice(0, 7)],
      ["one byte", new Uint8Array([0x89])],
      ["text", new TextEncoder().encode("not a picture")],
    ])("%s", async (_name, bytes) => {
      await expectError(await mock.resource(newProject(), "/images", image("image/png", bytes)), "InvalidInput");
    });
  });

  test.each(["image/webp", "image/jpg", "image/svg+xml", "application/octet-stream", "application/json", "image/*"])(
    "%s is 415",
    async (type) => {
      const answer = await mock.resource(newProject(), "/images", image(type));
      const message = `Content-Type: expected image/jpeg or image/png or image/gif, found ${type}`;
      await expectError(answer, "UnsupportedMediaType", { field: "Content-Type", message });
    },
  );

  test("an encoded one is 415", async () => {
    const { headers, ...init } = image("image/png");
    const encoded = { ...init, headers: { ...headers, "Content-Encoding": "gzip" } };
    const answer = await mock.resource(newProject(), "/images", encoded);
    await expectError(answer, "UnsupportedMediaType", { field: "Content-Encoding" });
  });

  test("no body is 400", async () => {
    const answer = await mock.resource(newProject(), "/images", image("image/png", new Uint8Array()));
    await expectError(answer, "InvalidInput", { message: expect.stringContaining("A body is required") });
  });

  test("more than maxImageBytes is 413, and not by one byte less", async () => {
    const project = newProject();
    const size = images["image/png"].length;
    configure(mock, project, { maxImageBytes: size, maxBodyBytes: 1 });
    expect((await mock.resource(project, "/images", image("image/png"))).status).toBe(200);
    configure(mock, project, { maxImageBytes: size - 1 });
    await expectError(await mock.resource(project, "/images", image("image/png")), "ContentTooLarge", {
      maxBytes: size - 1,
      message: `maxImageBytes: expected at most ${size - 1} bytes, found ${mock.url ? size : "more"}`,
    });
    expect(await kept(project)).toHaveLength(1);
  });

  test("10 MiB is the most by default", async () => {
    const sized = (size: number) => {
      const bytes = new Uint8Array(size);
      bytes.set(images["image/jpeg"]);
      return mock.resource(newProject(), "/images", image("image/jpeg", bytes));
    };
    expect((await sized(10 * 1024 * 1024)).status).toBe(200);
    await expectError(await sized(10 * 1024 * 1024 + 1), "ContentTooLarge");
  });
});
