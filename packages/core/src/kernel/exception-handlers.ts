import type { Awaitable } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Problem } from "../errors/configuration-error.ts";

/** A class of errors; abstract ones and those with arguments too. */
export type ErrorClass<E extends Error = Error> = abstract new (...args: never[]) => E;

/** Answers for one class of errors; what it returns becomes the reply, with the error's status unless it says its own. */
export type ExceptionHandler<E extends Error = Error> = (
  request: HttpRequest,
  error: E,
) => Awaitable<unknown>;

/** Registered handlers, found by the nearest class in the error's prototype chain; the order of registration is irrelevant. */
export class ExceptionHandlers {
  private readonly byPrototype: Map<object, ExceptionHandler> = new Map();

  /** Registers a handler, or says why it cannot be: a class has at most one. */
  add<E extends Error>(errorClass: ErrorClass<E>, handler: ExceptionHandler<E>): Problem | null {
    if (this.byPrototype.has(errorClass.prototype)) {
      const message = `${errorClass.name} has an exception handler already; keep one`;
      return { code: "CORE_EXCEPTION_HANDLER_TWICE", message };
    }
    this.byPrototype.set(errorClass.prototype, handler as ExceptionHandler);
    return null;
  }

  /**
   * The handler of the nearest class, `null` when the framework's own reply applies: that reply stands at `HttpError`, so that a
   * handler for `Error` gets the rest and never turns a 404 into a 500.
   */
  find(error: Error, boundary: object): ExceptionHandler | null {
    let prototype: unknown = Object.getPrototypeOf(error);
    while (typeof prototype === "object" && prototype !== null) {
      const handler = this.byPrototype.get(prototype);
      if (handler !== undefined) return handler;
      if (prototype === boundary) return null;
      prototype = Object.getPrototypeOf(prototype);
    }
    return null;
  }

  /** A handler for `Error`, wherever the error's own realm or copy is. */
  get forTheRest(): ExceptionHandler | null {
    return this.byPrototype.get(Error.prototype) ?? null;
  }
}
