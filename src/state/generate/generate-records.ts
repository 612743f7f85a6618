import type { Faker } from "@faker-js/faker";
import type { ArrayTestType } from "../../contract/index.ts";

/** The content of a generated resource, and a name for its key. */
interface GeneratedRecord {
  /** Lower-case words with hyphens between them. Not unique. */
  readonly name: string;
  readonly objectTypeProperty: ArrayTestType;
}

/** The number of records in one batch. The server can handle other requests between two batches. */
const BATCH = 500;

/**
 * Returns realistic articles of a shop. Each depends only on the seed (a whole number below 2^32) and its index in the
 * list: the first ten of a hundred equal a list of ten. The first call loads Faker.
 */
export async function generateRecords(count: number, seed: number): Promise<GeneratedRecord[]> {
  const { faker } = await import("@faker-js/faker/locale/en");
  const records: GeneratedRecord[] = [];
  while (records.length < count) {
    if (records.length > 0) await nextTurn();
    for (let done = 0; done < BATCH && records.length < count; done++) {
      // Seed Faker for each record, as other calls use the same Faker between two batches.
      faker.seed([seed, records.length]);
      records.push(generateRecord(faker));
    }
  }
  return records;
}

/** Resolves in the next turn of the event loop. Uses a message, as test suites can replace timers with fake timers. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

function generateRecord(faker: Faker): GeneratedRecord {
  const name = faker.commerce.productName();
  const price = faker.number.int({ min: 5, max: 300 });
  const firstSize = faker.number.int({ min: 32, max: 40 });
  const sizes = Array.from({ length: faker.number.int({ min: 2, max: 5 }) }, (_, index) => firstSize + 2 * index);
  const stock = sizes.map(() => faker.number.int({ min: 0, max: 40 }));
  const article = faker.number.int({ min: 100_000, max: 199_999 });
  const share = faker.number.int({ min: 50, max: 100 });
  return {
    name: name.toLowerCase().replace(/[^a-z0-9]+/g, "-"),
    objectTypeProperty: {
      arrayOfIntExample: stock,
      arrayOfUniqueIntExample: sizes.map((_, index) => article + index),
      arrayOfTwonumbersExample: [price - 0.05, price + faker.number.int({ min: 5, max: 80 }) - 0.05],
      arrayOfFloatExample: share === 100 ? [1] : [share / 100, (100 - share) / 100],
      arrayOfNumberNoDefaultsExample: sizes,
      arrayOfStringExample: [name, faker.color.human(), faker.commerce.productMaterial()],
      arrayOfObjectType: stock.map((inStock, index) => ({
        integerExample: 2_010_000_000_000 + article * 1000 + index,
        integerExampleInt32: inStock,
      })),
    },
  };
}
