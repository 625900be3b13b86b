import { HttpError } from "@framework/core";
import type { StoredEvent } from "../events/stored-event.ts";
import type { ExpectedVersion } from "./expected-version.ts";

/** Details of a conflict. */
export interface Conflict {
  readonly stream: string;
  readonly tenant: string;
  readonly expected: ExpectedVersion;
  readonly actual: number;
  readonly newer: readonly StoredEvent[];
}

/** 409: the stream does not have the expected version, so nothing was appended. Read it and decide again. */
export class ConflictError extends HttpError {
  override readonly name = "ConflictError";
  /** Name of the stream. */
  readonly stream: string;
  /** Tenant of the stream; empty without tenants. */
  readonly tenant: string;
  /** The version that the append expected. */
  readonly expected: ExpectedVersion;
  /** Version of the stream; 0 when it does not exist. */
  readonly actual: number;
  /** Events after the expected version, oldest first, at most 100 as stored; empty in an error of `Aggregate.execute`. */
  readonly newer: readonly StoredEvent[];

  constructor({ stream, tenant, expected, actual, newer }: Conflict) {
    super(409, "The data was changed meanwhile", {
      code: "EVENTS_CONFLICT",
      cause: new Error(`stream ${stream} has version ${actual}, expected ${expected}`),
    });
    this.stream = stream;
    this.tenant = tenant;
    this.expected = expected;
    this.actual = actual;
    this.newer = newer;
  }
}
