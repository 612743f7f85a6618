import { decodedPath } from "../../contract/index.ts";
import { sandboxOf } from "../../state/index.ts";

/** The path parameter of every operation of a project. */
export const PROJECT_KEY = "projectKey";

/** Returns a path in which equal percent-encodings have one form (RFC 3986, 6.2.2): `%7e` is `~`, `%2f` is `%2F`. */
function normalized(path: string): string {
  return path
    .replace(/%[\da-f]{2}/gi, (code) => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : code.toUpperCase();
    })
    .replace(/[^!-~]+|["<>\\^`{|}]/g, (characters) => encodeURIComponent(characters.toWellFormed()));
}

/** Returns the key of the project without its sandbox, as paths have it: `shop` for `shop~t1`. */
export function plainKey(projectKey: string): string {
  const sandbox = sandboxOf(projectKey);
  return sandbox === undefined ? projectKey : projectKey.slice(0, -`~${sandbox}`.length);
}

/**
 * Returns the texts that an expected path can equal: the path as sent, normalized and decoded. A sandbox in the path, as in
 * `/shop~t1/resource`, can be left out.
 */
export function formsOf(sent: string): readonly string[] {
  if (!/[^\w!$&'()*+,./:;=@-]/.test(sent)) return [sent];
  const forms = [sent, normalized(sent), decodedPath(sent)];
  const plain = forms.map((form) => form.replace(/^(\/[^/]+)~[\w.-]+(?=\/|$)/, "$1"));
  return [...new Set([...forms, ...plain])];
}

/** Returns a test of the forms of a path: one must equal the expected path, or start with it if it has * at its end. */
export function pathTest(expected: string): (forms: readonly string[]) => boolean {
  const isPrefix = expected.endsWith("*");
  const text = isPrefix ? expected.slice(0, -1) : expected;
  const texts = [text, normalized(text)];
  return (forms) => forms.some((form) => texts.some((each) => (isPrefix ? form.startsWith(each) : form === each)));
}
