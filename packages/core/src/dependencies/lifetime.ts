import { FrameworkError } from "../errors/framework-error.ts";
import type { Logger } from "../log/logger.ts";
import { type Awaitable, isPromise } from "../middleware/middleware.ts";
import type { Definition } from "./definition.ts";

/** Holds the log for failures; read at each failure, since the log may change. */
export interface LogHolder {
  readonly log: Pick<Logger, "error">;
}

interface OwnedValue {
  readonly definition: Definition;
  readonly value: unknown;
}

/**
 * Values with one lifetime: the values of one invocation, or the singletons of the app.
 *
 * Nothing is allocated before the first value. Values are disposed of in reverse order of creation, so dependencies outlive their dependents.
 */
export class Lifetime {
  private readonly logHolder: LogHolder;
  private values: Map<Definition, Awaitable<unknown>> | undefined;
  private ownedValues: OwnedValue[] | undefined;
  private ended = false;

  constructor(logHolder: LogHolder) {
    this.logHolder = logHolder;
  }

  /** Returns the one value of a definition; concurrent callers share one creation. A failure is not cached. */
  once(definition: Definition, make: () => Awaitable<unknown>): Awaitable<unknown> {
    if (this.values?.has(definition)) return this.values.get(definition);
    const created = this.create(definition, make);
    const values = (this.values ??= new Map());
    if (!isPromise(created)) {
      values.set(definition, created);
      return created;
    }
    const shared = created.then(
      (value) => {
        values.set(definition, value);
        return value;
      },
      (error: unknown) => {
        values.delete(definition);
        throw error;
      },
    );
    values.set(definition, shared);
    return shared;
  }

  /** Creates a new value, disposed of with the others. @throws CORE_DEPENDENCY_TOO_LATE after disposal; the error of `make` */
  create(definition: Definition, make: () => Awaitable<unknown>): Awaitable<unknown> {
    if (this.ended) throw requestedAfterEnd(definition);
    const created = make();
    if (isPromise(created)) {
      const kept = created.then((value) => this.keepOrEnd(definition, value));
      if (definition.dispose !== undefined) this.watchCreation(kept);
      return kept;
    }
    this.keep(definition, created);
    return created;
  }

  /** Disposes of every value, the latest first. A failure is logged and does not stop the rest. */
  async end(): Promise<void> {
    this.close();
    const { ownedValues = [] } = this;
    this.ownedValues = undefined;
    this.values = undefined;
    for (const each of ownedValues.toReversed()) await this.finish(each);
  }

  /** Accepts no more values. */
  protected close(): void {
    this.ended = true;
  }

  /** Called with each asynchronous creation of a value that needs disposal. */
  protected watchCreation(_creation: Promise<unknown>): void {}

  /** Whether no value needs disposal. */
  protected get needsNoDisposal(): boolean {
    return this.ownedValues === undefined;
  }

  private keep(definition: Definition, value: unknown): void {
    if (definition.dispose !== undefined) (this.ownedValues ??= []).push({ definition, value });
  }

  /** Keeps a value; rejects and disposes of it at once if the lifetime has ended. */
  private async keepOrEnd(definition: Definition, value: unknown): Promise<unknown> {
    if (this.ended) {
      await this.finish({ definition, value });
      throw requestedAfterEnd(definition);
    }
    this.keep(definition, value);
    return value;
  }

  private async finish({ definition, value }: OwnedValue): Promise<void> {
    try {
      await definition.dispose?.(value);
    } catch (error) {
      const { name } = definition;
      this.logHolder.log.error(`dependency "${name}" could not be disposed of`, { error, dependency: name });
    }
  }
}

const requestedAfterEnd = ({ name }: Definition): FrameworkError =>
  new FrameworkError("CORE_DEPENDENCY_TOO_LATE", `"${name}" was requested after its scope had ended`);
