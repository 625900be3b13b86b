import { FrameworkError, type Injections, type Problem } from "@framework/core";
import { nearest, unknownFields } from "@framework/core/feature";
import type { AnyCommand } from "../definitions/command.ts";
import { type AnyOperation, isOperation, operationProblems } from "../definitions/operation.ts";
import type { AnyQuery } from "../definitions/query.ts";
import type { AnyHandler, HandleOptions, Handled } from "./handler-types.ts";

/** The handlers of an app, one for each command and query. */
export class HandlerRegistry {
  private readonly byName = new Map<string, Handled>();

  /** Every operation with a handler, in the order added. */
  get all(): readonly Handled[] {
    return [...this.byName.values()];
  }

  /** Adds a handler and returns the mistakes. */
  add(
    operation: AnyOperation,
    handler: AnyHandler,
    options: HandleOptions<Injections | undefined>,
  ): readonly Problem[] {
    const { inject, use = [] } = options;
    if (!isOperation(operation))
      return [bad("handle takes a command or query as its first argument, made by `command` or `query`")];
    const { kind, name } = operation;
    if (typeof handler !== "function") return [bad(`the handler of ${kind} ${name} must be a function`)];
    const known = this.byName.get(name);
    if (known !== undefined) return [duplicate(known.operation, operation)];
    this.byName.set(name, { operation, handler, inject, use });
    if (use.length > 0 && operation.http === null)
      return [bad(`${kind} ${name} has no endpoint for the middleware of \`use\`; give it \`http\``)];
    const unknown = unknownFields("`handle`", options, ["inject", "use"]);
    return [...operationProblems(operation), ...unknown.map((problem) => bad(`${kind} ${name}: ${problem}`))];
  }

  /** Returns the operations without a handler, as mistakes. */
  missing(operations: readonly AnyOperation[]): readonly Problem[] {
    return operations.flatMap((operation) => {
      const { kind, name } = operation;
      const known = this.byName.get(name)?.operation;
      if (known === operation) return [];
      if (known !== undefined) return [duplicate(known, operation)];
      const message = `${kind} ${name} has no handler; add app.cqrs.handle(${name}, …)`;
      return [{ code: "CQRS_NO_HANDLER", message }];
    });
  }

  /** Returns the command of a name with its handler; `null` without one. */
  command(name: string): Handled<AnyCommand> | null {
    const found = this.byName.get(name);
    return found?.operation.kind === "command" ? (found as Handled<AnyCommand>) : null; // as its kind says
  }

  /** @throws CQRS_NO_HANDLER */
  of<O extends AnyCommand | AnyQuery>(operation: O): Handled<O> {
    const found = this.byName.get(operation.name);
    if (found?.operation === operation) return found as Handled<O>; // the same operation
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
