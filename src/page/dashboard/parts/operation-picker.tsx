import { useMemo } from "preact/hooks";
import { useOperationLines } from "../live/contract.ts";
import { type Choice, Picker } from "./search-list.tsx";
import { Method } from "./text.tsx";

interface OperationPickerProps {
  readonly label: string;
  /** The id of the chosen operation, or the value of one of `others`. */
  readonly current: string;
  readonly onChoose: (id: string) => void;
  /** What can be chosen besides operations, such as every operation. */
  readonly others?: readonly Choice[];
}

/** A choice of one operation of the service, by its method, path, summary or id. */
export function OperationPicker({ others = [], current, ...picker }: OperationPickerProps) {
  const { value: operations } = useOperationLines();
  const choices = useMemo(() => {
    const known = (operations ?? []).map(
      ({ id, method, path, summary }): Choice => ({
        value: id,
        text: `${method} ${path} ${summary} ${id}`,
        shown: (
          <>
            <Method name={method} /> {path}
          </>
        ),
        hint: summary,
      }),
    );
    // The contract may have no such operation, or is still loading.
    const isKnown = [...others, ...known].some(({ value }) => value === current);
    return [...others, ...(isKnown ? [] : [{ value: current, text: current }]), ...known];
  }, [operations, current]);
  return <Picker placeholder="Method, path, summary or id" {...{ ...picker, current, choices }} />;
}
