// Imports the modules of its arguments one after another, and writes "\0CODE\0" to stdout and "\0" to stderr between them.
import { writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** Node's exit code for a top-level `await` that never settles. */
const UNSETTLED = 13;

const paths = process.argv.splice(2);
let running = false;
let settled = true;

const finish = (): void => {
  running = false;
  writeSync(1, `\0${settled ? (process.exitCode ?? 0) : UNSETTLED}\0`);
  writeSync(2, "\0");
  process.exitCode = 0;
};

const start = async (path: string): Promise<void> => {
  [running, settled] = [true, false];
  process.argv[1] = path;
  try {
    await import(pathToFileURL(path).href);
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
  settled = true;
};

process.on("beforeExit", () => {
  if (running) finish();
  const next = paths.shift();
  if (next !== undefined) setImmediate(start, next); // a promise alone would not cause another "beforeExit"
});
