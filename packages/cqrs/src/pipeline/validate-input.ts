import type { Handler, Middleware } from "@framework/core";
import { mapAwaitable } from "@framework/core/feature";
import { type RawInput, validInput } from "../definitions/valid-input.ts";
import type { AnyRun } from "./operation-run.ts";
import type { Outcome } from "./outcome.ts";

/** Replaces the input with the output of its schema. @param inputOf returns the input to validate. @default the input of the call @throws ValidationError 422 */
export const validateInput = <Run extends AnyRun>(
  inputOf: (run: Run) => RawInput = ({ call }) => call,
): Middleware<Run, Outcome> =>
  function validateInput(run: Run, next: Handler<Run, Outcome>) {
    return mapAwaitable(validInput(run.operation.input, inputOf(run)), (input) => {
      run.input = input;
      return next(run);
    });
  };
