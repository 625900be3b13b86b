import { FrameworkError, type Injections, type Problem } from "@framework/core";
import { nearest, unknownFields } from "@framework/core/feature";
import type { AnyCommand } from "../definitions/command.ts";
import { type AnyOperation, isOperation, operationProblems } from "../definitions/operation.ts";
import type { AnyQuery } from "../definitions/query.ts";
import type { AnyHandler, HandleOptions, HandledOperation } from "./handler-types.ts";

/** The handlers of an app, one for each command and query. */
export class HandlerRegistry {
  private readonly byName = new Map<string, HandledOperation>();

  /** All operations with a handler, in the order added. */
  get all(): readonly HandledOperation[] {
    return [...this.byName.values()];
  }

  /** Adds a handler and returns the problems of its definition. */
  add(
    operation: AnyOperation,
    handler: AnyHandler,
    options: HandleOptions<Injections | undefined>,
  ): readonly Problem[] {
    const { inject, use = [] } = options;
    if (!isOperation(operation))
      return [
        bad("the first argument of handle must be a command or query, created by `command` or `query`"),
      ];
    const { kind, name } = operation;
    if (typeof handler !== "function") return [bad(`the handler of ${kind} ${name} must be a function`)];
    const known = this.byName.get(name);
    if (known !== undefined) return [duplicate(known.operation, operation)];
    this.byName.set(name, { operation, handler, inject, use });
    if (use.length > 0 && operation.http === null)
      return [bad(`${kind} ${name} has no endpoint for the middleware of \`use\`; add \`http\``)];
    const unknown = unknownFields("`handle`", options, ["inject", "use"]);
    return [...operationProblems(operation), ...unknown.map((problem) => bad(`${kind} ${name}: ${problem}`))];
  }

  /** Returns a problem for each operation without a handler, including operations whose name is registered for another operation. */
  missingHandlers(operations: readonly AnyOperation[]): readonly Problem[] {
    return operations.flatMap((operation) => {
      const { kind, name } = operation;
      const known = this.byName.get(name)?.operation;
      if (known === operation) return [];
      if (known !== undefined) return [duplicate(known, operation)];
      const message = `${kind} ${name} has no handler; add app.cqrs.handle(${name}, …)`;
      return [{ code: "CQRS_NO_HANDLER", message }];
    });
  }

  /** Returns a command and its handler by name; `null` if there is none. */
  command(name: string): HandledOperation<AnyCommand> | null {
    const found = this.byName.get(name);
    return found?.operation.kind === "command" ? (found as HandledOperation<AnyCommand>) : null; // narrowed by `kind`
  }

  /** Returns an operation with its handler. @throws CQRS_NO_HANDLER */
  of<O extends AnyCommand | AnyQuery>(operation: O): HandledOperation<O> {
    const found = this.byName.get(operation.name);
    if (found?.operation === operation) return found as HandledOperation<O>; // the same operation
    const [near] = nearest(operation.name, [...this.byName.keys()]);
    const hint = near === undefined || near === operation.name ? "" : `; did you mean ${near}?`;
    throw new FrameworkError(
      "CQRS_NO_HANDLER",
      `cqrs: ${operation.kind} ${operation.name} has no handler in this app${hint}`,
    );
  }
}

const bad = (message: string): Problem => ({ code: "CQRS_BAD_OPERATION", message });

const duplicate = (known: AnyOperation, { kind, name }: AnyOperation): Problem => {
  const message =
    known.kind === kind
      ? `${kind} ${name} has two handlers, or two ${kind === "query" ? "queries" : "commands"} have that name; keep one`
      : `a command and a query are both named ${name}; rename one`;
  return { code: "CQRS_DUPLICATE_HANDLER", message };
};
