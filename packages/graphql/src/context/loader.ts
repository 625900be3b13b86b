import { ConfigurationError, type DependenciesOf, FrameworkError, type Injections } from "@framework/core";
import { configRecord, markHandled, integer, unknownFields } from "@framework/core/feature";
import type { GraphqlContext, Loader } from "./graphql-context.ts";
import type { OperationScope } from "./operation-scope.ts";

/** Loads a batch; its dependencies, if any, are the last argument. */
export type LoadBatch<K, V, Inject extends Injections | undefined> = [NonNullable<Inject>] extends [never]
  ? (keys: readonly K[], context: GraphqlContext) => Promise<readonly (V | Error)[]>
  : (
      keys: readonly K[],
      context: GraphqlContext,
      dependencies: DependenciesOf<Inject>,
    ) => Promise<readonly (V | Error)[]>;

/** A batch function as it is called: without dependencies the last argument is `undefined`, so its default applies. */
type AnyBatch<K, V> = (...args: readonly unknown[]) => ReturnType<LoadBatch<K, V, undefined>>;

/** Options of a loader. */
export interface LoaderOptions<K, V, Inject extends Injections | undefined = undefined> {
  /** Name in error messages. */
  readonly name: string;
  /** Dependencies of `batch`. */
  readonly inject?: Inject;
  /** Loads the values of distinct keys; returns them in the order of the keys, with an `Error` for a key that fails. */
  readonly batch: LoadBatch<K, V, Inject>;
  /** Returns the identity of a key, such as the id of an object; equal identities share a value. @default the key itself */
  readonly id?: (key: K) => unknown;
  /** Maximum number of keys in a batch; more keys make several batches. @default 100 */
  readonly maxBatch?: number;
  /** Maximum number of keys in an operation; more fail with GRAPHQL_LOADER_FULL. @default 10000 */
  readonly maxKeys?: number;
}

/**
 * Creates a loader. Each operation has its own batches and its own cache.
 *
 * @throws ConfigurationError CORE_BAD_CONFIG
 * @example
 * const authors = createLoader({ name: "authors", inject: { books: Books }, batch: (ids: readonly string[], _, { books }) => books.authors(ids) });
 * const resolvers = { Book: { author: (book: Book, _: object, context: GraphqlContext) => context.load(authors, book.authorId) } };
 */
export const createLoader = <K, V, const Inject extends Injections | undefined = undefined>(
  options: LoaderOptions<K, V, Inject>,
): Loader<K, V> => {
  const { name, inject, batch, id = (key) => key, maxBatch, maxKeys, ...others } = options;
  const problems = unknownFields("LoaderOptions", others, names);
  if (typeof batch !== "function") problems.push("LoaderOptions.batch must be a function");
  if (typeof id !== "function") problems.push("LoaderOptions.id must be a function");
  if (problems.length > 0)
    throw new ConfigurationError(problems.map((message) => ({ code: "CORE_BAD_CONFIG", message })));
  return {
    name,
    load: async (keys, context, scope) =>
      await scope.call(inject as Inject, (dependencies) =>
        (batch as AnyBatch<K, V>)(keys, context, dependencies),
      ),
    id,
    ...LoaderLimits.of({ maxBatch, maxKeys }),
  };
};

const names = ["name", "inject", "batch", "id", "maxBatch", "maxKeys"];

const LoaderLimits = configRecord<Readonly<Record<"maxBatch" | "maxKeys", number>>>("LoaderOptions", {
  maxBatch: integer(100, { min: 1 }),
  maxKeys: integer(10_000, { min: 1 }),
});

interface PendingLoad<K, V> extends PromiseWithResolvers<V> {
  readonly key: K;
}

/** The keys of one loader in one operation. */
interface LoaderKeys {
  readonly values: Map<unknown, Promise<unknown>>;
  waiting: PendingLoad<unknown, unknown>[];
}

/** The loaders of one operation. */
export class LoaderBatches {
  private readonly context: GraphqlContext;
  private readonly scope: OperationScope;
  private readonly loaders = new Map<object, LoaderKeys>();

  constructor(context: GraphqlContext, scope: OperationScope) {
    this.context = context;
    this.scope = scope;
  }

  load<K, V>(loader: Loader<K, V>, key: K): Promise<V> {
    const batches = this.batchesOf(loader);
    const id = loader.id(key);
    const known = batches.values.get(id);
    if (known !== undefined) return known as Promise<V>; // the values of this loader
    if (batches.values.size >= loader.maxKeys) return markHandled(Promise.reject(full(loader)));
    const waiting: PendingLoad<K, V> = { key, ...Promise.withResolvers<V>() };
    batches.values.set(id, waiting.promise);
    batches.waiting.push(waiting as PendingLoad<unknown, unknown>);
    if (batches.waiting.length === 1) this.schedule(loader as Loader<unknown, unknown>, batches);
    return markHandled(waiting.promise); // marked as handled: a resolver may fail before it awaits this promise
  }

  /** Removes a key. A key that waits for its batch stays, because its value is still to be loaded. */
  clear<K, V>(loader: Loader<K, V>, key: K): void {
    const batches = this.loaders.get(loader);
    if (batches === undefined) return;
    const id = loader.id(key);
    const known = batches.values.get(id);
    if (!batches.waiting.some(({ promise }) => promise === known)) batches.values.delete(id);
  }

  private batchesOf<K, V>(loader: Loader<K, V>): LoaderKeys {
    const known = this.loaders.get(loader);
    if (known !== undefined) return known;
    const batches: LoaderKeys = { values: new Map(), waiting: [] };
    this.loaders.set(loader, batches);
    return batches;
  }

  /** Schedules the batches after all promises that have already settled, because their resolvers may add keys. */
  private schedule(loader: Loader<unknown, unknown>, batches: LoaderKeys): void {
    void Promise.resolve().then(() =>
      process.nextTick(() => {
        const { waiting } = batches;
        batches.waiting = [];
        for (let at = 0; at < waiting.length; at += loader.maxBatch)
          void this.dispatch(loader, waiting.slice(at, at + loader.maxBatch));
      }),
    );
  }

  /** Loads one batch. Never rejects. */
  private async dispatch(
    loader: Loader<unknown, unknown>,
    waiting: readonly PendingLoad<unknown, unknown>[],
  ): Promise<void> {
    try {
      const values = await loader.load(
        waiting.map(({ key }) => key),
        this.context,
        this.scope.open,
      );
      if (!Array.isArray(values) || values.length !== waiting.length) throw badBatch(loader, waiting.length);
      for (const [at, { resolve, reject }] of waiting.entries()) {
        const value: unknown = values[at];
        if (Error.isError(value)) reject(value);
        else resolve(value);
      }
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}

const full = ({ name, maxKeys }: { readonly name: string; readonly maxKeys: number }): FrameworkError =>
  new FrameworkError(
    "GRAPHQL_LOADER_FULL",
    `graphql: the loader "${name}" keeps at most ${maxKeys} keys of an operation`,
  );

const badBatch = ({ name }: { readonly name: string }, keys: number): FrameworkError =>
  new FrameworkError(
    "GRAPHQL_BAD_BATCH",
    `graphql: the loader "${name}" must return an array with ${keys} values`,
  );
