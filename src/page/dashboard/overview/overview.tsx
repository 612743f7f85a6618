import type { Route } from "../route.ts";
import { FailureMatrix } from "./failure-matrix.tsx";

/** The overview of one project or, without `project`, of all projects. */
export function Overview(props: { project?: string; route: Route }) {
  return (
    <div class="view coverage-view">
      <FailureMatrix {...props} />
    </div>
  );
}
