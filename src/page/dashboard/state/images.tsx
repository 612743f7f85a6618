import { useRef, useState } from "preact/hooks";
import { control, type Image, path } from "../../../control/client/index.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject, useSession } from "../live/session.ts";
import { Button, Loading } from "../parts/action.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { base64Of, FileButton, Picture } from "../parts/files.tsx";
import { offsetOf, PAGE, Pager } from "../parts/layout.tsx";
import { Time } from "../parts/time.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { useRoute } from "../route.ts";

interface ImagesProps {
  /** Adds image files. */
  readonly onFiles: (files: readonly File[]) => void;
  readonly isUploading: boolean;
}

/** The images of a project. */
export function Images({ onFiles, isUploading }: ImagesProps) {
  const { connection } = useSession();
  const controls = useProject();
  const route = useRoute();
  const toasts = useToasts();
  const section = useRef<HTMLElement>(null);
  const [shown, setShown] = useState<Image>();
  const offset = offsetOf(route);
  const images = useLoaded(
    () =>
      control<{ images: Image[]; total: number }>(connection, {
        method: "GET",
        path: path`/projects/${controls.key}/images`,
        query: { limit: PAGE, offset },
      }),
    ["state", "rewound"],
    [offset],
  );
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
        {images.value && images.value.total > 0 && (
          <Pager shown={images.value.images.length} total={images.value.total} noun="image" />
        )}
      </div>
      <Loading of={images}>
        {({ images, total }) => (
          <>
            {total === 0 && <p>No images.</p>}
            <ul class="plain images">
              {images.map((image) => (
                <li key={image.id}>
                  <button type="button" onClick={() => setShown(image)}>
                    <Picture alt={nameOf(image)} bytes={() => controls.images.get(image.id)} />
                  </button>
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
          </>
        )}
      </Loading>
      {shown && (
        <Dialog title={nameOf(shown)} kind="wide" onClose={() => setShown(undefined)}>
          <Picture alt={nameOf(shown)} bytes={() => controls.images.get(shown.id)} />
          <p class="quiet">
            {factsOf(shown)} · id <code>{shown.id}</code>
          </p>
        </Dialog>
      )}
    </section>
  );
}

function nameOf({ filename, id }: Image): string {
  return filename ?? id;
}

function factsOf({ contentType, bytes, sku, variant, staged }: Image): string {
  const facts = [contentType, `${bytes.toLocaleString("en")} bytes`];
  if (sku !== undefined) facts.push(`SKU ${sku}`);
  if (variant !== undefined) facts.push(`variant ${variant}`);
  if (staged) facts.push("staged");
  return facts.join(" · ");
}
