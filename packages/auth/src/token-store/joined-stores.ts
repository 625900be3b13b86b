import type { SharedValues } from "@framework/core/feature";
import {
  openSharedTokenStore,
  type SharedTokenStore,
  type SharedTokenStoreOptions,
} from "./shared-token-store.ts";
import type { TokenStore } from "./token-store.ts";

/** A store, and the number of running apps that have its values. */
interface Joined {
  readonly store: SharedTokenStore;
  readonly isPersistent: boolean;
  apps: number;
}

/**
 * The default stores of all apps that use one `JwtAuth`, as one: what one store knows holds for all apps.
 *
 * An app that starts may have values of its own, which know nothing yet, and those of an app in this process end with it. The oldest of these stores is
 * therefore kept until all apps have stopped: every write goes to all stores, so it has what the later ones have. A persistent one, such as Redis, keeps
 * its content itself; it ends with its app, whose connection closes.
 */
export class JoinedStores implements TokenStore {
  private readonly joined: Map<SharedValues, Joined> = new Map();

  /** Opens the store of an app that starts. Returns the function that leaves again. */
  async join(values: SharedValues, options: SharedTokenStoreOptions): Promise<() => void> {
    const store = await openSharedTokenStore(values, options);
    const { joined } = this;
    if (this.isIdle()) joined.clear(); // kept for calls after the stop
    const known = joined.get(values);
    if (known === undefined) joined.set(values, { store, isPersistent: values.isPersistent, apps: 1 });
    else known.apps++;
    if (known !== undefined) store.close();
    return () => this.leave(values);
  }

  async revoke(id: string, expiresAt: number): Promise<void> {
    await Promise.all(this.stores().map(async (store) => store.revoke(id, expiresAt)));
  }

  async isRevoked(id: string): Promise<boolean> {
    for (const store of this.stores()) if (await store.isRevoked(id)) return true;
    return false;
  }

  /** Asks the stores one after the other, so that concurrent callers do not each win one of them. */
  async consume(id: string, generation: number, expiresAt: number): Promise<boolean> {
    for (const store of this.independent())
      if (!(await store.consume(id, generation, expiresAt))) return false;
    return true;
  }

  private stores(): readonly TokenStore[] {
    return [...this.joined.values()].map(({ store }) => store);
  }

  /** Persistent stores are connections to the same one, which would refuse the second call. */
  private independent(): readonly TokenStore[] {
    const all = [...this.joined.values()];
    const first = all.find(({ isPersistent }) => isPersistent);
    return all.filter((each) => !each.isPersistent || each === first).map(({ store }) => store);
  }

  /** The oldest store whose values do not outlive the process. */
  private oldest(): Joined | undefined {
    return [...this.joined.values()].find(({ isPersistent }) => !isPersistent);
  }

  private isIdle(): boolean {
    return [...this.joined.values()].every(({ apps }) => apps === 0);
  }

  private leave(values: SharedValues): void {
    const { joined } = this;
    const left = joined.get(values);
    if (left === undefined) return;
    if (--left.apps > 0) return;
    if (this.isIdle()) {
      for (const { store } of joined.values()) store.close();
    } else if (left !== this.oldest()) {
      left.store.close();
      joined.delete(values);
    }
  }
}
