/**
 * The pages: the dashboard with its API view. They call the control API as any other client does.
 */

export { pages } from "./pages.ts";
