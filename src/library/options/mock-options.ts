import { settingNames } from "../../state/index.ts";
import type { MockOptions } from "../mock.ts";
import { flagsOf, type Options } from "./flags.ts";
import { projectsProblem, upstreamProblem } from "./options.ts";
import { Misuse } from "./values.ts";

/** Returns the options of the mock itself. */
export function mockOptions(options: Options<"serve">): MockOptions {
  const { fixtures, scenarios, scenario, seed, maxStateBytes, maxProjects, clients } = options;
  const { upstream, upstreamCa, upstreamTimeout, recordTo, projects, projectsReadOnly } = options;
  const problem = upstreamProblem(options, flagName) ?? projectsProblem(options, flagName);
  if (problem) throw new Misuse(problem);
  const settings = settingNames.map((name) => [name, options[name]]);
  return {
    fixtures,
    scenarios,
    scenario,
    seed,
    maxStateBytes,
    maxProjects,
    clients,
    upstream,
    upstreamCa,
    upstreamTimeout,
    recordTo,
    projects,
    projectsReadOnly,
    settings: Object.fromEntries(settings),
  };
}

function flagName(option: string): string {
  return `--${flagsOf("serve").find((flag) => flag.option === option)?.name}`;
}
