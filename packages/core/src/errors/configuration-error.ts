import { FrameworkError } from "./framework-error.ts";

/** One configuration mistake: a stable code, and a message with the remedy. */
export interface Problem {
  /** Stable code, such as `CORE_BAD_ROUTE`. */
  readonly code: string;
  /** The problem and the remedy. */
  readonly message: string;
}

/** All configuration mistakes in one error: of an app, thrown by `start` and `run` before the server listens, or of one configuration record. */
export class ConfigurationError extends FrameworkError {
  override readonly name = "ConfigurationError";
  /** Every mistake that was found. */
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    super(
      problems[0]?.code ?? "CORE_CONFIGURATION",
      problems.map(({ code, message }) => `${code}: ${message}`).join("\n"),
      options,
    );
    this.problems = problems;
  }
}
