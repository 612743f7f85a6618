import { expect, test } from "vitest";
import { StateBudget } from "../../src/state/state-budget.ts";

test("above 85 % of the memory of the process, nothing is added until there is room again", () => {
  let share = 0.5;
  let measured = 0;
  const budget = new StateBudget(1e9, () => {
    measured++;
    return share;
  });
  const account = { key: "shop", size: 0 };
  const change = (by: number) => {
    budget.require(by);
    account.size += by;
    budget.change(account, by);
  };
  const add = () => change(600_000);
  add();
  add();
  expect(measured).toBe(1);
  share = 0.86;
  add();
  expect(add).toThrow(
    'Memory of the process: expected at most 85 % of Node\'s limit, found more. Project "shop" uses most',
  );
  expect(() => change(1)).toThrow("Memory of the process");
  change(-600_000);
  share = 0.84;
  change(1);
  expect(budget.bytes).toBe(1_200_001);
});
