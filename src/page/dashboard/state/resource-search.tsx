import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { navigate, type Route } from "../route.ts";
import { withFilter } from "./filter.ts";

/** The time after the last key until the search starts, in milliseconds. */
const PAUSE_MS = 150;

/** The search fields of the resources. The URL holds their values. */
export function ResourceSearch({ route }: { route: Route }) {
  const { q = "", where = "" } = route.filter;
  const [text, setText] = useState(q);
  const [predicate, setPredicate] = useState(where);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(route);
  latest.current = route;
  /** The last text in the URL that this field has set. */
  const sent = useRef(q);
  // The back button and "Clear the search" change the URL. The user may have typed more since the field has set it.
  useLayoutEffect(() => {
    if (q === sent.current) return;
    clearTimeout(timer.current);
    sent.current = q;
    setText(q);
  }, [q]);
  useLayoutEffect(() => setPredicate(where), [where]);
  useLayoutEffect(() => () => clearTimeout(timer.current), []);

  const search = (value: string) => {
    setText(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = value.trim();
      navigate(withFilter(latest.current, { q: sent.current }), { replace: true });
    }, PAUSE_MS);
  };
  const apply = () => {
    if (predicate.trim() !== where) navigate(withFilter(route, { where: predicate.trim() }));
  };
  return (
    <search>
      <form
        class="bar"
        onSubmit={(event) => {
          event.preventDefault();
          apply();
        }}
      >
        <input
          type="search"
          aria-label="Search resources"
          placeholder="Search id and key"
          value={text}
          onInput={(event) => search(event.currentTarget.value)}
        />
        <input
          class="where"
          aria-label="Where"
          placeholder="where: version > 1 and key is defined"
          title="A predicate of the service, as in the parameter where of queryWithSortedParameters"
          spellcheck={false}
          value={predicate}
          onInput={(event) => setPredicate(event.currentTarget.value)}
          onChange={apply}
        />
        <button type="submit">Search</button>
      </form>
    </search>
  );
}
