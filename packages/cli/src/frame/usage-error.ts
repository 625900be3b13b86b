import { FrameworkError } from "@framework/core";

/** An invalid command line; the program ends with exit code 2. */
export class UsageError extends FrameworkError {
  constructor(message: string) {
    super("CLI_USAGE", message);
  }
}
