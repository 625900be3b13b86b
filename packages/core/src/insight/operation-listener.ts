import type { TracedOperation } from "./traced-operation.ts";

/** An `AsyncLocalStorage`, or another object with its `run`. */
export interface ContextStore<State> {
  /** Runs the work of an operation in the listener's context, such as a trace. */
  run<T>(state: State, work: () => T): T;
}

/**
 * A listener of an app's operations. Its functions must be fast; an error that they throw is logged and does not affect the operation.
 *
 * `State` is the listener's own data for one operation, such as a span.
 */
export interface OperationListener<State = unknown> {
  /** Operation kinds to receive. @default all */
  readonly kinds?: readonly string[];
  /** Operation kinds to exclude. An operation of a kind without a listener costs one check. @default none */
  readonly except?: readonly string[];
  /** Called before the work begins. The result is passed to the other functions and becomes the value of `store`. */
  start(operation: TracedOperation): State;
  /** Called for each error, before the operation ends. */
  error?(operation: TracedOperation, state: State): void;
  /** Called once; `durationMs` is known. */
  end?(operation: TracedOperation, state: State): void;
  /** Holds the state in the asynchronous context of the work. */
  readonly store?: ContextStore<State>;
}

/** The listeners of one kind. The list changes in place, so that an emitter checks only its length. */
export type Listeners = readonly OperationListener[];

/** The listeners of an app's operations. */
export class OperationListeners {
  private readonly all: OperationListener[] = [];
  private readonly byKind: Map<string, OperationListener[]> = new Map();

  /** Returns the live list of a kind. */
  of(kind: string): Listeners {
    const known = this.byKind.get(kind);
    if (known !== undefined) return known;
    const list = this.all.filter((listener) => accepts(listener, kind));
    this.byKind.set(kind, list);
    return list;
  }

  /** Adds a listener; returns a function that removes it. Running operations still report their end to it. */
  add<State>(added: OperationListener<State>): () => void {
    const listener = added as OperationListener; // receives only the state that its own `start` returned
    const lists = [
      this.all,
      ...[...this.byKind].flatMap(([kind, list]) => (accepts(listener, kind) ? [list] : [])),
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

const accepts = ({ kinds, except = [] }: OperationListener, kind: string): boolean =>
  (kinds === undefined || kinds.includes(kind)) && !except.includes(kind);
