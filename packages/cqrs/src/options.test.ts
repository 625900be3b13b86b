import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { CqrsConfig } from "./index.ts";

/** For each option, the file and name of a test in which it changes behaviour. */
const tests: Readonly<Record<keyof CqrsConfig, readonly [file: string, name: string]>> = {
  enableEventSync: ["sync/sync.test-kit", "enableEventSync: false disables tokens and waiting"],
  commandTimeoutMs: [
    "commands/time-limits.test-kit",
    "the timeoutMs of a command takes precedence over commandTimeoutMs",
  ],
  queryTimeoutMs: ["queries/queries.test", "a call ends at queryTimeoutMs"],
  maxRetries: ["commands/failures.test-kit", "maxRetries limits the attempts"],
  keepKeysSecs: ["idempotency/stored-results.test-kit", "after keepKeysSecs a key can be used again"],
  maxStoredBytes: ["idempotency/stored-results.test-kit", "a result above maxStoredBytes is not stored"],
  operations: ["cqrs.test", "all problems are reported together at start"],
  statusPath: ["queued/command-status.test-kit", "statusPath is the path of the status route"],
  callerOf: ["idempotency/keys.test-kit", "callerOf and tenantOf determine the scope of a key"],
  tenantOf: ["idempotency/keys.test-kit", "callerOf and tenantOf determine the scope of a key"],
  clock: ["idempotency/stored-results.test-kit", "expired keys are removed once a minute"],
};

test("every option has a test", () => {
  expect(Object.keys(tests).toSorted()).toEqual(Object.keys(CqrsConfig.of()).toSorted());
  for (const [option, [file, name]] of Object.entries(tests)) {
    const source = readFileSync(new URL(`./${file}.ts`, import.meta.url), "utf8");
    expect([option, source.includes(`"${name}`), source.includes(option)]).toEqual([option, true, true]);
  }
});
