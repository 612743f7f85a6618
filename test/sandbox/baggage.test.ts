// @module-tag tools
import { defaultTextMapSetter, propagation, ROOT_CONTEXT } from "@opentelemetry/api";
import { W3CBaggagePropagator } from "@opentelemetry/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { baggageValue } from "../../src/state/sandbox.ts";
import { runs } from "../setup/runs.ts";

describe("the examples of the W3C specification", () => {
  test.each([
    ["key1=value1;property1;property2, key2 = value2, key3=value3; propertyKey=propertyValue", "key1", "value1"],
    ["key1=value1;property1;property2, key2 = value2, key3=value3; propertyKey=propertyValue", "key2", "value2"],
    ["key1=value1;property1;property2, key2 = value2, key3=value3; propertyKey=propertyValue", "key3", "value3"],
    ["userId=alice,serverNode=DF%2028,isProduction=false", "serverNode", "DF 28"],
    ["userId=alice,serverNode=DF%2028,isProduction=false", "isProduction", "false"],
    ["userId =   alice, serverNode = DF%2028, isProduction = false", "userId", "alice"],
    ["userId =   alice, serverNode = DF%2028, isProduction = false", "serverNode", "DF 28"],
  ])("in the baggage %s, the value of %s is %s", (header, key, value) => {
    expect(baggageValue(header, key)).toBe(value);
  });
});

describe("a baggage header", () => {
  test.each([
    ["no member of the key", "a=1,b=2", undefined],
    ["an empty text", "", undefined],
    ["empty members", ",, ,k=v,,", "v"],
    ["white space around each part", "SomeKey \t = \t x \t , \t k \t = \t v \t ; \t p \t ", "v"],
    ["properties", "k=v;p;q=r;k=other", "v"],
    ["a property of the same name", "a=1;k=other,b=2", undefined],
    ["an equals sign in the value", "k=a=b", "a=b"],
    ["several members of the key", "k=first,a=1,k=last", "last"],
    ["a key in another case", "K=v", undefined],
    ["a longer key", "kk=v,k.=v", undefined],
    ["an empty value", "k=", ""],
    ["a member without a value", "k", ""],
    ["a percent-encoded value", "k=%74%31%20%C3%A4", "t1 ä"],
    ["a plus sign, which is no space", "k=a+b", "a+b"],
    ["an invalid percent-encoding", "k=%zz", "%zz"],
    ["bytes that are not UTF-8", "k=%ff", "%ff"],
    ["malformed other members", '=,==,a,"b,c d=e;;,\\=,%=%,k=v,\u0000', "v"],
  ])("with %s", (_name, header, value) => {
    expect(baggageValue(header, "k")).toBe(value);
  });
});

test("a value that OpenTelemetry has written is read unchanged, among other members", () => {
  const propagator = new W3CBaggagePropagator();
  const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{2,9}$/), text), text, (others, value) => {
      const members = { ...others, "mock-sandbox": value };
      const entries = Object.entries(members).map(([key, each]) => [key, { value: each }] as const);
      const carrier: Record<string, string> = {};
      const baggage = propagation.createBaggage(Object.fromEntries(entries));
      propagator.inject(propagation.setBaggage(ROOT_CONTEXT, baggage), carrier, defaultTextMapSetter);
      for (const [key, expected] of Object.entries(members)) {
        expect(baggageValue(carrier.baggage ?? "", key)).toBe(expected);
      }
    }),
    runs(200),
  );
});
