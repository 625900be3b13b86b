import { afterEach, expect, test } from "@jest/globals";
import { failsafeLog } from "./failsafe-log.ts";

const { error: consoleError } = console;
afterEach(() => {
  console.error = consoleError;
});

test("the rejection of an asynchronous logger is written to the console, like an error that it throws", async () => {
  const written: unknown[] = [];
  console.error = (line: unknown) => void written.push(line);
  const log = failsafeLog({
    info: async () => {},
    warn: async () => {
      throw new Error("disk full");
    },
    error: () => {
      throw new Error("no file");
    },
  });
  log.info("listening");
  log.warn("slow");
  log.error("broken");
  await new Promise((resolve) => setImmediate(resolve)); // an unhandled rejection would fail the test
  expect(written).toEqual([
    "the logger failed (no file) at: broken",
    "the logger failed (disk full) at: slow",
  ]);
});
