import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Connection, callControl } from "../../../control/client/index.ts";
import { PlainButton, type PlainProps, useToasts } from "./action.tsx";

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

export function CopyButton({ text, ...button }: PlainProps & { readonly text: string }) {
  const copy = useCopy();
  return <PlainButton {...button} onClick={() => void copy(text)} />;
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
}

export function FileButton({ children, accept, onFiles, isBusy = false, title }: FileButtonProps) {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <PlainButton title={title} aria-disabled={isBusy} onClick={() => !isBusy && chooser.current?.click()}>
        {children}
      </PlainButton>
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

export async function base64Of(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

interface PictureProps {
  readonly alt: string;
  /** Reads the image. The client sends the admin token, which an address in `src` could not. */
  readonly bytes: () => Promise<Blob>;
}

/** A picture from bytes that the page has or reads, or a text if the browser cannot show it. */
export function Picture({ alt, bytes }: PictureProps) {
  const [url, setUrl] = useState<string>();
  const fail = () => setUrl("");
  useLayoutEffect(() => void bytes().then((blob) => setUrl(URL.createObjectURL(blob)), fail), []);
  if (url === undefined) return <span class="quiet">Loading…</span>;
  if (url === "") return <span class="quiet">This image cannot be shown as a picture.</span>;
  return <img class="picture" src={url} alt={alt} onLoad={() => URL.revokeObjectURL(url)} onError={fail} />;
}
