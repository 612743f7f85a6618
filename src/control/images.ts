import type { Schema } from "../contract/schema.ts";
import { TimeSlice } from "../schedule/time-slice.ts";
import { shown } from "../text/shown.ts";
import { inProject, json, listOf, paging } from "./operation.ts";
import { notFound } from "./problem.ts";
import { listed, ok, requireShort } from "./response.ts";
import { Image } from "./schemas.ts";

/** The number of images in a page. */
const IMAGE_PAGE = { default: 500, maximum: 10_000 };

const Bytes = { type: "string", format: "binary", description: "The bytes of the upload." } as const satisfies Schema;

export const imageOperations = {
  listImages: inProject("GET", "/images", {
    summary: "List the images, in the order of their upload",
    query: paging(IMAGE_PAGE),
    responses: { 200: json("The metadata of each image.", listOf("images", Image)) },
    async handle({ project: { store }, query }) {
      const { limit = IMAGE_PAGE.default, offset = 0 } = query;
      const slice = new TimeSlice();
      const images: Image[] = [];
      let characters = 0;
      let position = 0;
      for (const { bytes, ...image } of await store.listImages()) {
        if (images.length === limit) break;
        if (slice.isOver) await slice.next();
        if (position++ < offset) continue;
        images.push({ ...image, bytes: bytes.length });
        characters += (image.filename?.length ?? 0) + (image.sku?.length ?? 0);
        requireShort(characters);
      }
      return ok(listed("images", images, await store.imageCount()));
    },
  }),

  readImage: inProject("GET", "/images/{id}", {
    summary: "Return an uploaded image",
    pathParameters: { id: { description: "The id of the image.", example: "0b9a1c9e-7d55-4f0c-9a57-6c2f8a0a4b11" } },
    responses: { 200: json("The image.", Bytes, { mediaType: "image/*" }) },
    async handle({ project, path }) {
      const image = await project.store.getImage(path.id);
      if (!image) throw notFound(`Image with id ${shown(path.id)} not found`);
      return {
        status: 200,
        content: new Uint8Array(image.bytes),
        headers: {
          "Content-Type": image.contentType,
          // Clients choose the type and the bytes. A browser must not run them as a page of this origin.
          "X-Content-Type-Options": "nosniff",
          "Content-Security-Policy": "default-src 'none'; sandbox",
        },
      };
    },
  }),
};
