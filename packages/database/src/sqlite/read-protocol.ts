import type { SQLInputValue } from "node:sqlite";
import type { Row } from "../queries.ts";

/** Options of the reading process. */
export interface ReaderData {
  readonly location: string;
  /** Maximum wait of the process for another process's lock. */
  readonly lockMs: number;
}

/** A request to the process; `more` requests the next rows of the current statement. */
export interface Question {
  readonly text: string;
  readonly parameters: readonly SQLInputValue[];
  readonly first: boolean;
}

/** An error of `node:sqlite` in the process; a message would keep only its message. */
export interface Fault {
  readonly message: string;
  readonly code: string | undefined;
  readonly errcode: number | undefined;
}

/** A part of the rows. */
export interface Part {
  readonly rows: readonly Row[];
  readonly more: boolean;
  /** Time that SQLite took for all rows. */
  readonly tookMs: number;
  /** Processor time in it. */
  readonly workedMs: number;
  readonly fault: Fault | null;
}
