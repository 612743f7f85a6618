import { useEffect, useState } from "preact/hooks";
import type { Image } from "../../client/types.ts";
import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { Failure } from "../parts/action.tsx";

/** The uploaded images of a project. Shows nothing without images. */
export function Images({ project }: { project: string }) {
  const controls = useProject(project);
  const images = useLoaded(() => controls.images.list(), on(project, "state"));
  if (!images.error && !images.value?.length) return null;
  return (
    <section>
      <h2>Images</h2>
      <Failure of={images} />
      <ul class="images">
        {images.value?.map((image) => (
          <li key={image.id}>
            <Thumbnail project={project} image={image} />
            <span class="quiet">
              {image.filename ?? image.id} · {image.contentType} · {image.bytes} bytes
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Thumbnail({ project, image }: { project: string; image: Image }) {
  const controls = useProject(project);
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    let objectUrl: string | undefined;
    let isUnmounted = false;
    // The client sends the admin token. An image URL in `src` could not.
    controls.images.get(image.id).then(
      (blob) => {
        if (isUnmounted) return;
        objectUrl = URL.createObjectURL(blob);
        setUrl(objectUrl);
      },
      () => {},
    );
    return () => {
      isUnmounted = true;
      if (objectUrl) URL.revokeObjectURL(objectUrl);
    };
  }, [image.id]);
  return url ? <img src={url} alt={image.filename ?? image.id} /> : null;
}
