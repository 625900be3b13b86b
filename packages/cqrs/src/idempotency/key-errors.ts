import { HttpError, ValueError } from "@framework/core";
import { MAX_KEY_LENGTH } from "../limits.ts";

/** 400: the caller must send a key. */
export const keyMissing = (): ValueError =>
  new ValueError("This operation requires an idempotency key in the field Idempotency-Key", {
    code: "CQRS_KEY_MISSING",
  });

/** 400: the key is malformed. */
export const badKey = (): ValueError =>
  new ValueError(
    `An idempotency key must have 1 to ${MAX_KEY_LENGTH} visible ASCII characters, and be sent once`,
    {
      code: "CQRS_BAD_KEY",
    },
  );

/** 409: a call with the same key is running. */
export const keyRunning = (): HttpError =>
  new HttpError(409, "A request with this idempotency key is being processed", {
    code: "CQRS_KEY_RUNNING",
    headers: { "retry-after": "1" },
    retry_after: 1,
  });

/** 422: the key was used for something else. */
export const keyReused = (): HttpError =>
  new HttpError(422, "This idempotency key was used for a different request", {
    code: "CQRS_KEY_REUSED",
    error: "Unprocessable Content", // not "Validation Failed": the input itself is valid
  });

/** 409: the first call is complete, but its result was not stored. */
export const resultNotKept = (): HttpError =>
  new HttpError(
    409,
    "The request was completed before, but its result was not kept: it was too large, or a stream",
    {
      code: "CQRS_RESULT_NOT_KEPT",
      completed: true,
    },
  );

/** Whether a value can be an idempotency key. */
export const isKey = (key: unknown): key is string =>
  typeof key === "string" && key.length <= MAX_KEY_LENGTH && /^[\x21-\x7e]+$/.test(key);
