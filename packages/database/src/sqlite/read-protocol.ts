import type { SQLInputValue } from "node:sqlite";
import type { Row } from "../queries.ts";

/** Options of the reading thread. */
export interface ReadWorkerData {
  readonly location: string;
  /** Maximum wait of the thread for another process's lock. */
  readonly lockMs: number;
}

/** A request to the thread; `null` requests the next rows of the current statement. */
export interface Question {
  readonly text: string;
  readonly parameters: readonly SQLInputValue[];
  readonly first: boolean;
}

/** An error of `node:sqlite` in the thread; structured cloning would keep only its message. */
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
  readonly fault: Fault | null;
}
