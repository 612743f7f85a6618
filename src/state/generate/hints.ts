import type { GeneratorSchema } from "../../contract/index.ts";

/* Realistic values for any contract: keywords of json-schema-faker by the format, or by the name of a member. */

/** Dates are before this instant, so that they do not depend on the clock. */
const refDate = "2025-01-01T00:00:00.000Z";

/** Functions of Faker, and the formats and members that have such values. A name applies to all names that end with it. */
const functions: readonly [names: string, faker: unknown][] = [
  ["email mail idn-email", "internet.email"],
  ["username login nickname handle", "internet.username"],
  ["firstname givenname", "person.firstName"],
  ["lastname surname familyname", "person.lastName"],
  ["fullname displayname author owner", "person.fullName"],
  ["phone phonenumber telephone mobile", { "phone.number": [{ style: "international" }] }],
  ["company companyname organization organizationname", "company.name"],
  ["street address streetaddress addressline line1 address1", "location.streetAddress"],
  ["city town", "location.city"],
  ["zip zipcode postalcode postcode", "location.zipCode"],
  ["country", "location.country"],
  ["countrycode", "location.countryCode"],
  ["latitude lat", "location.latitude"],
  ["longitude lng lon", "location.longitude"],
  ["locale language languagecode", { "helpers.arrayElement": [["en", "de", "fr", "es", "it"]] }],
  ["name product productname", "commerce.productName"],
  ["price amount cost", { "commerce.price": [{ min: 5, max: 300 }] }],
  ["currency currencycode", { "helpers.arrayElement": [["EUR", "USD", "GBP"]] }],
  ["duration", { "helpers.fromRegExp": ["P[1-9]DT[1-9]H"] }],
  ["byte", { "string.alphanumeric": [12] }],
  ["color colour", "color.human"],
  ["title subject headline label", "company.catchPhrase"],
  ["description summary message comment text body note notes content", "lorem.sentence"],
  ["uri iri url href website homepage link", "internet.url"],
  ["image imageurl photo photourl thumbnail avatar avatarurl picture", "image.url"],
  ["hostname domain host idn-hostname", "internet.domainName"],
  ["ipv4 ip ipaddress", "internet.ipv4"],
  ["slug key", "lorem.slug"],
  ["uuid id guid", "string.uuid"],
  ["count total quantity size limit", { "number.int": [{ min: 1, max: 20 }] }],
  ["date-time date createdat updatedat modifiedat deletedat", { "date.past": [{ years: 2, refDate }] }],
];

/** Formats whose texts json-schema-faker makes. */
const formats = ["time", "ipv6", "json-pointer", "relative-json-pointer", "uri-reference"];

const byName = new Map<string, GeneratorSchema>([
  ...functions.flatMap(([names, faker]) => names.split(" ").map((name) => [name, { faker }] as const)),
  ...formats.map((format) => [format, { format }] as const),
]);

/** Returns keywords for a value by its format, else by the longest known end of its name: `customer.first_names`. */
export function hintFor(name: string, format = ""): GeneratorSchema | undefined {
  const words = name.match(/[A-Z]?[a-z]+\d*|[A-Z]+(?![a-z])/g) ?? [];
  const ends = [3, 2, 1].map((count) => words.slice(-count).join("").toLowerCase());
  const singular = ends.map((end) => end.replace(/ies$/, "y").replace(/s$/, ""));
  return [format, ...ends, ...singular].map((each) => byName.get(each)).find((hint) => hint !== undefined);
}
