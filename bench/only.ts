/**
 * Returns the groups that `--only` names, comma-separated, or all without it.
 *
 * @throws Error for an unknown name, with the known ones
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
