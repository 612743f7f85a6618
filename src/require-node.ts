import { unsupportedNode } from "./library/node-version.ts";

// Every entry of the package loads this file before its other modules, which fail in an old Node.
const problem = unsupportedNode();
if (problem !== undefined) throw new Error(problem);
