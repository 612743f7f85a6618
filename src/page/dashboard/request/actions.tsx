import type { RequestEntry } from "../../../control/client/index.ts";
import { copyText } from "../parts/copy.tsx";
import { Menu, MenuItem } from "../parts/menu.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { hrefOf } from "../route.ts";
import { assertionOf } from "./assertion.ts";
import { curlOf, variablesOf } from "./curl.ts";

interface ActionsProps {
  readonly project: string;
  readonly entry: RequestEntry;
}

/** What can be done with a request: send it again, make a rule of it, and copy it. */
export function Actions({ project, entry }: ActionsProps) {
  const toasts = useToasts();
  const curl = curlOf(entry, location.origin);
  const variables = variablesOf(entry);
  const copy = async (text: string, done: string) =>
    toasts.show((await copyText(text)) ? done : "The browser does not allow to copy");
  const names = variables.map((name) => `$${name}`).join(" and ");
  return (
    <>
      <a class="button" href={hrefOf({ project, view: "api", filter: { request: entry.id } })}>
        Resend
      </a>
      <Menu
        label="Commands for this request"
        kind="quiet icon"
        items={(close) => (
          <>
            {entry.operation !== undefined && (
              <MenuItem
                close={close}
                href={hrefOf({ project, view: "scenarios", filter: { request: entry.id } })}
                title="Opens the form for a rule, filled in from this request"
              >
                Make a rule
              </MenuItem>
            )}
            <MenuItem close={close} href={hrefOf({ project, item: entry.id, filter: { tab: "compare" } })}>
              Compare…
            </MenuItem>
            <hr />
            {curl === undefined ? (
              <p class="quiet">No cURL: the journal keeps only the start of the body.</p>
            ) : (
              <MenuItem
                close={close}
                onClick={() => copy(curl, variables.length > 0 ? `Copied. Set ${names} first` : "Copied")}
              >
                Copy as cURL
              </MenuItem>
            )}
            <MenuItem close={close} onClick={() => copy(assertionOf(entry), "Copied, for Vitest and Jest")}>
              Copy as assertion
            </MenuItem>
            <MenuItem
              close={close}
              onClick={() => copy(new URL(hrefOf({ project, item: entry.id }), location.href).href, "Copied")}
            >
              Copy link
            </MenuItem>
          </>
        )}
      >
        …
      </Menu>
    </>
  );
}
