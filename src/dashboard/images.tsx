import { useEffect, useState } from "preact/hooks";
import type { Image } from "../client/types.ts";
import { Failure } from "./action.tsx";
import { useLoaded } from "./loaded.ts";
import { concerns, useProject } from "./session.ts";

/** The images that were uploaded to a project; nothing where there are none. */
export function Images({ project }: { project: string }) {
  const controls = useProject(project);
  const images = useLoaded(
    () => controls.images.list(),
    (event) => (event.type === "state" || event.type === "reset") && concerns(event, project),
  );
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
    let made: string | undefined;
    let isGone = false;
    // Through the client, as an image's address could not carry the admin token.
    controls.images.get(image.id).then(
      (blob) => {
        if (isGone) return;
        made = URL.createObjectURL(blob);
        setUrl(made);
      },
      () => {},
    );
    return () => {
      isGone = true;
      if (made) URL.revokeObjectURL(made);
    };
  }, [image.id]);
  return url ? <img src={url} alt={image.filename ?? image.id} /> : null;
}
