/**
 * Returns the groups that the comma-separated `--only` names, or all groups without it.
 *
 * @throws Error for an unknown name, with the list of known names
 */
export function chosenGroups<Group>(groups: Readonly<Record<string, Group>>, only: string | undefined): Group[] {
  if (only === undefined) return Object.values(groups);
  return only.split(",").map((name) => {
    const group = Object.hasOwn(groups, name) ? groups[name] : undefined;
    if (group === undefined)
      throw new Error(`--only: expected ${Object.keys(groups).join(", ")}, found ${JSON.stringify(name)}`);
    return group;
  });
}
