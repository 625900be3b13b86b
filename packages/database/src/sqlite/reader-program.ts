// The program of the reading process. It imports no package by name, so that it loads however the application was started.
import { Worker } from "node:worker_threads";
import type { Row } from "../queries.ts";
import type { Part, Question, ReaderData } from "./read-protocol.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { threadTimeMs } from "./thread-time.ts";

/** Rows per message: receiving them must not block the service either. */
const PART_ROWS = 500;

/** Kills this process when the service ends: a statement of SQLite blocks everything but another thread. */
const WATCHER = `
const { Socket } = require("node:net");
const end = () => process.kill(process.pid, "SIGKILL");
new Socket({ fd: 4 }).on("error", end).on("close", end).resume();
`;

const { location, lockMs } = JSON.parse(process.argv[2] ?? "{}") as ReaderData;
let left: Row[] = [];
let tookMs = 0;
let workedMs = 0;

const open = (): SqliteConnection =>
  new SqliteConnection(location, { readOnly: true, busyTimeoutMs: lockMs });

/** Opened before the first request, whose time limit it would use up; a failure is that request's. */
const early = (): SqliteConnection | null => {
  try {
    return open();
  } catch {
    return null;
  }
};

let connection = early();

const read = ({ text, parameters, first }: Question): void => {
  connection ??= open();
  const [from, workedFrom] = [performance.now(), threadTimeMs()];
  left = connection.run(connection.prepare(text), parameters, first).rows;
  [tookMs, workedMs] = [performance.now() - from, threadTimeMs() - workedFrom];
};

const part = (question: Question | "more"): Part => {
  try {
    if (question !== "more") read(question);
    return { rows: left.splice(0, PART_ROWS), more: left.length > 0, tookMs, workedMs, fault: null };
  } catch (error) {
    left = [];
    const { message, code, errcode } = error as Error & { code?: string; errcode?: number };
    return { rows: [], more: false, tookMs: 0, workedMs: 0, fault: { message, code, errcode } };
  }
};

new Worker(WATCHER, { eval: true });
// The service decides when it ends, also when a terminal or a supervisor signals the whole group.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
const ready: Part = { rows: [], more: false, tookMs: 0, workedMs: 0, fault: null };
process.send?.(ready);
process.on("message", (question: Question | "more") => process.send?.(part(question)));
