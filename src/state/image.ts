/** An image that a client uploaded with `uploadImage`. */
export interface StoredImage {
  readonly id: string;
  readonly filename?: string;
  /** The number of the product variant, as sent. */
  readonly variant?: number;
  readonly sku?: string;
  readonly staged?: boolean;
  readonly contentType: string;
  /** RFC 3339, from the project's clock. */
  readonly uploadedAt: string;
  readonly bytes: Uint8Array;
}
