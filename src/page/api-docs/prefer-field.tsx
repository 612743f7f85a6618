import { useId, useState } from "preact/hooks";
import type { ApiOperation } from "./document.ts";
import { callControl, useSession } from "./session.ts";

interface PreferFieldProps {
  readonly operation: ApiOperation;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The field for the header `Prefer`, with the values that the operation and the mock know. */
export function PreferField({ operation: { responses }, value, onChange }: PreferFieldProps) {
  const { adminToken } = useSession();
  const [scenarios, setScenarios] = useState<readonly string[]>();
  const id = useId();
  const load = async () => {
    if (scenarios) return;
    setScenarios([]);
    const { scenarios: known } = await callControl<{ scenarios: { name: string }[] }>(adminToken, "/scenarios").catch(
      () => ({ scenarios: [] }),
    );
    setScenarios(known.map(({ name }) => `scenario=${name}`));
  };
  const examples = responses.flatMap(([, { content = {} }]) =>
    Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples).filter((name) => name !== "default")),
  );
  const choices = [
    ...responses.map(([status]) => `code=${status}`),
    ...[...new Set(examples)].map((name) => `example=${name}`),
    "dynamic=true, seed=1",
    ...(scenarios ?? []),
  ];
  return (
    <label>
      <span>
        Prefer<span class="quiet"> selects another response of the mock</span>
      </span>
      <input
        list={id}
        value={value}
        placeholder="code=503"
        onFocus={() => void load()}
        onInput={(event) => onChange(event.currentTarget.value)}
        autocomplete="off"
        spellcheck={false}
      />
      <datalist id={id}>
        {choices.map((choice) => (
          <option key={choice} value={choice} />
        ))}
      </datalist>
    </label>
  );
}
