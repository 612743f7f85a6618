/** A pet, as the document petstore.yaml describes it. */
export interface Pet {
  readonly id?: number;
  readonly name: string;
  readonly kind: "dog" | "cat";
}

/** Returns the names of the pets. Throws an Error if the service fails. */
export async function petNames(baseUrl: string): Promise<string[]> {
  const response = await fetch(`${baseUrl}/pets?limit=10`);
  if (response.status >= 400) throw new Error(`the service returned ${response.status}`);
  return ((await response.json()) as Pet[]).map(({ name }) => name);
}

/** Adds a pet. Throws an Error with the message of the service if the service rejects the pet. */
export async function addPet(baseUrl: string, pet: Pet): Promise<void> {
  const response = await fetch(`${baseUrl}/pets`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(pet),
  });
  if (response.ok) return;
  const { message } = (await response.json()) as { message: string };
  throw new Error(message);
}
