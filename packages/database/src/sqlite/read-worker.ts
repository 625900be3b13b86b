// The program of the reading thread. It imports no package by name, so that it loads however the application was started.
import { parentPort, workerData } from "node:worker_threads";
import type { Row } from "../queries.ts";
import type { Part, Question, ReadWorkerData } from "./read-protocol.ts";
import { SqliteConnection } from "./sqlite-connection.ts";

/** Rows per message: receiving them must not block the process either. */
const PART_ROWS = 500;

const { location, lockMs } = workerData as ReadWorkerData;
let connection: SqliteConnection | null = null;
let left: Row[] = [];
let tookMs = 0;

const read = ({ text, parameters, first }: Question): void => {
  connection ??= new SqliteConnection(location, { readOnly: true, busyTimeoutMs: lockMs });
  const from = performance.now();
  left = connection.run(connection.prepare(text), parameters, first).rows;
  tookMs = performance.now() - from;
};

const part = (question: Question | null): Part => {
  try {
    if (question !== null) read(question);
    return { rows: left.splice(0, PART_ROWS), more: left.length > 0, tookMs, fault: null };
  } catch (error) {
    left = [];
    const { message, code, errcode } = error as Error & { code?: string; errcode?: number };
    return { rows: [], more: false, tookMs: 0, fault: { message, code, errcode } };
  }
};

const ready: Part = { rows: [], more: false, tookMs: 0, fault: null };
parentPort?.postMessage(ready);
parentPort?.on("message", (question: Question | null) => parentPort?.postMessage(part(question)));
