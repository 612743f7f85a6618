import type { ComponentChildren } from "preact";

/** Code, strong text, emphasis, links and addresses (CommonMark). */
const inline =
  /`+([^`]+)`+|\*\*([^*]+)\*\*|(?<![\w*])[*_]([^*_\s][^*_]*)[*_](?!\w)|\[([^\]]+)\]\(([^)\s]+)[^)]*\)|<(https?:[^>\s]+)>/g;

/** Shows the inline marks of a text. Only addresses of web pages are links; HTML is text. */
export function Inline({ text }: { readonly text: string }) {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(inline)) {
    const { 0: whole, 1: code, 2: strong, 3: emphasis, 6: address = "", index: key } = match;
    const { 4: label = address, 5: href = address } = match;
    parts.push(text.slice(end, key));
    end = key + whole.length;
    if (code !== undefined) parts.push(<code key={key}>{code}</code>);
    else if (strong !== undefined) parts.push(<strong key={key}>{strong}</strong>);
    else if (emphasis !== undefined) parts.push(<em key={key}>{emphasis}</em>);
    else if (!/^https?:/.test(href)) parts.push(label);
    else
      parts.push(
        <a key={key} href={href} target="_blank" rel="noreferrer noopener">
          {label}
        </a>,
      );
  }
  return <>{[...parts, text.slice(end)]}</>;
}

const fenced = /^```\w*\n?([\s\S]*?)\n?```$/;
const item = /^\s*(?:[-*+]|\d+[.)])\s+(.*)$/;
/** The end of a line before the first item of a list. */
const beforeList = /^(?!\s*(?:[-*+]|\d+[.)])\s)(.+)\n(?=\s*(?:[-*+]|\d+[.)])\s)/gm;

/** Shows a description of a document: its headings, lists, quotes, code and paragraphs (CommonMark). */
export function Markdown({ text }: { readonly text: string }) {
  const blocks = text.replace(beforeList, "$1\n\n").split(/\n*(```[\s\S]*?```)\n*|\n\s*\n/);
  return (
    <div class="markdown">
      {blocks.filter(Boolean).map((block = "", index) => (
        <Block key={index} text={block.trim()} />
      ))}
    </div>
  );
}

function Block({ text }: { readonly text: string }) {
  const code = fenced.exec(text)?.[1];
  if (code !== undefined) return <pre>{code}</pre>;
  const lines = text.split("\n");
  if (lines.every((line) => item.test(line))) {
    return (
      <ul>
        {lines.map((line, index) => (
          <li key={index}>
            <Inline text={item.exec(line)?.[1] ?? ""} />
          </li>
        ))}
      </ul>
    );
  }
  const Tag = /^#{1,6}\s/.test(text) ? "h4" : lines.every((line) => line.startsWith(">")) ? "blockquote" : "p";
  return (
    <Tag>
      <Inline text={text.replace(/^(#+ |> ?(\[!\w+\])?)/gm, "")} />
    </Tag>
  );
}
