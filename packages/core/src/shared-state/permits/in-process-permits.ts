import { type Clock, systemClock } from "../../runtime/clock.ts";
import { PermitAccount } from "./permit-account.ts";
import { checkPermits } from "./permit-bounds.ts";
import type { PermitResult, PermitRequest, PermitRule, Permits } from "./permits.ts";

/** Bounds of permits in this process. */
export interface PermitBounds {
  /** Maximum number of keys; the least recently used is evicted. @default 100000 */
  readonly maxKeys?: number;
  /** Maximum number of timestamps and amounts of all keys together; the least recently used key is evicted. @default 4194304 */
  readonly maxNumbers?: number;
}

/** Bounds and clock of permits in this process. */
export interface InProcessPermitsOptions extends PermitBounds {
  /** Clock that times the windows. @default the runtime's clock */
  readonly clock?: Pick<Clock, "now">;
}

/** Creates the permits of a single-process service. Calls return synchronously. */
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

/** Maximum number of fresh accounts that the addition of a key removes, beginning with the least recently used. */
const SWEEP = 2;

/**
 * An LRU table of permits by key, bounded in number and size. An evicted key restarts with its full capacity.
 *
 * A linked list orders the keys by last use, so eviction needs no search. Fresh accounts, which equal new ones, are removed.
 */
export class PermitTable {
  private readonly nodes = new Map<string, Node>();
  private readonly options: Required<PermitBounds>;
  private newest: Node | null = null;
  private oldest: Node | null = null;
  private numbers = 0;

  constructor(options: Required<PermitBounds>) {
    this.options = options;
  }

  /** Number of keys, including fresh ones that are not removed yet. */
  get size(): number {
    return this.nodes.size;
  }

  take(key: string, rule: PermitRule, request: PermitRequest, now: number): PermitResult {
    const known = this.nodes.get(key);
    if (known !== undefined && known.account.kind === rule.kind && !known.account.isFresh(now)) {
      this.makeNewest(known);
      const permits = known.account.take(rule, request, now);
      this.resize(known);
      return permits;
    }
    if (known !== undefined) this.remove(known);
    const account = new PermitAccount(rule, now);
    const permits = account.take(rule, request, now);
    if (!account.isFresh(now)) this.add(key, account, now);
    return permits;
  }

  private add(key: string, account: PermitAccount, now: number): void {
    for (let swept = 0; swept < SWEEP && this.oldest?.account.isFresh(now) === true; swept++) {
      this.remove(this.oldest);
    }
    if (this.nodes.size >= this.options.maxKeys && this.oldest !== null) this.remove(this.oldest);
    const node: Node = { key, account, size: 0, newer: null, older: null };
    this.nodes.set(key, node);
    this.link(node);
    this.resize(node);
  }

  /** Updates the size of an account and evicts the least recently used accounts while the table is too large. */
  private resize(node: Node): void {
    const { size } = node.account;
    this.numbers += size - node.size;
    node.size = size;
    while (this.numbers > this.options.maxNumbers && this.oldest !== null && this.oldest !== node) {
      this.remove(this.oldest);
    }
  }

  private makeNewest(node: Node): void {
    if (node === this.newest) return;
    this.unlink(node);
    this.link(node);
  }

  private link(node: Node): void {
    node.older = this.newest;
    node.newer = null;
    if (this.newest === null) this.oldest = node;
    else this.newest.newer = node;
    this.newest = node;
  }

  private unlink(node: Node): void {
    if (node.newer === null) this.newest = node.older;
    else node.newer.older = node.older;
    if (node.older === null) this.oldest = node.newer;
    else node.older.newer = node.newer;
  }

  private remove(node: Node): void {
    this.nodes.delete(node.key);
    this.unlink(node);
    this.numbers -= node.size;
  }
}
