/** Outlines in a square of 16 units, by name. */
const outlines = {
  requests: "M2.5 4h11M2.5 8h11M2.5 12h7",
  failures: "M8 2.5 14 13H2L8 2.5ZM8 6.5v3M8 11.4v.1",
  data: "M3 4c0-1 2.2-1.7 5-1.7S13 3 13 4s-2.2 1.7-5 1.7S3 5 3 4Zm0 0v8c0 1 2.2 1.7 5 1.7s5-.7 5-1.7V4M3 8c0 1 2.2 1.7 5 1.7S13 9 13 8",
  mocks: "M2.5 5h6M12.5 5h1M10.5 3v4M2.5 11h1M7.5 11h6M5.5 9v4",
  api: "M5.5 4 2 8l3.5 4M10.5 4 14 8l-3.5 4",
  settings:
    "M8 10.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4ZM8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6 5 5M11 11l1.4 1.4M12.4 3.6 11 5M5 11l-1.4 1.4",
  filter: "M2 4h12M4.5 8h7M6.5 12h3",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  close: "m4 4 8 8M12 4l-8 8",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  chevron: "m4.5 6.5 3.5 3.5 3.5-3.5",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  play: "M5 3.5v9l7-4.5z",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
} as const;
export type IconName = keyof typeof outlines;

/** A drawing beside a text, or in a button that has an accessible name. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon-drawing" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={outlines[name]} />
    </svg>
  );
}
