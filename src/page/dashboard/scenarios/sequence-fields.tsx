import { useState } from "preact/hooks";
import { isObject } from "../../../contract/index.ts";
import type { Effects } from "../../../control/client/index.ts";
import type { ApiOperation } from "../api/document.ts";
import { useConfirm } from "../parts/dialog.tsx";
import { valueAt, withValue } from "./edit.ts";
import { EffectFields } from "./effect-fields.tsx";
import { useForm } from "./form.ts";
import { effectsInWords } from "./words.ts";

/** The members of a rule that are no effects. */
const notEffects = ["operation", "when", "after", "times", "probability", "sequence"];

/** The effects of a rule: the same for each request, or a sequence with one step for each request. */
export function RuleEffects({ operation }: { operation: ApiOperation | undefined }) {
  const { rule, change } = useForm();
  const confirm = useConfirm();
  const sequence = valueAt(rule, ["sequence"]);
  const steps = Array.isArray(sequence) ? sequence : undefined;
  const toggle = async () => {
    const members = Object.entries((rule ?? {}) as object);
    const others = Object.fromEntries(members.filter(([name]) => notEffects.includes(name) && name !== "sequence"));
    if (!steps) {
      const effects = Object.fromEntries(members.filter(([name]) => !notEffects.includes(name)));
      return change({ ...others, sequence: [effects, {}] }, ["sequence"]);
    }
    const lost = steps.slice(1).filter((step) => !isObject(step) || Object.keys(step).length > 0).length;
    const question = `Keep only the first step? The effects of ${lost === 1 ? "another step" : `${lost} other steps`} are lost.`;
    if (lost > 0 && !(await confirm({ question, yes: "Keep the first step" }))) return;
    const [first] = steps;
    change({ ...others, ...(isObject(first) ? first : {}) }, ["sequence"]);
  };
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          checked={steps !== undefined}
          onChange={({ currentTarget }) => {
            // The box changes with the rule: the user can cancel.
            currentTarget.checked = steps !== undefined;
            void toggle();
          }}
        />{" "}
        A sequence: each request gets the next step
      </label>
      {steps ? <Steps steps={steps} operation={operation} /> : <EffectFields at={[]} operation={operation} />}
    </>
  );
}

/** The steps of a sequence. Only one of them has its fields shown: a sequence can have a thousand. */
function Steps({ steps, operation }: { steps: readonly unknown[]; operation: ApiOperation | undefined }) {
  const { rule, change } = useForm();
  const [open, setOpen] = useState(0);
  const set = (next: readonly unknown[]) => change(withValue(rule, ["sequence"], next), ["sequence"]);
  return (
    <>
      <ol class="steps">
        {steps.map((step, index) => (
          <li key={index}>
            <div class="bar">
              <button
                type="button"
                class="quiet step"
                aria-expanded={open === index}
                onClick={() => setOpen(open === index ? -1 : index)}
              >
                {index + 1}. {isObject(step) ? safely(step) : "not an object"}
              </button>
              <button
                type="button"
                class="quiet icon"
                aria-label={`Remove step ${index + 1}`}
                disabled={steps.length === 1}
                onClick={() => set(steps.toSpliced(index, 1))}
              >
                ✕
              </button>
            </div>
            {open === index && (
              <div class="step-fields">
                <EffectFields at={["sequence", index]} operation={operation} />
              </div>
            )}
          </li>
        ))}
      </ol>
      <button
        type="button"
        onClick={() => {
          set([...steps, {}]);
          setOpen(steps.length);
        }}
      >
        Add step
      </button>
    </>
  );
}

/** Returns the effects in words, or as JSON while they are not as the schema says. */
function safely(step: object): string {
  try {
    return effectsInWords(step as Effects);
  } catch {
    return JSON.stringify(step).slice(0, 100);
  }
}
