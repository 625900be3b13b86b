import { failureKind } from "../failures/failure-kind.ts";
import type { Failure } from "./outcome.ts";

/** Makes an outcome of a thrown value. */
export const rescue = (thrown: unknown): Failure => ({
  ok: false,
  kind: failureKind(thrown),
  error: Error.isError(thrown)
    ? thrown
    : new Error("a value that is not an Error was thrown", { cause: thrown }),
});
