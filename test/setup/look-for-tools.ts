import { lookFor } from "./requirements.ts";

export default lookFor("tools");
