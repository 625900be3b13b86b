import { failureKind } from "../failures/failure-kind.ts";
import type { Failure } from "./outcome.ts";

/** Converts a thrown value to a failed outcome. */
export const rescue = (thrown: unknown): Failure => ({
  ok: false,
  kind: failureKind(thrown),
  error: Error.isError(thrown)
    ? thrown
    : new Error("a value that is not an Error was thrown", { cause: thrown }),
});
