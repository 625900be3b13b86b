/**
 * Base class of the framework's errors.
 *
 * `code` is stable and has the package's prefix, such as `CORE_ROUTE_DUPLICATE`; the message states the mistake and the remedy.
 */
export class FrameworkError extends Error {
  override readonly name: string = "FrameworkError";
  /** Stable code with the package's prefix, such as `CORE_PORT_IN_USE`. */
  readonly code: string;
  /** The mark that `is` checks: a property, so that two copies of the package recognise each other's errors. */
  readonly framework = true as const;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Whether a value is an error of the framework, also of another copy of this package. */
  static is(error: unknown): error is FrameworkError {
    if (typeof error !== "object" || error === null) return false;
    try {
      return (error as { framework?: unknown }).framework === true;
    } catch {
      return false; // a proxy, or a getter that throws
    }
  }
}
