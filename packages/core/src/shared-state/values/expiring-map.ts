/** One live key: a counter as a number, any other value as JSON text. */
export interface Entry {
  readonly key: string;
  readonly value: number | string;
  readonly expiresAt: number;
}

interface Node extends Entry {
  value: number | string;
  expiresAt: number;
  /** Breaks ties: of two keys with the same expiry the older is first. */
  order: number;
  /** Index in the heap. */
  place: number;
}

/** Bounds of an `ExpiringMap`. */
export interface ExpiringMapOptions {
  readonly maxKeys: number;
  /** Maximum characters of all keys and texts together. */
  readonly maxCharacters: number;
}

/** Maximum number of expired keys that one write removes, so that no write clears a whole backlog. */
const SWEEP = 16;

/**
 * A map with expiry, bounded in number and size: the key nearest to its expiry is evicted for a new one.
 *
 * A binary heap orders the keys by expiry, so every operation takes logarithmic time. No timer is needed: a read treats an expired key as absent,
 * and each write removes a few expired ones.
 */
export class ExpiringMap {
  readonly #nodes = new Map<string, Node>();
  readonly #heap: Node[] = [];
  readonly #maxKeys: number;
  readonly #maxCharacters: number;
  #characters = 0;
  #order = 0;

  constructor({ maxKeys, maxCharacters }: ExpiringMapOptions) {
    this.#maxKeys = maxKeys;
    this.#maxCharacters = maxCharacters;
  }

  /** Number of keys, including expired ones that are not removed yet. */
  get size(): number {
    return this.#heap.length;
  }

  get(key: string, now: number): Entry | undefined {
    const node = this.#nodes.get(key);
    if (node === undefined || node.expiresAt > now) return node;
    this.#remove(node);
    return undefined;
  }

  /** Stores a value with a new expiry. */
  set(key: string, value: number | string, expiresAt: number, now: number): void {
    const old = this.#nodes.get(key);
    if (old !== undefined) this.#remove(old);
    for (let swept = 0; swept < SWEEP && this.#first(now) !== undefined; swept++) this.#removeFirst();
    const characters = charactersOf(key, value);
    while (this.#isFull(characters)) this.#removeFirst();
    const node: Node = { key, value, expiresAt, order: this.#order++, place: this.#heap.length };
    this.#nodes.set(key, node);
    this.#heap.push(node);
    this.#characters += characters;
    this.#rise(node);
  }

  /** Sets the number of a live counter and keeps its expiry. */
  count(key: string, value: number): void {
    const node = this.#nodes.get(key);
    if (node !== undefined) node.value = value;
  }

  delete(key: string, now: number): boolean {
    const node = this.#nodes.get(key);
    if (node === undefined) return false;
    this.#remove(node);
    return node.expiresAt > now;
  }

  /** Returns the key with the earliest expiry, if it has expired. */
  #first(now: number): Node | undefined {
    const [first] = this.#heap;
    return first !== undefined && first.expiresAt <= now ? first : undefined;
  }

  #isFull(more: number): boolean {
    if (this.#heap.length === 0) return false;
    return this.#heap.length >= this.#maxKeys || this.#characters + more > this.#maxCharacters;
  }

  #removeFirst(): void {
    const [first] = this.#heap;
    if (first !== undefined) this.#remove(first);
  }

  #remove(node: Node): void {
    this.#nodes.delete(node.key);
    this.#characters -= charactersOf(node.key, node.value);
    const last = this.#heap.pop();
    if (last === undefined || last === node) return;
    this.#put(last, node.place);
    this.#rise(last);
    this.#sink(last);
  }

  #rise(node: Node): void {
    while (node.place > 0) {
      const parent = this.#heap[(node.place - 1) >> 1];
      if (parent === undefined || !isBefore(node, parent)) return;
      this.#swap(node, parent);
    }
  }

  #sink(node: Node): void {
    for (;;) {
      const left = this.#heap[2 * node.place + 1];
      const right = this.#heap[2 * node.place + 2];
      const child = left !== undefined && right !== undefined && isBefore(right, left) ? right : left;
      if (child === undefined || !isBefore(child, node)) return;
      this.#swap(child, node);
    }
  }

  #swap(rising: Node, sinking: Node): void {
    const { place } = sinking;
    this.#put(sinking, rising.place);
    this.#put(rising, place);
  }

  #put(node: Node, place: number): void {
    this.#heap[place] = node;
    node.place = place;
  }
}

const isBefore = (a: Node, b: Node): boolean =>
  a.expiresAt < b.expiresAt || (a.expiresAt === b.expiresAt && a.order < b.order);

const charactersOf = (key: string, value: number | string): number =>
  key.length + (typeof value === "string" ? value.length : 0);
