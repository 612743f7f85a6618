import { useLayoutEffect, useState } from "preact/hooks";

/** Phones, and narrow windows. The style sheets use the same width. */
const query = matchMedia("(max-width: 760px)");

/** Returns whether the window is as narrow as a phone. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(query.matches);
  useLayoutEffect(() => {
    const follow = () => setNarrow(query.matches);
    query.addEventListener("change", follow);
    return () => query.removeEventListener("change", follow);
  }, []);
  return isNarrow;
}
