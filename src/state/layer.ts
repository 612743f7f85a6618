import type { StateAccount } from "./budget.ts";

/** A part of a state, such as a resource, with its size in bytes and the place of its layer. */
export interface Part {
  readonly bytes: number;
  readonly place: Place;
}

/**
 * The place of parts. Parts refer to a place, not to a layer, so that parts do not keep removed layers in memory. When two
 * layers are merged, the place of one becomes part of the place of the other (a disjoint-set forest).
 */
interface Place {
  layer: Layer;
  /** The place that this place was merged into. */
  within?: Place;
  /** The maximum number of steps from another place to this place. */
  height: number;
}

/** Returns the layer that holds the part now. */
function layerOf(part: Part): Layer {
  return outermost(part.place).layer;
}

function outermost(place: Place): Place {
  let found = place;
  while (found.within) found = found.within;
  return found;
}

/** Merges one place into another, for the parts of `layer`. Returns the merged place. */
function united(one: Place, other: Place, layer: Layer): Place {
  const [inner, outer] = one.height > other.height ? [other, one] : [one, other];
  inner.within = outer;
  outer.height = Math.max(outer.height, inner.height + 1);
  outer.layer = layer;
  return outer;
}

/**
 * A layer counts the bytes that were written to a state between two captures.
 *
 * A captured state never changes: the first write after the capture opens a new layer on top. States share layers, and each
 * layer counts once. A layer also counts the bytes of lower layers that its state has replaced or deleted. If only one
 * layer needs the layer below, the two are merged, and these bytes are freed. Therefore the time to capture, restore or
 * release a state does not depend on its size.
 *
 * Two states can start from the same state, by a fork or by restoring a snapshot. Parts that both have replaced then count
 * until one of the two states is released.
 */
export class Layer {
  /** The account that the bytes count for. A layer without an account does not count, such as the shared seed. */
  #account: StateAccount | undefined;
  /** The place of the parts that are written to this layer. */
  place: Place = { layer: this, height: 0 };
  #below: Layer | undefined;
  readonly #above = new Set<Layer>();
  /** The accounts of the states, current or captured, whose top layer is this layer. */
  readonly #states: StateAccount[] = [];
  #bytes = 0;
  /** The bytes of replaced or deleted parts in lower layers, by their place. */
  #hidden = new Map<Place, number>();

  constructor(account?: StateAccount, below?: Layer) {
    this.#account = account;
    if (account) this.#states.push(account);
    // A layer that does not count is never freed, so it need not know the layers above it.
    if (account && below?.isPaid) this.#putOn(below);
  }

  /** Whether the layer counts for an account. */
  get isPaid(): boolean {
    return this.#account !== undefined;
  }

  /** Whether a write needs a new layer: a captured state or another layer uses this layer, or it does not count. */
  get isShared(): boolean {
    return this.#states.length > 1 || this.#above.size > 0 || !this.#account;
  }

  /** Returns the bytes that are freed when this layer's state loses a part: 0 if a lower layer holds the part. */
  freedBy(part: Part): number {
    return layerOf(part) === this ? part.bytes : 0;
  }

  /** Adds bytes to this layer. */
  add(bytes: number): void {
    if (!this.#account) return;
    this.#bytes += bytes;
    this.#account.change(bytes);
  }

  /** Removes a part from this layer's state. */
  remove(part: Part): void {
    const layer = layerOf(part);
    if (layer === this) this.add(-part.bytes);
    else if (layer.#account) this.#hide(part.place, part.bytes);
  }

  /** Adds a state whose top layer is this layer, with its account. */
  hold(account: StateAccount | undefined): void {
    if (this.#account && account) this.#states.push(account);
  }

  /** Removes a state whose top layer was this layer. */
  release(account: StateAccount | undefined): void {
    if (!this.#account || !account) return;
    this.#states.splice(this.#states.indexOf(account), 1);
    this.#settle();
  }

  #settle(): void {
    const [above] = this.#above;
    if (this.#states.length > 0) this.#chargeTo(this.#states[0]);
    else if (!above) this.#discard();
    else if (this.#above.size > 1) this.#chargeTo(above.#account);
    else above.#absorb(this);
  }

  /** Moves the bytes to another account: the project of the old account may be closed. */
  #chargeTo(account: StateAccount | undefined): void {
    const bytes = this.#bytes;
    this.add(-bytes);
    this.#account = account;
    this.add(bytes);
  }

  #discard(): void {
    this.add(-this.#bytes);
    const below = this.#below;
    if (!below) return;
    below.#above.delete(this);
    below.#settle();
  }

  /** Merges the layer below into this layer. Frees the bytes of parts that this layer hides. */
  #absorb(below: Layer): void {
    let bytes = below.#bytes;
    const hidden = [...this.#hidden, ...below.#hidden];
    this.#hidden = new Map();
    for (const [place, hiddenBytes] of hidden) {
      if (outermost(place).layer === below) bytes -= hiddenBytes;
      else this.#hide(place, hiddenBytes);
    }
    below.add(-below.#bytes);
    this.add(bytes);
    this.place = united(this.place, below.place, this);
    const lower = below.#below;
    if (lower) lower.#above.delete(below);
    this.#putOn(lower);
  }

  #putOn(below: Layer | undefined): void {
    this.#below = below;
    if (below) below.#above.add(this);
  }

  #hide(place: Place, bytes: number): void {
    const outer = outermost(place);
    this.#hidden.set(outer, (this.#hidden.get(outer) ?? 0) + bytes);
  }
}
