import type { TracedOperation } from "./traced-operation.ts";

/** A store of an asynchronous context: an `AsyncLocalStorage`, or anything else with its `run`. */
export interface ContextStore<State> {
  run<T>(state: State, work: () => T): T;
}

/**
 * Listens for the operations of an app. Its functions must be quick; one that throws is logged, and the operation goes on.
 *
 * `State` is what the listener keeps for one operation, such as its span.
 */
export interface OperationListener<State = unknown> {
  /** Kinds to listen for. @default all */
  readonly kinds?: readonly string[];
  /** Called before the work begins; the result is handed to the other functions and becomes the value of `store`. */
  start(operation: TracedOperation): State;
  /** Called for each error, before the operation ends. */
  error?(operation: TracedOperation, state: State): void;
  /** Called once; `durationMs` is known. */
  end?(operation: TracedOperation, state: State): void;
  /** Holds the state in the asynchronous context of the work. */
  readonly store?: ContextStore<State>;
}

/** The listeners of one kind: a list that changes in place, so that an emitter asks nothing but its length. */
export type Listeners = readonly OperationListener[];

/** Who listens for the operations of one app. */
export class OperationListeners {
  private readonly all: OperationListener[] = [];
  private readonly byKind: Map<string, OperationListener[]> = new Map();

  /** The live list of a kind. */
  of(kind: string): Listeners {
    const known = this.byKind.get(kind);
    if (known !== undefined) return known;
    const list = this.all.filter((listener) => hears(listener, kind));
    this.byKind.set(kind, list);
    return list;
  }

  /** Adds a listener; gives what removes it. Operations under way still end with it. */
  add<State>(added: OperationListener<State>): () => void {
    const listener = added as OperationListener; // gets back only what its own `start` returned
    const lists = [
      this.all,
      ...[...this.byKind].flatMap(([kind, list]) => (hears(listener, kind) ? [list] : [])),
    ];
    for (const list of lists) list.push(listener);
    return () => {
      for (const list of [this.all, ...this.byKind.values()]) {
        const index = list.indexOf(listener);
        if (index >= 0) list.splice(index, 1);
      }
    };
  }
}

const hears = ({ kinds }: OperationListener, kind: string): boolean =>
  kinds === undefined || kinds.includes(kind);
