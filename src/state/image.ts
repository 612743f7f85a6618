/** An image as uploaded through operation 13. */
export interface StoredImage {
  readonly id: string;
  readonly filename?: string;
  /** The number of the product's variant, as sent. */
  readonly variant?: number;
  readonly sku?: string;
  readonly staged?: boolean;
  readonly contentType: string;
  /** RFC 3339, from the project's clock. */
  readonly uploadedAt: string;
  readonly bytes: Uint8Array;
}
