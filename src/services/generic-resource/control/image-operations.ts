import {
  closedObject,
  count,
  type FromSchema,
  fromBase64,
  object,
  type Schema,
  ServiceError,
  shown,
} from "../../../contract/index.ts";
import {
  bytesHeaders,
  created,
  inProject,
  invalid,
  json,
  list,
  listOf,
  notFound,
  PAGE,
  paging,
  problem,
} from "../../../control/index.ts";
import { collectionIn, fileItem, type Item, itemById } from "../../../state/index.ts";
import { IMAGE } from "../types.ts";
import { ImageDocument, imageFacts } from "./state-form.ts";

/** An image to add. */
export const ImageDraft = closedObject(["contentType", "base64"], ImageDocument.properties);
export type ImageDraft = FromSchema<typeof ImageDraft>;

const { base64: _bytes, ...facts } = ImageDocument.properties;

export const Image = object(["id", "contentType", "uploadedAt", "bytes"], {
  ...facts,
  bytes: { ...count, description: "The size of the image in bytes." },
});
export type Image = FromSchema<typeof Image>;

const Bytes = { type: "string", format: "binary", description: "The bytes of the upload." } as const satisfies Schema;

const pathParameters = {
  id: { description: "The id of the image.", example: "0b9a1c9e-7d55-4f0c-9a57-6c2f8a0a4b11" },
};

export const operations = {
  listImages: inProject("GET", "/images", {
    summary: "List the images, in the order of their upload",
    query: paging,
    responses: { 200: json("The metadata of each image.", listOf("images", Image)) },
    handle({ project: { state }, query }) {
      const { limit = PAGE, offset = 0 } = query;
      const { items } = collectionIn(state, IMAGE);
      const page = Iterator.from(items.values()).drop(offset).take(limit).map(withoutBytes);
      return list("images", page.toArray(), items.size);
    },
  }),

  addImage: inProject("POST", "/images", {
    summary: "Add an image",
    description:
      "Stores the image as `uploadImage` does, without a request to the service. Defaults: a new id, and the time of the project.",
    body: ImageDraft,
    holdsState: true,
    example: { contentType: "image/gif", base64: "R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=", sku: "MV-1" },
    responses: { 201: json("The metadata of the image.", Image), 409: problem("Another image has the id.") },
    handle({ project, body: { id, base64, uploadedAt = project.clock.timestamp(), ...facts } }) {
      const bytes = fromBase64(base64);
      if (!bytes) throw invalid("/base64", "expected base64 with padding");
      const stored = project.change((draft) => {
        const image = fileItem(id ?? project.newId(draft, IMAGE), uploadedAt, facts, bytes);
        if (itemById(draft.in(IMAGE), image.id)) {
          const message = `/id: expected an unused id, found ${shown(id)}, which another image has`;
          throw new ServiceError({ code: "DuplicateValue", message, field: "/id" });
        }
        draft.put(IMAGE, image);
        return image;
      });
      return created(withoutBytes(stored));
    },
  }),

  removeImage: inProject("DELETE", "/images/{id}", {
    summary: "Delete an image",
    pathParameters,
    handle({ project, path }) {
      if (!project.change((draft) => draft.remove(IMAGE, path.id))) throw unknownImage(path.id);
    },
  }),

  readImage: inProject("GET", "/images/{id}", {
    summary: "Return an uploaded image",
    pathParameters,
    responses: { 200: json("The image.", Bytes, { mediaType: "image/*" }) },
    handle({ project, path }) {
      const image = itemById(collectionIn(project.state, IMAGE), path.id);
      if (!image?.bytes) throw unknownImage(path.id);
      return {
        status: 200,
        content: new Uint8Array(image.bytes),
        headers: bytesHeaders(imageFacts(image).contentType),
      };
    },
  }),
};

function withoutBytes(image: Item): Image {
  return { ...imageFacts(image), bytes: image.bytes?.byteLength ?? 0 };
}

function unknownImage(id: string): ServiceError {
  return notFound(`Image with id ${shown(id)} not found`);
}
