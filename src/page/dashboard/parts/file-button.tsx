import { useRef } from "preact/hooks";

interface FileButtonProps {
  readonly children: string;
  /** The types that the browser offers: media types and endings of names. */
  readonly accept: string;
  readonly onFiles: (files: readonly File[]) => void;
  /** Whether the files of the last click are still in use. The button then ignores clicks. */
  readonly isBusy?: boolean;
  readonly title?: string;
  readonly kind?: "primary" | "quiet";
}

/** A button that lets the user choose files. */
export function FileButton({ children, accept, onFiles, isBusy = false, title, kind }: FileButtonProps) {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        class={kind}
        title={title}
        aria-disabled={isBusy || undefined}
        onClick={() => !isBusy && chooser.current?.click()}
      >
        {children}
      </button>
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        aria-label={children}
        accept={accept}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          // The same file can be chosen again.
          event.currentTarget.value = "";
          if (files.length > 0) onFiles(files);
        }}
      />
    </>
  );
}
