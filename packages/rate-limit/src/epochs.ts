import { randomUUID } from "node:crypto";
import { NotFoundError } from "@framework/core";
import type { SharedValues } from "@framework/core/feature";
import { type Limit, shorten } from "./limit.ts";

const KEY = "rate-limit:epochs";
const CHANNEL = "rate-limit:epochs";
/** Ten years: the epochs of all workers stay the same while the service runs. */
const TTL_MS = 10 * 365 * 86_400_000;

/** Epochs of limits by their names. */
type EpochsByName = Readonly<Record<string, string>>;

/**
 * Resets the quotas of a limit, for developers: the limit starts a new epoch, in which its clients have new keys. Nothing is deleted from a store.
 */
export class Epochs {
  private readonly limits: () => readonly Limit[];
  private values: SharedValues | null = null;
  private unsubscribe: () => void = () => {};

  constructor(limits: () => readonly Limit[]) {
    this.limits = limits;
  }

  /** Adopts the epochs of the other workers. */
  async start(values: SharedValues): Promise<void> {
    this.values = values;
    this.unsubscribe = values.subscribe(CHANNEL, (epochs) => this.begin(epochs as EpochsByName)); // only `reset` publishes there
    this.begin(await this.storedEpochs());
  }

  stop(): void {
    this.unsubscribe();
  }

  /** Begins a new epoch of a limit in all workers. @throws NotFoundError */
  async reset(name: string): Promise<void> {
    if (this.values === null || !this.limits().some((limit) => shorten(limit.name) === name))
      throw new NotFoundError("There is no such limit");
    const epochs = { ...(await this.storedEpochs()), [name]: randomUUID().slice(0, 8) };
    await this.values.set(KEY, epochs, { ttlMs: TTL_MS });
    this.begin(epochs);
    await this.values.publish(CHANNEL, epochs);
  }

  private async storedEpochs(): Promise<EpochsByName> {
    return ((await this.values?.get(KEY)) ?? {}) as EpochsByName; // only `reset` writes it
  }

  private begin(epochs: EpochsByName): void {
    for (const limit of this.limits()) {
      const epoch = epochs[shorten(limit.name)];
      if (epoch !== undefined) limit.begin(epoch);
    }
  }
}
