import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { CqrsConfig } from "./index.ts";

/** The test in which each option changes behaviour: its file, and its name. */
const tests: Readonly<Record<keyof CqrsConfig, readonly [file: string, name: string]>> = {
  enableEventSync: ["sync/sync.test-kit", "enableEventSync: false wires nothing: no token, no wait"],
  commandTimeoutMs: [
    "commands/time-limits.test-kit",
    "commandTimeoutMs and timeoutMs: the command's own limit wins",
  ],
  queryTimeoutMs: ["queries/queries.test", "queryTimeoutMs and timeoutMs: a call ends at its own limit"],
  maxRetries: ["commands/failures.test-kit", "maxRetries bounds the attempts"],
  keepKeysSecs: ["idempotency/kept-results.test-kit", "keepKeysSecs: afterwards the key is new"],
  maxStoredBytes: ["idempotency/kept-results.test-kit", "maxStoredBytes: a larger result is not kept"],
  operations: ["cqrs.test", "all mistakes are reported together, at start"],
  statusPath: ["queued/command-status.test-kit", "statusPath is the path of the status of commands"],
  callerOf: ["idempotency/keys.test-kit", "callerOf and tenantOf of the configuration say whose key it is"],
  tenantOf: ["idempotency/keys.test-kit", "callerOf and tenantOf of the configuration say whose key it is"],
  clock: ["idempotency/kept-results.test-kit", "expired keys are removed once a minute"],
};

test("every option changes behaviour in a test", () => {
  expect(Object.keys(tests).toSorted()).toEqual(Object.keys(CqrsConfig.of()).toSorted());
  for (const [option, [file, name]] of Object.entries(tests)) {
    const source = readFileSync(new URL(`./${file}.ts`, import.meta.url), "utf8");
    expect([option, source.includes(`"${name}`), source.includes(option)]).toEqual([option, true, true]);
  }
});
