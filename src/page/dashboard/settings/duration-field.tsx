/** A duration as the user enters it. */
export interface Duration {
  readonly amount: string;
  readonly unit: string;
}

/** Milliseconds by unit. */
const units: Readonly<Record<string, number>> = {
  milliseconds: 1,
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
};

interface DurationFieldProps {
  /** The accessible name begins with it. */
  readonly label: string;
  readonly value: Duration;
  readonly onChange: (duration: Duration) => void;
}

/** Two fields for a duration: a number, and its unit. */
export function DurationField({ label, value, onChange }: DurationFieldProps) {
  return (
    <>
      <input
        type="number"
        min={0}
        step="any"
        aria-label={`${label}: amount`}
        value={value.amount}
        onInput={(event) => onChange({ ...value, amount: event.currentTarget.value })}
      />
      <select
        aria-label={`${label}: unit`}
        value={value.unit}
        onChange={(event) => onChange({ ...value, unit: event.currentTarget.value })}
      >
        {Object.keys(units).map((unit) => (
          <option key={unit}>{unit}</option>
        ))}
      </select>
    </>
  );
}

/** Returns whole milliseconds. Throws an error for the user. */
export function millisecondsOf(label: string, { amount, unit }: Duration): number {
  const milliseconds = Math.round(Number(amount) * (units[unit] ?? 1));
  if (amount.trim() !== "" && milliseconds >= 0) return milliseconds;
  throw new Error(`${label}: expected a number of ${unit}, found ${amount ? `"${amount}"` : "none"}`);
}
