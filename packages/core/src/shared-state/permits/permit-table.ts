import { PermitAccount } from "./permit-account.ts";
import type { PermitAsk, PermitRule, Permits } from "./permits.ts";

/** Bounds of a `PermitTable`. */
export interface PermitTableOptions {
  readonly maxKeys: number;
  /** Most numbers that all accounts keep together. */
  readonly maxNumbers: number;
}

interface Node {
  readonly key: string;
  readonly account: PermitAccount;
  size: number;
  newer: Node | null;
  older: Node | null;
}

/** Fresh accounts at the old end that one new key removes at most. */
const SWEEP = 2;

/**
 * The permits of many keys, bounded in number and size: the key that nobody asked for longest makes room, and is new when it comes again.
 *
 * The keys form a list from the newest to the oldest question, so that nothing is searched. An account that is as good as new is forgotten.
 */
export class PermitTable {
  readonly #nodes = new Map<string, Node>();
  readonly #options: PermitTableOptions;
  #newest: Node | null = null;
  #oldest: Node | null = null;
  #numbers = 0;

  constructor(options: PermitTableOptions) {
    this.#options = options;
  }

  /** Keys held, those included that are as good as new and were not removed yet. */
  get size(): number {
    return this.#nodes.size;
  }

  take(key: string, rule: PermitRule, ask: PermitAsk, now: number): Permits {
    const known = this.#nodes.get(key);
    if (known !== undefined && known.account.kind === rule.kind && !known.account.isFresh(now)) {
      this.#renew(known);
      const permits = known.account.take(rule, ask, now);
      this.#resize(known);
      return permits;
    }
    if (known !== undefined) this.#remove(known);
    const account = new PermitAccount(rule, now);
    const permits = account.take(rule, ask, now);
    if (!account.isFresh(now)) this.#add(key, account, now);
    return permits;
  }

  #add(key: string, account: PermitAccount, now: number): void {
    for (let swept = 0; swept < SWEEP && this.#oldest?.account.isFresh(now) === true; swept++) {
      this.#remove(this.#oldest);
    }
    if (this.#nodes.size >= this.#options.maxKeys && this.#oldest !== null) this.#remove(this.#oldest);
    const node: Node = { key, account, size: 0, newer: null, older: null };
    this.#nodes.set(key, node);
    this.#link(node);
    this.#resize(node);
  }

  /** Counts what an account keeps now; the oldest go while all together keep too much. */
  #resize(node: Node): void {
    const { size } = node.account;
    this.#numbers += size - node.size;
    node.size = size;
    while (this.#numbers > this.#options.maxNumbers && this.#oldest !== null && this.#oldest !== node) {
      this.#remove(this.#oldest);
    }
  }

  #renew(node: Node): void {
    if (node === this.#newest) return;
    this.#unlink(node);
    this.#link(node);
  }

  #link(node: Node): void {
    node.older = this.#newest;
    node.newer = null;
    if (this.#newest === null) this.#oldest = node;
    else this.#newest.newer = node;
    this.#newest = node;
  }

  #unlink(node: Node): void {
    if (node.newer === null) this.#newest = node.older;
    else node.newer.older = node.older;
    if (node.older === null) this.#oldest = node.newer;
    else node.older.newer = node.newer;
  }

  #remove(node: Node): void {
    this.#nodes.delete(node.key);
    this.#unlink(node);
    this.#numbers -= node.size;
  }
}
