import type { Awaitable } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Problem } from "../errors/configuration-error.ts";

/** An error class, also an abstract one or one with constructor arguments. */
export type ErrorClass<E extends Error = Error> = abstract new (...args: never[]) => E;

/** Handles one class of errors. The return value becomes the reply, with the error's status unless it sets its own. */
export type ExceptionHandler<E extends Error = Error> = (
  request: HttpRequest,
  error: E,
) => Awaitable<unknown>;

/** Whether the prototype of a class is an error's, also for classes of other realms. */
const hasErrorPrototype = (errorClass: object): boolean => {
  const { prototype } = errorClass as { readonly prototype?: unknown };
  return typeof prototype === "object" && prototype !== null && "name" in prototype && "message" in prototype;
};

/** Whether a value is a class of errors, by its prototype or by its own `Symbol.hasInstance`. */
export const isErrorClass = (value: unknown): boolean =>
  typeof value === "function" && (hasErrorPrototype(value) || Object.hasOwn(value, Symbol.hasInstance));

/**
 * Registered handlers, looked up by the nearest class in the error's prototype chain; registration order is irrelevant. A class without an error prototype,
 * such as zod's, is checked first, with `instanceof`.
 */
export class ExceptionHandlers {
  private readonly byPrototype: Map<object, ExceptionHandler> = new Map();
  private readonly byInstanceof: (readonly [ErrorClass, ExceptionHandler])[] = [];

  /** Registers a handler, or returns the problem when its class has one already. */
  add<E extends Error>(errorClass: ErrorClass<E>, handler: ExceptionHandler<E>): Problem | null {
    if (this.byPrototype.has(errorClass.prototype)) {
      const message = `${errorClass.name} has an exception handler already; keep one`;
      return { code: "CORE_EXCEPTION_HANDLER_TWICE", message };
    }
    this.byPrototype.set(errorClass.prototype, handler as ExceptionHandler);
    if (!hasErrorPrototype(errorClass)) this.byInstanceof.push([errorClass, handler as ExceptionHandler]);
    return null;
  }

  /**
   * Returns the handler of the nearest class; `null` when the framework's own reply applies. The framework replies to `HttpError` itself, so a handler for
   * `Error` gets only other errors and never turns a 404 into a 500.
   *
   * @param boundary prototype of the last class to check, such as that of `HttpError`
   */
  find(error: Error, boundary: object): ExceptionHandler | null {
    for (const [errorClass, handler] of this.byInstanceof) if (error instanceof errorClass) return handler;
    let prototype: unknown = Object.getPrototypeOf(error);
    while (typeof prototype === "object" && prototype !== null) {
      const handler = this.byPrototype.get(prototype);
      if (handler !== undefined) return handler;
      if (prototype === boundary) return null;
      prototype = Object.getPrototypeOf(prototype);
    }
    return null;
  }

  /** The handler for `Error`, which also gets errors of another realm. */
  get catchAll(): ExceptionHandler | null {
    return this.byPrototype.get(Error.prototype) ?? null;
  }
}
