import fc from "fast-check";
import { expect, test } from "vitest";
import { IMAGE, NAMESPACE_ACTION, RESOURCE } from "../../src/contract/index.ts";
import {
  collectionIn,
  collectionOf,
  differences,
  emptyCollection,
  fileItem,
  type InitialItems,
  identity,
  imageFacts,
  initialState,
  itemBy,
  itemOf,
  recordOf,
  type State,
  StateDraft,
} from "../../src/state/index.ts";
import { StateDraft as OldDraft } from "../old-state/draft.ts";
import { recordOf as oldRecordOf } from "../old-state/resource-record.ts";
import { type State as OldState, emptyState as oldEmpty, resourceByKey } from "../old-state/state-value.ts";
import { runs } from "../setup/runs.ts";

const at = "2024-01-01T00:00:00.000Z";
const ids = fc.constantFrom("a", "b", "c", "seed-1", "seed-2");
const keys = fc.option(fc.constantFrom("k", "l", "seed-key"), { nil: undefined });
const write = fc.oneof(
  { weight: 4, arbitrary: fc.record({ put: ids, key: keys, version: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ remove: ids }) },
  fc.record({ image: fc.constantFrom("i", "j") }),
  fc.record({ removeImage: fc.constantFrom("i", "j") }),
  fc.record({ action: fc.option(fc.jsonValue(), { nil: undefined }) }),
  fc.record({ lastWritten: ids }),
  fc.constant({ number: true }),
);
type Write = typeof write extends fc.Arbitrary<infer Each> ? Each : never;

const seeds = [
  { id: "seed-1", key: "seed-key", objectTypeProperty: {} },
  { id: "seed-2", objectTypeProperty: {}, more: 1 },
];
const sample = collectionOf(seeds.map((seed) => itemOf(seed, { id: seed.id, now: at })));
const initial: InitialItems = {
  start: "sample",
  names: [RESOURCE],
  of: (name) => (name === RESOURCE ? sample : emptyCollection),
};

function draftOf(each: Extract<Write, { put: string }>) {
  const { put: id, key, version } = each;
  return { id, ...(key !== undefined && { key }), version, objectTypeProperty: { arrayOfIntExample: [version] } };
}

/** Whether a write gives a resource a key that another one has. The control API refuses this. */
const takesKey = (state: OldState, each: Write) =>
  "put" in each && each.key !== undefined && (resourceByKey(state, each.key)?.id ?? each.put) !== each.put;

function oldStep(state: OldState, writes: readonly Write[]): { state: OldState; changes: OldDraft["changes"] } {
  const draft = new OldDraft(state);
  for (const each of writes) {
    if (takesKey(draft.state, each)) continue;
    if ("put" in each) draft.put(oldRecordOf(draftOf(each), { id: each.put, now: at }));
    else if ("remove" in each) {
      if (draft.state.ids.has(each.remove)) draft.remove(each.remove);
    } else if ("image" in each) {
      const image = { id: each.image, contentType: "image/png", uploadedAt: at, bytes: new Uint8Array(2) };
      if (!draft.state.imageIds.has(each.image)) draft.addImage(image);
    } else if ("removeImage" in each) draft.removeImage(each.removeImage);
    else if ("action" in each) draft.setAction(each.action === undefined ? undefined : { body: each.action });
    else if ("lastWritten" in each) draft.setFacts({ lastWritten: each.lastWritten });
    else draft.nextNumber();
  }
  return draft;
}

function newStep(state: State, old: OldState, writes: readonly Write[]): StateDraft {
  const draft = new StateDraft(state);
  const model = new OldDraft(old);
  for (const each of writes) {
    const isRefused = takesKey(model.state, each);
    if (!isRefused && "put" in each) {
      model.put(oldRecordOf(draftOf(each), { id: each.put, now: at }));
      draft.put(RESOURCE, itemOf(draftOf(each), { id: each.put, now: at }));
    } else if ("remove" in each) {
      if (model.state.ids.has(each.remove)) model.remove(each.remove);
      draft.remove(RESOURCE, each.remove);
    } else if ("image" in each) {
      const isNew = !draft.in(IMAGE).ids.has(each.image);
      if (isNew) draft.put(IMAGE, fileItem(each.image, at, { contentType: "image/png" }, new Uint8Array(2)));
    } else if ("removeImage" in each) draft.remove(IMAGE, each.removeImage);
    else if ("action" in each) {
      if (each.action === undefined) draft.remove(NAMESPACE_ACTION, "");
      else draft.setSingleton(NAMESPACE_ACTION, each.action, at);
    } else if ("lastWritten" in each) draft.setFacts(RESOURCE, { lastWritten: each.lastWritten });
    else if ("number" in each) draft.nextNumber();
  }
  return draft;
}

/** What users see of the state, in both forms. */
function seenOld({ resources, deletedIds, deletedKeys, lastWritten, images, namespaceAction, numbered }: OldState) {
  return {
    resources: [...resources.values()],
    deleted: [[...deletedIds.keys()], [...deletedKeys.keys()]],
    byKey: ["k", "l", "seed-key"].map((key) => [...resources.values()].find((each) => each.key === key)?.id),
    lastWritten,
    images: [...images.values()].map(({ bytes: _, ...image }) => image),
    action: namespaceAction,
    numbered,
  };
}

function seenNew(state: State) {
  const [resources, images, action] = [RESOURCE, IMAGE, NAMESPACE_ACTION].map((name) => collectionIn(state, name));
  if (!resources || !images || !action) throw new Error("no collection");
  const gone = (member: string) => {
    const prefix = identity(member, "");
    return [...resources.gone.keys()]
      .filter((each) => each.startsWith(prefix))
      .map((each) => each.slice(prefix.length));
  };
  const body = [...action.items.values()][0];
  return {
    resources: Array.from(resources.items.values(), recordOf),
    deleted: [gone("id"), gone("key")],
    byKey: ["k", "l", "seed-key"].map((key) => itemBy(resources, "key", key)?.id),
    lastWritten: resources.facts.lastWritten,
    images: Array.from(images.items.values(), imageFacts),
    action: body && { body: body.content },
    numbered: state.numbered,
  };
}

function seededOld(): OldState {
  const draft = new OldDraft(oldEmpty);
  for (const seed of seeds) draft.put(oldRecordOf(seed, { id: seed.id, now: at }));
  return draft.state;
}

test("the state by type shows the same as the state before, after every step and at every earlier moment", () => {
  fc.assert(
    fc.property(fc.array(fc.array(write, { maxLength: 6 }), { maxLength: 12 }), (steps) => {
      let old = seededOld();
      let state = initialState(initial);
      const moments: { seen: unknown; changes: StateDraft["changes"] }[] = [];
      for (const writes of steps) {
        const seen = seenOld(old);
        expect(seenNew(state)).toEqual(seen);
        const draft = newStep(state, old, writes);
        moments.push({ seen, changes: draft.changes });
        const before = state;
        state = draft.state;
        old = oldStep(old, writes).state;
        // The differences lead from one state to the other, in both directions.
        const ahead = new StateDraft(before);
        for (const { table, in: name, id, after } of differences(before, state, Infinity) ?? []) {
          ahead.set(table, name, id, after as undefined);
        }
        expect(seenNew(ahead.state)).toEqual(seenNew(state));
        expect(ahead.state.size).toBe(state.size);
      }
      expect(seenNew(state)).toEqual(seenOld(old));
      const back = new StateDraft(state);
      for (const { seen, changes } of moments.toReversed()) {
        for (const { table, in: name, id, before } of changes.toReversed())
          back.set(table, name, id, before as undefined);
        expect(seenNew(back.state)).toEqual(seen);
      }
      expect(back.state.size).toBe(0);
      expect(collectionIn(initialState(initial), RESOURCE)).toBe(sample);
    }),
    runs(300, 3000),
  );
});
