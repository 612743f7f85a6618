import {
  closedObject,
  count,
  type FromSchema,
  MAX_SCENARIO_RULES,
  MAX_STEPS,
  MAX_TIMES,
  object,
  type Schema,
  string,
} from "../contract/index.ts";
import { effectSchemas } from "./effects/effect-table.ts";
import { OperationOrAny, requestParts, scenarioName } from "./matching/match-schema.ts";

/**
 * The schemas of scenario files and rules. The control API uses the same schemas.
 * `scenarios/scenario.schema.json` for editors is generated from them, and a test compares the two.
 */

/** The requests that a rule applies to. All members must match, as in a verification. */
export const When = {
  ...closedObject([], {
    ...requestParts,
    operation: { not: {}, description: "Set the operation in the rule itself, beside `when`." },
  }),
  description:
    "The conditions for a request. All members must match. Without `when`, the rule applies to every request of its operation.",
} as const satisfies Schema;
export type When = FromSchema<typeof When>;

/** The effects on a request. Of each kind, the effect with the highest precedence applies. */
export const Effects = closedObject([], effectSchemas);
export type Effects = FromSchema<typeof Effects>;

const times = { type: "integer", minimum: 1, maximum: MAX_TIMES } as const satisfies Schema;
const probability = { type: "number", minimum: 0, maximum: 1 } as const satisfies Schema;

export const Rule = {
  ...closedObject([], {
    operation: OperationOrAny,
    when: When,
    after: {
      type: "integer",
      minimum: 0,
      maximum: MAX_TIMES,
      description: "The number of matching requests that the rule skips before its first effect.",
    },
    times: {
      ...times,
      description: "The number of requests that the rule takes effect on; unlimited by default.",
    },
    probability: {
      ...probability,
      description: "The probability, from 0 to 1, that the rule takes effect on a matching request.",
    },
    ...effectSchemas,
    sequence: {
      type: "array",
      minItems: 1,
      maxItems: MAX_STEPS,
      items: Effects,
      description:
        "A list of effects. Each matching request gets the next item of the list; the item `{}` has no effect. By default, the rule ends after the last item. If the rule has `times`, the list repeats for that number of requests.",
    },
  }),
  description: "Effects, and the requests that they apply to.",
} as const satisfies Schema;
/** A rule in its JSON form. */
export type Rule = FromSchema<typeof Rule>;

const $schema = string;
const description = { type: "string", minLength: 1 } as const satisfies Schema;
const rules = {
  type: "array",
  minItems: 1,
  maxItems: MAX_SCENARIO_RULES,
  items: Rule,
  description: "Rules, highest precedence first. Of each kind of effect, the first matching rule applies.",
} as const satisfies Schema;

/** A scenario file. */
export const Scenario = closedObject(["description", "rules"], {
  $schema,
  description: { ...description, description: "What a client sees while the scenario is active, in one sentence." },
  rules,
});
export type Scenario = FromSchema<typeof Scenario>;

/** The options for activating a scenario. With `rules`, the call defines an inline scenario. */
export const Activation = closedObject([], {
  $schema,
  description,
  rules: { ...rules, description: "Defines an inline scenario under the name in the path." },
  times: {
    ...times,
    description:
      "The number of requests that the scenario takes effect on. A scenario that ends by itself repeats until then. By default, there is no other limit.",
  },
  probability: {
    ...probability,
    description: "The probability, from 0 to 1, that the scenario takes effect on a request.",
  },
});
export type Activation = FromSchema<typeof Activation>;

/** A time in milliseconds since 1970. */
const instant = { type: "number", minimum: -8.64e15, maximum: 8.64e15 } as const satisfies Schema;
const name = { type: "string", pattern: scenarioName.source } as const satisfies Schema;

/** A time in which a scenario was active, by the server's clock. Without `to`, it is still active. */
export const ScenarioPeriod = closedObject(["name", "from"], { name, from: instant, to: instant });
export type ScenarioPeriod = FromSchema<typeof ScenarioPeriod>;

/** The definition of an active scenario, as archives keep it. */
export const SavedScenario = closedObject(["name", "inline", "rules"], {
  name,
  description: string,
  times: Activation.properties.times,
  probability: Activation.properties.probability,
  inline: { type: "boolean", description: "Whether the call that activated the scenario contained its rules." },
  forAll: {
    const: true,
    description: "Set if the scenario is active for all projects. It has lower precedence than the others.",
  },
  rules: { type: "array", items: Rule, maxItems: MAX_SCENARIO_RULES },
});
export type SavedScenario = FromSchema<typeof SavedScenario>;

/** An active scenario, as the control API shows it. */
export const ActiveScenario = object(["name", "used", "inline", "rules"], {
  ...SavedScenario.properties,
  used: {
    ...count,
    description: "The number of requests that the scenario has affected. Each project counts its own requests.",
  },
});
export type ActiveScenario = FromSchema<typeof ActiveScenario>;

/** An added rule, as the control API shows it. */
export const AddedRule = object(["id", "used", "rule"], {
  id: { type: "string", description: "`r-1`, `r-2`, … in the order of adding; ids are never reused." },
  used: count,
  rule: Rule,
});
export type AddedRule = FromSchema<typeof AddedRule>;
