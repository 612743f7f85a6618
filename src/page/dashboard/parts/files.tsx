import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Connection, callControl } from "../../../control/client/index.ts";
import { useToasts } from "./action.tsx";

/** Returns a function that copies a text to the clipboard, and shows a toast. */
export function useCopy(): (text: string, done?: string) => Promise<void> {
  const toasts = useToasts();
  return async (text, done = "Copied") =>
    toasts.show((await copyText(text)) ? done : "The browser does not allow to copy");
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages without a secure context have no clipboard, so the text is copied by a selection, with the older command.
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    return isCopied;
  }
}

interface CopyProps {
  readonly children: ComponentChildren;
  /** Returns the text; called on each click. */
  readonly text: () => string;
  readonly label?: string;
  readonly kind?: "quiet";
}

export function CopyButton({ children, text, label, kind }: CopyProps) {
  const copy = useCopy();
  return (
    <button type="button" class={kind} onClick={() => void copy(text())} aria-label={label}>
      {children}
    </button>
  );
}

/** Reads a path of the control API, and lets the browser save the content as a file. */
export async function saveFrom(connection: Connection, below: string, name: string, query = {}): Promise<void> {
  const response = await callControl(connection, { method: "GET", path: below, query });
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken over the file after the current task.
  setTimeout(() => URL.revokeObjectURL(url));
}

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

export function base64Of(bytes: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^.*?,/, ""));
    reader.onerror = () => reject(reader.error ?? new Error("The browser cannot read the file"));
    reader.readAsDataURL(bytes);
  });
}

interface PictureProps {
  readonly alt: string;
  /** Reads the image. The client sends the admin token, which an address in `src` could not. */
  readonly bytes: () => Promise<Blob>;
}

/** A picture from bytes that the page has or reads, or a text if the browser cannot show it. */
export function Picture({ alt, bytes }: PictureProps) {
  const [state, setState] = useState<{ readonly url?: string; readonly isBroken?: boolean }>({});
  useLayoutEffect(() => {
    let url: string | undefined;
    let isUnmounted = false;
    bytes().then(
      (blob) => {
        if (isUnmounted) return;
        url = URL.createObjectURL(blob);
        setState({ url });
      },
      () => setState({ isBroken: true }),
    );
    return () => {
      isUnmounted = true;
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, []);
  if (state.isBroken) return <span class="quiet">This image cannot be shown as a picture.</span>;
  if (state.url === undefined) return <span class="quiet">Loading…</span>;
  return <img class="picture" src={state.url} alt={alt} onError={() => setState({ isBroken: true })} />;
}
