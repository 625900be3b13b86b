// The program of the reading process. It must not import packages by name, so that it loads regardless of how the application was started.
import { Worker } from "node:worker_threads";
import type { Row } from "../queries.ts";
import type { Part, ReadRequest, ReaderData } from "./read-protocol.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { threadTimeMs } from "./thread-time.ts";

/** Rows per message, bounded so that receiving them does not block the service. */
const PART_ROWS = 500;

/** Worker thread that kills this process when the service ends: a running SQLite statement blocks the main thread. */
const WATCHER = `
const { Socket } = require("node:net");
const end = () => process.kill(process.pid, "SIGKILL");
new Socket({ fd: 4 }).on("error", end).on("close", end).resume();
`;

const { location, lockMs } = JSON.parse(process.argv[2] ?? "{}") as ReaderData;
let remainingRows: Row[] = [];
let tookMs = 0;
let workedMs = 0;

const open = (): SqliteConnection =>
  new SqliteConnection(location, { readOnly: true, busyTimeoutMs: lockMs });

/** Opens the connection early, so that opening does not count towards the time limit of the first request. If it fails, that request retries and reports the error. */
const tryOpen = (): SqliteConnection | null => {
  try {
    return open();
  } catch {
    return null;
  }
};

let connection = tryOpen();

const read = ({ text, parameters, first }: ReadRequest): void => {
  connection ??= open();
  const [from, workedFrom] = [performance.now(), threadTimeMs()];
  remainingRows = connection.run(connection.prepare(text), parameters, first).rows;
  [tookMs, workedMs] = [performance.now() - from, threadTimeMs() - workedFrom];
};

const part = (request: ReadRequest | "more"): Part => {
  try {
    if (request !== "more") read(request);
    return {
      rows: remainingRows.splice(0, PART_ROWS),
      more: remainingRows.length > 0,
      tookMs,
      workedMs,
      fault: null,
    };
  } catch (error) {
    remainingRows = [];
    const { message, code, errcode } = error as Error & { code?: string; errcode?: number };
    return { rows: [], more: false, tookMs: 0, workedMs: 0, fault: { message, code, errcode } };
  }
};

new Worker(WATCHER, { eval: true });
// Ignore signals to the process group, such as from a terminal: the service decides when this process ends.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
const ready: Part = { rows: [], more: false, tookMs: 0, workedMs: 0, fault: null };
process.send?.(ready);
process.on("message", (request: ReadRequest | "more") => process.send?.(part(request)));
