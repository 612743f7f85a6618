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

/** Returns a pet, or undefined if no pet has the id. Throws an Error if the service fails. */
export async function readPet(baseUrl: string, id: number): Promise<Pet | undefined> {
  const response = await fetch(`${baseUrl}/pets/${id}`);
  if (response.status === 404) return undefined;
  if (response.status >= 400) throw new Error(`the service returned ${response.status}`);
  return (await response.json()) as Pet;
}

/** Adds a pet, and returns the pet with its id. Throws an Error with the message of the service if it rejects the pet. */
export async function addPet(baseUrl: string, pet: Pet): Promise<Pet & { readonly id: number }> {
  const response = await fetch(`${baseUrl}/pets`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(pet),
  });
  if (response.ok) return (await response.json()) as Pet & { readonly id: number };
  const { message } = (await response.json()) as { message: string };
  throw new Error(message);
}
