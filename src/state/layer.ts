import type { StateAccount } from "./budget.ts";

/** A part of a state, such as a resource, with its size in bytes and its place among the layers. */
export interface Part {
  readonly bytes: number;
  readonly place: Place;
}

/**
 * Where parts are, which outlives a layer: when two layers become one, so do their places (a disjoint-set forest). Parts
 * refer to places and not to layers, so that no part keeps layers in memory that are gone.
 */
interface Place {
  layer: Layer;
  /** The place that this one has become a part of. */
  within?: Place;
  /** At most how many steps lead here from another place. */
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

/** Makes one place of two, in which `layer` is. */
function united(one: Place, other: Place, layer: Layer): Place {
  const [inner, outer] = one.height > other.height ? [other, one] : [one, other];
  inner.within = outer;
  outer.height = Math.max(outer.height, inner.height + 1);
  outer.layer = layer;
  return outer;
}

/**
 * Counts the bytes that were written to a state between two captures of it.
 *
 * A captured state is not written to any more: the first write after it opens a new layer on top. What states share is in
 * the layers that they share, and counts once. Each layer also knows how much of those below it has been replaced or
 * deleted in it: when nothing but one layer needs the one below, the two become one, and these bytes are free. Capturing,
 * restoring and releasing a state therefore cost the same however large the state is.
 *
 * Of a state from which two others began (by a fork, or by restoring a snapshot), what both have replaced is counted until
 * one of the two is gone.
 */
export class Layer {
  /** Pays for the layer. Without an account it is free, as the seed is, which all projects share. */
  #account: StateAccount | undefined;
  /** The place of the parts that are written to this layer. */
  place: Place = { layer: this, height: 0 };
  #below: Layer | undefined;
  readonly #above = new Set<Layer>();
  /** The accounts of the states, live or captured, that end with this layer. */
  readonly #states: StateAccount[] = [];
  #bytes = 0;
  /** The bytes of parts that this layer's state no longer has, by the place in a lower layer where they are. */
  #hidden = new Map<Place, number>();

  constructor(account?: StateAccount, below?: Layer) {
    this.#account = account;
    if (account) this.#states.push(account);
    // What nobody pays for is never freed: it need not know what is on top of it.
    if (account && below?.isPaid) this.#putOn(below);
  }

  /** Whether the layer counts. */
  get isPaid(): boolean {
    return this.#account !== undefined;
  }

  /** Whether a write needs a layer of its own: a captured state or another layer has this one, or nobody pays for it. */
  get isShared(): boolean {
    return this.#states.length > 1 || this.#above.size > 0 || !this.#account;
  }

  /** The bytes that removing a part from this layer's state frees: none if a lower layer holds the part. */
  freedBy(part: Part): number {
    return layerOf(part) === this ? part.bytes : 0;
  }

  /** Counts bytes that were written to this layer. */
  add(bytes: number): void {
    if (!this.#account) return;
    this.#bytes += bytes;
    this.#account.change(bytes);
  }

  /** Takes a part out of this layer's state. */
  remove(part: Part): void {
    const layer = layerOf(part);
    if (layer === this) this.add(-part.bytes);
    else if (layer.#account) this.#hide(part.place, part.bytes);
  }

  /** Notes that another state ends with this layer, and who would pay for it. */
  hold(account: StateAccount | undefined): void {
    if (this.#account && account) this.#states.push(account);
  }

  /** Notes that a state that ended with this layer is gone. */
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

  /** Another project pays from now on: the one that paid may be gone. */
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

  /** Takes over what the layer below has, but for what is hidden here, which is free now. */
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
