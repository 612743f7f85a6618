interface ChangedMeanwhileProps {
  /** The new value in words. */
  readonly value: string;
  readonly overwrite: () => unknown;
  readonly discard: () => void;
}

/** Says that another client has changed a setting for which the user has a draft. */
export function ChangedMeanwhile({ value, overwrite, discard }: ChangedMeanwhileProps) {
  return (
    <p class="notice bar" role="status">
      <span>Changed meanwhile to {value}.</span>
      <button type="button" onClick={overwrite}>
        Overwrite
      </button>
      <button type="button" onClick={discard}>
        Discard my change
      </button>
    </p>
  );
}
