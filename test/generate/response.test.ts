import { faker } from "@faker-js/faker/locale/en";
import { describe, expect, test } from "vitest";
import { declaredStatuses, type Operation } from "../../src/contract/operation-table.ts";
import { loadCheck } from "../../src/contract/validator.ts";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";
import { Cart, type Cart as CartType, Variant } from "../../src/services/generic-resource/schemas.ts";
import { generateBody, generateValue } from "../../src/state/generate/index.ts";
import { effort } from "../setup/runs.ts";

const SEEDS = Array.from({ length: 30 * effort }, (_, seed) => seed * 21_474_836);

describe("a generated response", () => {
  test.each(serviceContract.operations.map((operation): [string, Operation] => [operation.id, operation]))(
    "the response of %s matches the contract for many seeds and every status",
    async (_id, operation) => {
      for (const status of declaredStatuses(operation)) {
        const { schema } = operation.responses[status] ?? {};
        const check = schema && (await loadCheck(schema));
        for (const seed of SEEDS) {
          for (const collection of ["sample", "paged"] as const) {
            const value = await generateBody(operation, status, seed, collection, serviceContract);
            // Read the value as a client does, without values that JSON cannot contain.
            const read = value === undefined ? undefined : JSON.parse(JSON.stringify(value));
            const problems = check ? check(read) : [read].filter((body) => body !== undefined);
            if (problems.length > 0) expect([status, seed, collection, problems]).toEqual("a valid body");
          }
        }
      }
    },
  );

  test("is the same for the same seed, even if other code uses Faker", async () => {
    const cart = () => generateValue(Cart, 4711, serviceContract);
    const first = await cart();
    faker.commerce.productName();
    expect(await cart()).toEqual(first);
    const [second, , third] = await Promise.all([cart(), generateValue(Cart, 1, serviceContract), cart()]);
    expect([second, third]).toEqual([first, first]);
  });

  test("is the same on every machine", async () => {
    const variant = (await generateValue(Variant, 3, serviceContract)) as Record<string, unknown>;
    expect(variant).toMatchObject({
      id: "356f3eeb-e6b8-48a8-a914-f54ed8652c03",
      sku: "FJ-318777-40",
      isOnStock: false,
    });
    expect(variant.price).toEqual({ centAmount: 45199, currencyCode: "EUR", fractionDigits: 2 });
  });

  test("has realistic names, prices, colours and images, and correct sums", async () => {
    const items = [];
    for (const seed of SEEDS.slice(0, 20)) {
      const { lineItems = [], sum } = (await generateValue(Cart, seed, serviceContract)) as CartType;
      for (const { totalPrice, price, count = 0 } of lineItems) {
        expect(totalPrice?.centAmount).toBe(count * (price?.centAmount ?? 0));
      }
      expect(sum?.centAmount).toBe(lineItems.reduce((all, { totalPrice }) => all + (totalPrice?.centAmount ?? 0), 0));
      items.push(...lineItems);
    }
    expect(items.length).toBeGreaterThan(10);
    const colours: readonly string[] = faker.definitions.color.human;
    for (const { name, price, variant } of items) {
      expect(name).toMatch(/^[A-Z]\w+ [A-Z]\w+/);
      expect(price).toMatchObject({ currencyCode: "EUR", fractionDigits: 2 });
      expect(colours).toContain(variant?.attributes?.color?.label);
      for (const image of variant?.images ?? []) expect(URL.canParse(image)).toBe(true);
    }
  });
});
