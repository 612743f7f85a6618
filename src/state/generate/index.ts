export { generateRecords } from "./records.ts";
export { generateBody } from "./response.ts";
