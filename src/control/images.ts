import type { Schema } from "../contract/schema.ts";
import { shown } from "../text/shown.ts";
import { listed, ok } from "./answer.ts";
import { inProject, json, listOf } from "./operation.ts";
import { notFound } from "./problem.ts";
import { Image } from "./schemas.ts";

const Bytes = { type: "string", format: "binary", description: "The bytes as uploaded." } as const satisfies Schema;

export const imageOperations = {
  listImages: inProject("GET", "/images", {
    summary: "The images, in the order of their upload",
    responses: { 200: json("What is known about each.", listOf("images", Image)) },
    async handle({ project }) {
      const images = Array.from(await project.store.listImages(), ({ bytes, ...image }): Image => {
        return { ...image, bytes: bytes.length };
      });
      return ok(listed("images", images));
    },
  }),

  readImage: inProject("GET", "/images/{id}", {
    summary: "An image as it was uploaded",
    pathParameters: { id: { description: "The image's id.", example: "0b9a1c9e-7d55-4f0c-9a57-6c2f8a0a4b11" } },
    responses: { 200: json("The image.", Bytes, { mediaType: "image/*" }) },
    async handle({ project, path }) {
      const image = await project.store.getImage(path.id);
      if (!image) throw notFound(`There is no image with the id ${shown(path.id)}`);
      return {
        status: 200,
        content: new Uint8Array(image.bytes),
        headers: {
          "Content-Type": image.contentType,
          // Whoever uploads chooses type and bytes: a browser is not to run them as a page of this origin.
          "X-Content-Type-Options": "nosniff",
          "Content-Security-Policy": "default-src 'none'; sandbox",
        },
      };
    },
  }),
};
