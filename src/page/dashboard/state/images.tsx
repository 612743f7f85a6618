import { useRef } from "preact/hooks";
import type { Image } from "../../../control/client/index.ts";
import { useLoaded, useProject } from "../live/session.ts";
import { Button, Loading, useToasts } from "../parts/action.tsx";
import { base64Of, FileButton, Picture } from "../parts/files.tsx";
import { counted, Time } from "../parts/text.tsx";

export function Images({ onFiles, isUploading }: { onFiles: (files: readonly File[]) => void; isUploading: boolean }) {
  const controls = useProject();
  const toasts = useToasts();
  const section = useRef<HTMLElement>(null);
  const images = useLoaded(() => controls.images.list(), ["state", "rewound"]);
  const remove = async ({ id, bytes: _bytes, ...image }: Image) => {
    const base64 = await base64Of(await controls.images.get(id));
    await controls.images.delete(id);
    await images.reload();
    section.current?.focus();
    toasts.show("Deleted the image", () => controls.images.add({ ...image, id, base64 }));
  };
  return (
    <section ref={section} tabIndex={-1} aria-label="Images">
      <div class="bar">
        <FileButton kind="primary" accept="image/png,image/jpeg,image/gif" onFiles={onFiles} isBusy={isUploading}>
          Upload images
        </FileButton>
        <span class="spacer" />
        {images.value && (
          <span class="quiet" role="status">
            {counted(images.value.length, "image")}
          </span>
        )}
      </div>
      <Loading of={images} none={<p>No images.</p>}>
        {(list) => (
          <ul class="plain images">
            {list.map((image) => (
              <li key={image.id}>
                <Picture alt={nameOf(image)} bytes={() => controls.images.get(image.id)} />
                <b class="cut" title={nameOf(image)}>
                  {nameOf(image)}
                </b>
                <span class="quiet">{factsOf(image)}</span>
                <span class="quiet">
                  <Time of={image.uploadedAt} as="full" />
                </span>
                <div class="bar">
                  <Button run={() => remove(image)} label={`Delete ${nameOf(image)}`} kind="quiet">
                    Delete
                  </Button>
                </div>
              </li>
            ))}
          </ul>
        )}
      </Loading>
    </section>
  );
}

function nameOf({ filename, id }: Image): string {
  return filename ?? id;
}

function factsOf({ contentType, bytes, sku, variant, staged }: Image): string {
  const facts = [contentType, `${bytes.toLocaleString("en")} bytes`, sku !== undefined && `SKU ${sku}`];
  return [...facts, variant !== undefined && `variant ${variant}`, staged && "staged"].filter(Boolean).join(" · ");
}
