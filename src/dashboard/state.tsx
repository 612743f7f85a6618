import { Images } from "./images.tsx";
import { Resource } from "./resource.tsx";
import { Resources } from "./resources.tsx";
import { Snapshots } from "./snapshots.tsx";

/** The state of a project: its resources, images and snapshots, next to the open resource. */
export function State({ project, item }: { project: string; item?: string }) {
  return (
    <div class={item === undefined ? undefined : "beside"}>
      <div>
        <Resources project={project} item={item} />
        <Images project={project} />
        <Snapshots project={project} />
      </div>
      {item !== undefined && <Resource key={item} project={project} id={item} />}
    </div>
  );
}
