import type { SQLInputValue } from "node:sqlite";
import type { Row } from "../queries.ts";

/** What a reading thread is made with. */
export interface ReadWorkerData {
  readonly location: string;
  /** Longest wait of the thread for a lock of another process. */
  readonly lockMs: number;
}

/** What the thread is asked; `null` asks for the next rows of the same. */
export interface Question {
  readonly text: string;
  readonly parameters: readonly SQLInputValue[];
  readonly first: boolean;
}

/** What `node:sqlite` threw in the thread: an error loses all but its message on the way. */
export interface Fault {
  readonly message: string;
  readonly code: string | undefined;
  readonly errcode: number | undefined;
}

/** Some rows of the answer. */
export interface Part {
  readonly rows: readonly Row[];
  readonly more: boolean;
  /** How long SQLite took for all of them. */
  readonly tookMs: number;
  readonly fault: Fault | null;
}
