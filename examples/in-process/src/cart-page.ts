interface Money {
  centAmount: number;
  fractionDigits: number;
  currencyCode: string;
}

interface Cart {
  lineItems: { name: string; count: number; totalPrice: Money }[];
  sum: Money;
}

export interface CartPageOptions {
  /** The address of the service with the project key. */
  baseUrl: string;
  /** How long to wait for the cart, in milliseconds. */
  patience: number;
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** Returns the cart page as text. If the service is slow or fails, the page says that the cart is not available. */
export async function cartPage({ baseUrl, patience, fetch = globalThis.fetch }: CartPageOptions): Promise<string> {
  let cart: Cart;
  try {
    const url = `${baseUrl}/resource/namespace-action-with-example`;
    const response = await fetch(url, { signal: AbortSignal.timeout(patience) });
    if (!response.ok) return "Your cart cannot be shown right now.";
    cart = (await response.json()) as Cart;
  } catch {
    return "Your cart cannot be shown right now.";
  }
  const lines = cart.lineItems.map(({ count, name, totalPrice }) => `${count} × ${name}: ${price(totalPrice)}`);
  return [...lines, `In all: ${price(cart.sum)}`].join("\n");
}

function price({ centAmount, fractionDigits, currencyCode }: Money): string {
  return `${(centAmount / 10 ** fractionDigits).toFixed(fractionDigits)} ${currencyCode}`;
}
