import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProgram } from "@framework/testing";
import { expect } from "@jest/globals";

/** A worker of the service: when it began, and when its migrations were over, in milliseconds since 1970. */
interface Worker {
  readonly pid: number;
  readonly begun: number;
  readonly migrated: number;
}

/**
 * Starts four workers on an empty database whose one migration is slow: all wait for it, and one runs it.
 *
 * @param requestLimitMs limit of the configuration for requests, which the migration must exceed
 */
export const fourWorkersMigrateOnce = async (
  config: Readonly<Record<string, unknown>>,
  slowStatement: string,
  requestLimitMs: number,
): Promise<void> => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "migrations-"));
  const statements = [
    "CREATE TABLE workers (pid BIGINT, begun BIGINT, migrated BIGINT)",
    "CREATE TABLE migrated (n BIGINT)",
    slowStatement,
  ];
  writeFileSync(join(folder.path, "0001-slow.up.sql"), `${statements.join(";\n")};\n`);
  await using program = await startProgram(new URL("./migrating.test-program.ts", import.meta.url), {
    env: { DATABASE: JSON.stringify({ ...config, migrations: folder.path }) },
    conditions: ["@framework/source"],
  });
  const workers = (await program.client.get("/")).json<Worker[]>();
  expect(new Set(workers.map(({ pid }) => pid)).size).toBe(4);
  expect((await program.client.get("/migrated")).json<object[]>()).toHaveLength(1);
  const longestMs = Math.max(...workers.map(({ begun, migrated }) => migrated - begun));
  expect(longestMs).toBeGreaterThan(requestLimitMs); // else the migration was not slow
  expect(program.output()).not.toContain('"level":"error"');
  await program.stop();
};
