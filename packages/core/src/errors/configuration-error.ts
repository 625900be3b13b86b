import { FrameworkError } from "./framework-error.ts";

/** One mistake in what the program asked for: what is wrong and what to do, with a stable code. */
export interface Problem {
  readonly code: string;
  readonly message: string;
}

/** Every mistake found at start, in one error. @throws by `start` and `run`, before anything listens. */
export class ConfigurationError extends FrameworkError {
  override readonly name = "ConfigurationError";
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(
      problems[0]?.code ?? "CORE_CONFIGURATION",
      problems.map(({ code, message }) => `${code}: ${message}`).join("\n"),
    );
    this.problems = problems;
  }
}
