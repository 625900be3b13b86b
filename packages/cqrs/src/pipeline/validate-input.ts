import type { Handler, Middleware } from "@framework/core";
import { mapAwaitable } from "@framework/core/feature";
import { validInput } from "../definitions/valid-input.ts";
import type { AnyRun } from "./operation-run.ts";
import type { Outcome } from "./outcome.ts";

/** Replaces the input with the output of its schema. @throws ValidationError 422 */
export const validateInput = <Run extends AnyRun>(): Middleware<Run, Outcome> =>
  function validateInput(run: Run, next: Handler<Run, Outcome>) {
    const { operation, call } = run;
    return mapAwaitable(validInput(operation.input, call), (input) => {
      run.input = input;
      return next(run);
    });
  };
