import { ExpiryHeap, type ExpiringItem } from "./expiry-heap.ts";

/** One live key: a counter as a number, any other value as JSON text. */
export interface Entry {
  readonly key: string;
  readonly value: number | string;
  readonly expiresAt: number;
}

interface Node extends ExpiringItem {
  readonly key: string;
  value: number | string;
  /** Name of the group of a pinned key; `null` for a key that may be evicted. */
  readonly group: string | null;
}

/** Bounds of an `ExpiringMap`. */
export interface ExpiringMapOptions {
  readonly maxKeys: number;
  /** Maximum number of characters of all evictable keys and their texts together; a single longer entry is still stored, alone. */
  readonly maxCharacters: number;
}

/** A group of pinned keys: they are never evicted, and a group has at most `maxKeys`. */
export interface PinnedGroup {
  readonly group: string;
  readonly maxKeys: number;
  /** Whether a live key moves from its group to this one, if that has room. */
  readonly moves?: boolean;
}

/** Maximum number of expired keys that one write removes, which bounds its time; a write that needs room removes as many keys as necessary. */
const SWEEP = 16;

/**
 * A map with expiry, bounded in number and size: to make room for a new key, the keys nearest to their expiry are evicted. Pinned keys have separate
 * bounds, by group.
 *
 * No timer is needed: a read removes the key if it has expired, `set` a few expired keys that are not pinned, and a `pin` that adds a key to a group a few
 * expired pinned keys.
 */
export class ExpiringMap {
  private readonly nodes = new Map<string, Node>();
  private readonly evictable = new ExpiryHeap<Node>();
  private readonly pinned = new ExpiryHeap<Node>();
  /** Number of pinned keys by group; a group without keys has no entry. */
  private readonly groups = new Map<string, number>();
  private readonly maxKeys: number;
  private readonly maxCharacters: number;
  private characters = 0;
  private order = 0;

  constructor({ maxKeys, maxCharacters }: ExpiringMapOptions) {
    this.maxKeys = maxKeys;
    this.maxCharacters = maxCharacters;
  }

  /** Number of keys, including expired ones that are not removed yet. */
  get size(): number {
    return this.nodes.size;
  }

  get(key: string, now: number): Entry | undefined {
    const node = this.nodes.get(key);
    if (node === undefined || node.expiresAt > now) return node;
    this.remove(node);
    return undefined;
  }

  /** Stores a value with a new expiry, and evicts as many other keys as necessary. */
  set(key: string, value: number | string, expiresAt: number, now: number): void {
    this.forget(key);
    this.sweep(this.evictable, now);
    const characters = charactersOf(key, value);
    while (this.isFull(characters)) this.removeFirst(this.evictable);
    this.insert({ key, value, expiresAt, group: null, order: this.order++, place: 0 });
  }

  /**
   * Stores a number that is never evicted. Returns false, and stores nothing, if the group is full. A live pinned key stays in its group, whose bound then does
   * not apply; with `moves` it changes to the wanted group if that has room.
   */
  pin(key: string, value: number, expiresAt: number, now: number, wanted: PinnedGroup): boolean {
    const old = this.nodes.get(key);
    const held = old !== undefined && old.expiresAt > now ? old.group : null;
    const stays = held !== null && (held === wanted.group || wanted.moves !== true);
    const enters = !stays && this.makeRoom(wanted, now);
    if (held === null && !enters) return false;
    this.forget(key);
    const group = enters ? wanted.group : held;
    this.insert({ key, value, expiresAt, group, order: this.order++, place: 0 });
    return true;
  }

  /** Sets the number of a live counter and keeps its expiry. */
  setNumber(key: string, value: number): void {
    const node = this.nodes.get(key);
    if (node !== undefined) node.value = value;
  }

  delete(key: string, now: number): boolean {
    const node = this.nodes.get(key);
    if (node === undefined) return false;
    this.remove(node);
    return node.expiresAt > now;
  }

  private makeRoom({ group, maxKeys }: PinnedGroup, now: number): boolean {
    this.sweep(this.pinned, now);
    while (this.sizeOf(group) >= maxKeys && isExpired(this.pinned.first, now)) this.removeFirst(this.pinned);
    return this.sizeOf(group) < maxKeys;
  }

  private sizeOf(group: string): number {
    return this.groups.get(group) ?? 0;
  }

  private isFull(more: number): boolean {
    if (this.evictable.size === 0) return false;
    return this.evictable.size >= this.maxKeys || this.characters + more > this.maxCharacters;
  }

  private sweep(heap: ExpiryHeap<Node>, now: number): void {
    for (let swept = 0; swept < SWEEP && isExpired(heap.first, now); swept++) this.removeFirst(heap);
  }

  private removeFirst({ first }: ExpiryHeap<Node>): void {
    if (first !== undefined) this.remove(first);
  }

  private insert(node: Node): void {
    this.nodes.set(node.key, node);
    if (node.group === null) {
      this.characters += charactersOf(node.key, node.value);
      this.evictable.add(node);
    } else {
      this.groups.set(node.group, this.sizeOf(node.group) + 1);
      this.pinned.add(node);
    }
  }

  private forget(key: string): void {
    const node = this.nodes.get(key);
    if (node !== undefined) this.remove(node);
  }

  private remove(node: Node): void {
    const { key, value, group } = node;
    this.nodes.delete(key);
    if (group === null) {
      this.characters -= charactersOf(key, value);
      this.evictable.remove(node);
      return;
    }
    this.pinned.remove(node);
    const remaining = this.sizeOf(group) - 1;
    if (remaining === 0) this.groups.delete(group);
    else this.groups.set(group, remaining);
  }
}

const isExpired = (node: Node | undefined, now: number): boolean =>
  node !== undefined && node.expiresAt <= now;

const charactersOf = (key: string, value: number | string): number =>
  key.length + (typeof value === "string" ? value.length : 0);
