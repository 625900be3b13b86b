import { type Clock, systemClock } from "../../runtime/clock.ts";
import { PermitAccount } from "./permit-account.ts";
import { checkPermits } from "./permit-bounds.ts";
import type { PermitAnswer, PermitRequest, PermitRule, Permits } from "./permits.ts";

/** Bounds of permits in this process. */
export interface PermitBounds {
  /** Most keys; the one unused for longest makes room. @default 100000 */
  readonly maxKeys?: number;
  /** Most moments and amounts that all keys together keep; the same key makes room. @default 4194304 */
  readonly maxNumbers?: number;
}

/** Bounds and clock of permits in this process. */
export interface InProcessPermitsOptions extends PermitBounds {
  /** @default the runtime's */
  readonly clock?: Pick<Clock, "now">;
}

/** Permits of a service that runs in one process. Never waits. */
export const inProcessPermits = ({
  maxKeys = 100_000,
  maxNumbers = 4_194_304,
  clock = systemClock,
}: InProcessPermitsOptions = {}): Permits => {
  const table = new PermitTable({ maxKeys, maxNumbers });
  return {
    take(key, rule, request) {
      checkPermits(key, rule, request);
      return table.take(key, rule, request, clock.now());
    },
  };
};

interface Node {
  readonly key: string;
  readonly account: PermitAccount;
  size: number;
  newer: Node | null;
  older: Node | null;
}

/** Most fresh accounts that one new key removes from the old end. */
const SWEEP = 2;

/**
 * The permits of many keys, bounded in number and size. The key unused for longest makes room, and is new when it comes again.
 *
 * A list links the keys from the last used to the first, so nothing is searched. An account that is as good as new is forgotten.
 */
export class PermitTable {
  readonly #nodes = new Map<string, Node>();
  readonly #options: Required<PermitBounds>;
  #newest: Node | null = null;
  #oldest: Node | null = null;
  #numbers = 0;

  constructor(options: Required<PermitBounds>) {
    this.#options = options;
  }

  /** Keys held, fresh ones included until they are removed. */
  get size(): number {
    return this.#nodes.size;
  }

  take(key: string, rule: PermitRule, request: PermitRequest, now: number): PermitAnswer {
    const known = this.#nodes.get(key);
    if (known !== undefined && known.account.kind === rule.kind && !known.account.isFresh(now)) {
      this.#renew(known);
      const permits = known.account.take(rule, request, now);
      this.#resize(known);
      return permits;
    }
    if (known !== undefined) this.#remove(known);
    const account = new PermitAccount(rule, now);
    const permits = account.take(rule, request, now);
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

  /** Updates the size of an account; removes the oldest while all together are too large. */
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
