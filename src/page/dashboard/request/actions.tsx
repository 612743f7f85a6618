import type { RequestEntry } from "../../../control/client/index.ts";
import { useSession } from "../live/session.ts";
import { useCopy } from "../parts/files.tsx";
import { Menu, MenuItem } from "../parts/menu.tsx";
import { hrefOf } from "../route.ts";
import { assertionOf, curlOf, variablesOf } from "./copies.ts";

/** What can be done with a request: send it again, make a rule of it, and copy it. */
export function Actions({ entry }: { readonly entry: RequestEntry }) {
  const { project } = useSession();
  const copy = useCopy();
  const curl = curlOf(entry, location.origin);
  const variables = variablesOf(entry);
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
                onClick={() => copy(curl, variables.length > 0 ? `Copied. Set ${names} first` : undefined)}
              >
                Copy as cURL
              </MenuItem>
            )}
            <MenuItem close={close} onClick={() => copy(assertionOf(entry), "Copied, for Vitest and Jest")}>
              Copy as assertion
            </MenuItem>
            <MenuItem
              close={close}
              onClick={() => copy(new URL(hrefOf({ project, item: entry.id }), location.href).href)}
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
