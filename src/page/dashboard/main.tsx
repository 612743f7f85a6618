import { render } from "preact";
import { App } from "./app.tsx";

const root = document.getElementById("dashboard");
if (root) render(<App />, root);
