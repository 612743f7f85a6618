import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take the most time, in this order. A slow file that starts last would run alone on the machine. */
const slow = [
  "/package/recipes",
  "/package/runners",
  "/package/sweep",
  "/verify/deviations/",
  "/dashboard/",
  "/dashboard/api.test",
  "/sweep/",
  "/package/",
  "/cli/commands",
];

const rank = ({ moduleId }: TestSpecification) => {
  const index = slow.findIndex((part) => moduleId.includes(`/test${part}`));
  return index === -1 ? slow.length : index;
};

/** Starts slow files first. Vitest knows the durations only after a run, and a clean clone has none. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
