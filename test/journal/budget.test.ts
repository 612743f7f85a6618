import { expect, test } from "vitest";
import { type BudgetMember, FairBudget, levelOf } from "../../src/journal/budget.ts";

/** A member that records the limits of its `shrinkTo` calls. */
interface Member extends BudgetMember {
  bytes: number;
  readonly shrunkTo: number[];
}

/** Adds a member to the budget and records its size there. */
function addMember(budget: FairBudget, bytes: number): Member {
  const member: Member = {
    bytes: 0,
    shrunkTo: [],
    shrinkTo(size) {
      member.shrunkTo.push(size);
      const freed = member.bytes - size;
      member.bytes = size;
      budget.change(-freed);
    },
  };
  budget.add(member);
  grow(budget, member, bytes);
  return member;
}

function grow(budget: FairBudget, member: Member, bytes: number): void {
  member.bytes += bytes;
  budget.change(bytes);
}

test("a member shrinks only beyond the limit, and then to seven eighths of it", () => {
  const budget = new FairBudget(800);
  const member = addMember(budget, 800);
  expect([budget.bytes, member.shrunkTo]).toEqual([800, []]);
  grow(budget, member, 1);
  expect([budget.bytes, member.bytes, member.shrunkTo]).toEqual([700, 700, [700]]);
});

test("the default limit is 64 MiB", () => {
  const budget = new FairBudget();
  const member = addMember(budget, 64 * 1024 * 1024);
  expect(member.shrunkTo).toEqual([]);
  grow(budget, member, 1);
  expect(member.shrunkTo).toEqual([56 * 1024 * 1024]);
});

test("the largest members shrink once each, and smaller members keep all entries", () => {
  const budget = new FairBudget(800);
  const members = [80, 300, 90, 300].map((bytes) => addMember(budget, bytes));
  const largest = addMember(budget, 100);
  expect(budget.bytes).toBe(700);
  expect(members.map(({ shrunkTo }) => shrunkTo)).toEqual([[], [215], [], [215]]);
  expect(largest.shrunkTo).toEqual([]);
});

test("a removed member does not shrink", () => {
  const budget = new FairBudget(800);
  const [removed, other] = [addMember(budget, 500), addMember(budget, 200)];
  budget.remove(removed);
  grow(budget, other, 200);
  expect([removed.shrunkTo, other.shrunkTo]).toEqual([[], [200]]);
});

test("no member shrinks when the size of a member decreases", () => {
  const budget = new FairBudget(800);
  const unyielding = { bytes: 900, shrunkTo: 0, shrinkTo: () => void unyielding.shrunkTo++ };
  budget.add(unyielding);
  budget.change(900);
  budget.change(-10);
  expect(unyielding.shrunkTo).toBe(1);
});

test("the level is at least 0", () => {
  expect([levelOf([3, 2], 5), levelOf([3, 2], 10), levelOf([], 1)]).toEqual([0, 0, 0]);
});
