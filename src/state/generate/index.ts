export { generateBody } from "./generate-body.ts";
export { generateRecords } from "./generate-records.ts";
