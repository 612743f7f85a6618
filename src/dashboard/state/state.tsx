import type { Route } from "../route.ts";
import { Images } from "./images.tsx";
import { Resource } from "./resource.tsx";
import { Resources } from "./resources.tsx";
import { Snapshots } from "./snapshots.tsx";

/** The state of a project: its resources, images and snapshots, next to the open resource. */
export function State({ project, route: { item } }: { project: string; route: Route }) {
  return (
    <div class={item === undefined ? "panes" : "panes open"}>
      <div class="pane">
        <Resources project={project} item={item} />
        <Images project={project} />
        <Snapshots project={project} />
      </div>
      {item !== undefined && <Resource key={item} project={project} id={item} />}
    </div>
  );
}
