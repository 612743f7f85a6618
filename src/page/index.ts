/**
 * The pages: the dashboard and the API reference. They call the control API as any other client does.
 */

export { pages } from "./pages.ts";
