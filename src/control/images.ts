import { shown } from "../text/shown.ts";
import { ok, type ProjectHandler } from "./control.ts";
import { notFound } from "./problem.ts";
import type { Image } from "./schemas.ts";

export const listImages: ProjectHandler = async ({ project }) => {
  const images = Array.from(await project.store.listImages(), ({ bytes, ...image }): Image => {
    return { ...image, bytes: bytes.length };
  });
  return ok({ images, total: images.length });
};

export const readImage: ProjectHandler = async ({ project, path: { id = "" } }) => {
  const image = await project.store.getImage(id);
  if (!image) throw notFound(`There is no image with the id ${shown(id)}`);
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
};
