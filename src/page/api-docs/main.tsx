import { render } from "preact";
import { App } from "./app.tsx";

const root = document.getElementById("docs");
if (root) render(<App />, root);
