/** The control of a mock by an agent, with the Model Context Protocol. */
export { serveTools } from "./mcp-server.ts";
