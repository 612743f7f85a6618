export { createAccessLog } from "./access-log.ts";
export { createApp } from "./app.ts";
export { type Cors, corsOf } from "./cors.ts";
export { portable, requestParts } from "./request-parts.ts";
export { listen } from "./server.ts";
