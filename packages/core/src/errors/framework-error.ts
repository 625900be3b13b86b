/**
 * Root of every error that the framework makes.
 *
 * `code` is a stable word with the package's prefix, such as `CORE_ROUTE_DUPLICATE`; the message says what is wrong and what to do.
 */
export class FrameworkError extends Error {
  override readonly name: string = "FrameworkError";
  readonly code: string;
  /** What `is` looks for: a property, so that two copies of the package recognise each other's errors. */
  readonly framework = true as const;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  static is(error: unknown): error is FrameworkError {
    return (
      typeof error === "object" && error !== null && (error as { framework?: unknown }).framework === true
    );
  }
}
