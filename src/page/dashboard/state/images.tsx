import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { control, type Image, path } from "../../../control/client/index.ts";
import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject, useSession } from "../live/session.ts";
import { Button } from "../parts/action.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { FileButton } from "../parts/file-button.tsx";
import { Loading } from "../parts/loading.tsx";
import { Time } from "../parts/time.tsx";
import { useToasts } from "../parts/toasts.tsx";
import type { Route } from "../route.ts";
import { offsetOf, PAGE, Pager } from "./paging.tsx";
import { base64Of } from "./transfer.tsx";

interface ImagesProps {
  readonly project: string;
  readonly route: Route;
  /** Adds image files. */
  readonly onFiles: (files: readonly File[]) => void;
  readonly isUploading: boolean;
}

/** The images of a project. */
export function Images({ project, route, onFiles, isUploading }: ImagesProps) {
  const { connection } = useSession();
  const controls = useProject(project);
  const toasts = useToasts();
  const section = useRef<HTMLElement>(null);
  const [shown, setShown] = useState<Image>();
  const offset = offsetOf(route);
  const images = useLoaded(
    () =>
      control<{ images: Image[]; total: number }>(connection, {
        method: "GET",
        path: path`/projects/${project}/images`,
        query: { limit: PAGE, offset },
      }),
    on(project, "state", "rewound"),
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
          <Pager route={route} shown={images.value.images.length} total={images.value.total} noun="image" />
        )}
      </div>
      <Loading of={images}>
        {({ images, total }) => (
          <>
            {total === 0 && <p>No images.</p>}
            <ul class="images">
              {images.map((image) => (
                <li key={image.id}>
                  <button type="button" class="picture" onClick={() => setShown(image)}>
                    <Picture project={project} image={image} />
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
          <div class="whole-picture">
            <Picture project={project} image={shown} />
          </div>
          <p class="quiet">
            {factsOf(shown)} · id <span class="id">{shown.id}</span>
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

/** An image as a picture, or a text if the browser cannot show it. */
function Picture({ project, image }: { project: string; image: Image }) {
  const controls = useProject(project);
  const [url, setUrl] = useState<string>();
  const [isBroken, setBroken] = useState(false);
  useLayoutEffect(() => {
    let objectUrl: string | undefined;
    let isUnmounted = false;
    // The client sends the admin token. An image URL in `src` could not.
    controls.images.get(image.id).then(
      (blob) => {
        if (isUnmounted) return;
        objectUrl = URL.createObjectURL(blob);
        setUrl(objectUrl);
      },
      () => setBroken(true),
    );
    return () => {
      isUnmounted = true;
      if (objectUrl) URL.revokeObjectURL(objectUrl);
    };
  }, [image.id]);
  if (isBroken) return <span class="quiet">This image cannot be shown as a picture.</span>;
  return url ? (
    <img src={url} alt={nameOf(image)} onError={() => setBroken(true)} />
  ) : (
    <span class="quiet">Loading…</span>
  );
}
