import { expect, test } from "vitest";
import { StateAccount, StateBudget } from "../../src/state/budget.ts";

test("above 85 % of the memory of the process, nothing is added until there is room again", () => {
  let share = 0.5;
  let measured = 0;
  const budget = new StateBudget(1e9, () => {
    measured++;
    return share;
  });
  const account = new StateAccount("shop", budget);
  const add = () => account.reserve(600_000);
  add();
  add();
  expect(measured).toBe(1);
  share = 0.86;
  add();
  expect(add).toThrow(
    'Memory of the process: expected at most 85 % of Node\'s limit, found more. Project "shop" uses most',
  );
  expect(() => account.reserve(1)).toThrow("Memory of the process");
  account.reserve(-600_000);
  share = 0.84;
  account.reserve(1);
  expect(account.bytes).toBe(1_200_001);
});
