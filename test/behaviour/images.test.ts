import { describe, expect, test } from "vitest";
import uploaded from "../../fixtures/uploadImage/200.json" with { type: "json" };
import { expectError } from "../setup/errors.ts";
import { lastRequest } from "../setup/journal.ts";
import { newProject, onAllTransports, useMock } from "../setup/mock.ts";
import { image, images } from "../setup/requests.ts";
import { configure, stateOf } from "../setup/resources.ts";

const types = Object.keys(images) as (keyof typeof images)[];

onAllTransports("uploading an image", {}, (mock) => {
  const kept = async (project: string) => (await stateOf(mock, project)).images ?? [];

  test.each(types)("an upload of %s returns the fixture, and stores the image as sent", async (type) => {
    const project = newProject();
    const response = await mock.resource(
      project,
      "/images?filename=Fr%C3%BChling.png&variant=2&sku=MV-1&staged=false",
      image(type, images[type]),
    );
    expect([response.status, await response.json()]).toEqual([200, uploaded]);
    expect(response.headers.get("Mock-Source")).toBe("fixture:uploadImage/200.json");
    const [stored] = await kept(project);
    expect(stored).toMatchObject({
      filename: "Frühling.png",
      variant: 2,
      sku: "MV-1",
      staged: false,
      contentType: type,
    });
    expect(stored?.base64).toBe(Buffer.from(images[type]).toString("base64"));
  });

  test("the parameters are optional, and the content type may have parameters", async () => {
    const project = newProject();
    expect((await mock.resource(project, "/images", image("IMAGE/PNG; q=1"))).status).toBe(200);
    const [stored] = await kept(project);
    expect([stored?.contentType, stored?.filename]).toEqual(["image/png", undefined]);
  });

  test("images are stored in the order of upload, each with its own id", async () => {
    const project = newProject();
    for (const name of ["a", "b", "c"]) await mock.resource(project, `/images?filename=${name}`, image("image/png"));
    const stored = await kept(project);
    expect(stored.map(({ filename }) => filename)).toEqual(["a", "b", "c"]);
    expect(new Set(stored.map(({ id }) => id)).size).toBe(3);
  });

  describe.each([
    ["image/jpeg", [0xff, 0xd8, 0xff]],
    ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
    ["image/gif", [...Buffer.from("GIF87a")]],
    ["image/gif", [...Buffer.from("GIF89a")]],
  ])("the signature of %s (%j)", (type, signature) => {
    const upload = (bytes: readonly number[]) =>
      mock.resource(newProject(), "/images", image(type, new Uint8Array(bytes)));

    test("the first bytes of an image are enough, whatever bytes follow", async () => {
      expect((await upload(signature)).status).toBe(200);
      expect((await upload([...signature, 0xff])).status).toBe(200);
    });

    test("a different or missing first byte gets 400", async () => {
      for (const [at, byte] of signature.entries()) {
        await expectError(await upload(signature.with(at, byte ^ 0x80)), "InvalidInput");
        if (at > 0) await expectError(await upload(signature.slice(0, at)), "InvalidInput");
      }
      await expectError(await upload([0, ...signature]), "InvalidInput");
    });
  });

  test("the error shows the expected and the found first bytes", async () => {
    const response = await mock.resource(newProject(), "/images", image("image/gif", new Uint8Array(20).fill(0x41)));
    const [error] = await expectError(response, "InvalidInput");
    expect(error?.message).toMatch(
      /expected the first bytes of image\/gif \(474946383761 or 474946383961\), found (41){8}$/,
    );
  });

  test.each(["image/webp", "image/jpg", "image/svg+xml", "application/octet-stream", "application/json", "image/*"])(
    "an upload with the media type %s returns 415",
    async (type) => {
      const response = await mock.resource(newProject(), "/images", image(type));
      const message = `Content-Type: expected image/jpeg or image/png or image/gif, found ${type}`;
      await expectError(response, "UnsupportedMediaType", { field: "Content-Type", message });
    },
  );

  test("an encoded image is 415", async () => {
    const { headers, ...init } = image("image/png");
    const encoded = { ...init, headers: { ...headers, "Content-Encoding": "gzip" } };
    const response = await mock.resource(newProject(), "/images", encoded);
    await expectError(response, "UnsupportedMediaType", { field: "Content-Encoding" });
  });

  test("no body is 400", async () => {
    const response = await mock.resource(newProject(), "/images", image("image/png", new Uint8Array()));
    await expectError(response, "InvalidInput", { message: expect.stringContaining("A body is required") });
  });

  describe("a project with validation: report", () => {
    const upload = async (init: RequestInit) => {
      const project = newProject();
      await configure(mock, project, { validation: "report" });
      expect((await mock.resource(project, "/images", init)).status).toBe(200);
      return { images: await kept(project), violations: (await lastRequest(mock, project))?.violations };
    };

    test("an image of another type is stored as sent", async () => {
      const { images: stored, violations } = await upload(image("image/png", images["image/gif"]));
      expect(stored[0]?.base64).toBe(Buffer.from(images["image/gif"]).toString("base64"));
      expect(violations).toMatchObject([
        { code: "InvalidInput", message: expect.stringContaining("expected the first bytes") },
      ]);
    });
  });

  test("a body that is at least one byte larger than maxImageBytes is 413", async () => {
    const project = newProject();
    const size = images["image/png"].length;
    await configure(mock, project, { maxImageBytes: size, maxBodyBytes: 1 });
    expect((await mock.resource(project, "/images", image("image/png"))).status).toBe(200);
    await configure(mock, project, { maxImageBytes: size - 1 });
    await expectError(await mock.resource(project, "/images", image("image/png")), "ContentTooLarge", {
      maxBytes: size - 1,
      message: `maxImageBytes: expected at most ${size - 1} bytes, found ${mock.url ? size : "more"}`,
    });
    expect(await kept(project)).toHaveLength(1);
  });
});

describe("a large image", { tags: ["slow"] }, () => {
  const mock = useMock("over a socket");

  test("an image has at most 10 MiB by default", async () => {
    const sized = (size: number) => {
      const bytes = new Uint8Array(size);
      bytes.set(images["image/jpeg"]);
      return mock.resource(newProject(), "/images", image("image/jpeg", bytes));
    };
    expect((await sized(10 * 1024 * 1024)).status).toBe(200);
    await expectError(await sized(10 * 1024 * 1024 + 1), "ContentTooLarge");
  });
});
