import type { SharedValues } from "@framework/core/feature";
import {
  openSharedTokenStore,
  type SharedTokenStore,
  type SharedTokenStoreOptions,
} from "./shared-token-store.ts";
import type { TokenStore } from "./token-store.ts";

/** A store, and the number of running apps that use it. */
interface StoreEntry {
  readonly store: SharedTokenStore;
  readonly isPersistent: boolean;
  apps: number;
}

/**
 * Combines the default stores of all apps that use one `JwtAuth`: a revocation in one store applies to all apps.
 *
 * Each app may have its own shared values, which start empty and, if they are in this process, end with the app. The oldest of these stores is therefore
 * kept until all apps have stopped: every write is made in all stores, so the oldest has the content of the later ones. A persistent store, such as Redis, keeps its
 * content itself and closes with its app.
 */
export class JoinedStores implements TokenStore {
  private readonly joined: Map<SharedValues, StoreEntry> = new Map();

  /** Opens the store of a starting app. Returns a function that removes it when the app stops. */
  async join(values: SharedValues, options: SharedTokenStoreOptions): Promise<() => void> {
    const store = await openSharedTokenStore(values, options);
    const { joined } = this;
    if (this.isIdle()) joined.clear(); // not cleared by the last stop, so `isRevoked` still works after it
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

  /** Calls the stores sequentially, so that concurrent callers cannot each succeed in a different store. */
  async consume(id: string, generation: number, expiresAt: number): Promise<boolean> {
    for (const store of this.independentStores())
      if (!(await store.consume(id, generation, expiresAt))) return false;
    return true;
  }

  private stores(): readonly TokenStore[] {
    return [...this.joined.values()].map(({ store }) => store);
  }

  /** Returns all stores, but only one of the persistent ones: they share their content, so a second `consume` would be refused. */
  private independentStores(): readonly TokenStore[] {
    const all = [...this.joined.values()];
    const first = all.find(({ isPersistent }) => isPersistent);
    return all.filter((each) => !each.isPersistent || each === first).map(({ store }) => store);
  }

  /** The oldest store whose values do not outlive the process. */
  private oldestVolatile(): StoreEntry | undefined {
    return [...this.joined.values()].find(({ isPersistent }) => !isPersistent);
  }

  private isIdle(): boolean {
    return [...this.joined.values()].every(({ apps }) => apps === 0);
  }

  private leave(values: SharedValues): void {
    const { joined } = this;
    const entry = joined.get(values);
    if (entry === undefined) return;
    if (--entry.apps > 0) return;
    if (this.isIdle()) {
      for (const { store } of joined.values()) store.close();
    } else if (entry !== this.oldestVolatile()) {
      entry.store.close();
      joined.delete(values);
    }
  }
}
