import type { SQLInputValue } from "node:sqlite";
import type { Row } from "../queries.ts";

/** Options of the reading process. */
export interface ReaderData {
  readonly location: string;
  /** Maximum wait of the process for another process's lock. */
  readonly lockMs: number;
}

/** A request to the process. The message `"more"` requests the next rows of the current statement. */
export interface ReadRequest {
  readonly text: string;
  readonly parameters: readonly SQLInputValue[];
  readonly first: boolean;
}

/** An error of `node:sqlite` in the process. Sent in this form, because a serialised Error keeps only its message. */
export interface Fault {
  readonly message: string;
  readonly code: string | undefined;
  readonly errcode: number | undefined;
}

/** A part of the rows. */
export interface Part {
  readonly rows: readonly Row[];
  readonly more: boolean;
  /** Duration of the read of all rows. */
  readonly tookMs: number;
  /** CPU time of the read. */
  readonly workedMs: number;
  readonly fault: Fault | null;
}
