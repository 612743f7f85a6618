import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

interface Pet {
  readonly name: string;
  readonly kind: string;
}

const service = process.env.SERVICE_URL ?? "http://localhost:8080/shop";

createServer((request, response) => {
  handle(request, response).catch((error: Error) => response.writeHead(500).end(error.message));
}).listen(3000);

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === "/health") return void response.end("ok");
  const problem = request.method === "POST" ? await addPet(request) : "";
  const listed = await fetch(`${service}/pets`, { headers: baggageOf(request) });
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  if (!listed.ok) return void response.writeHead(503).end(alert("The pets are not available. Try again later."));
  response.end(page((await listed.json()) as Pet[], problem));
}

/** Adds the pet of the form. Returns the message of the service if the service rejects the pet. */
async function addPet(request: IncomingMessage): Promise<string> {
  const response = await fetch(`${service}/pets`, {
    method: "POST",
    headers: { ...baggageOf(request), "Content-Type": "application/json" },
    body: JSON.stringify(Object.fromEntries(new URLSearchParams(await text(request)))),
  });
  return response.ok ? "" : ((await response.json()) as { message: string }).message;
}

/** Returns the header that leads the mock to the sandbox of the test. The browser has sent the header. */
function baggageOf({ headers }: IncomingMessage): { baggage: string } {
  return { baggage: String(headers.baggage ?? "") };
}

function page(pets: readonly Pet[], problem: string): string {
  const items = pets.map(({ name, kind }) => `<li>${escaped(name)} (${escaped(kind)})</li>`);
  return `<title>Pets</title>${problem && alert(problem)}
<ul>${items.join("")}</ul>
<form method="post">
  <label>Name <input name="name"></label>
  <label>Kind <select name="kind"><option>dog</option><option>cat</option></select></label>
  <button>Add</button>
</form>`;
}

function alert(message: string): string {
  return `<p role="alert">${escaped(message)}</p>`;
}

function escaped(message: string): string {
  return message.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
