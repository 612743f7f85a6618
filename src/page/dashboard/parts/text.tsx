/** Shows a description. Text between backticks is code, and nothing else is markup. */
export function Prose({ text }: { readonly text: string }) {
  const parts = text.split(/`([^`]+)`/);
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}

/** Shows code in an area that scrolls. The label names the area for screen readers. */
export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups form fields, and this is text.
    <pre role="group" aria-label={label} tabIndex={0}>
      {text}
    </pre>
  );
}

export function Method({ name }: { readonly name: string }) {
  return <span class={`method ${name.toLowerCase()}`}>{name}</span>;
}
