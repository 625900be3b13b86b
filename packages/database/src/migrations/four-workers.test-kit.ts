import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundledProgram } from "@framework/bundled-sources";
import { startProgram } from "@framework/testing";

/** A worker of the service: its start, and the end of its migrations, in Unix milliseconds. */
interface Worker {
  readonly pid: number;
  readonly begun: number;
  readonly migrated: number;
}

/** Result of the start of four workers on an empty database. */
export interface FourWorkers {
  /** Number of workers that serve. */
  readonly workers: number;
  /** Number of times that the migration ran. */
  readonly migrated: number;
  /** Longest time from the start of a worker to the end of its migrations. */
  readonly longestMs: number;
}

/** Starts four workers on an empty database with one slow migration. */
export const migrateInFourWorkers = async (
  config: Readonly<Record<string, unknown>>,
  slowStatement: string,
): Promise<FourWorkers> => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "migrations-"));
  const statements = [
    "CREATE TABLE workers (pid BIGINT, begun BIGINT, migrated BIGINT)",
    "CREATE TABLE migrated (n BIGINT)",
    slowStatement,
  ];
  writeFileSync(join(folder.path, "0001-slow.up.sql"), `${statements.join(";\n")};\n`);
  await using program = await startProgram(
    bundledProgram(new URL("./migrating.test-program.ts", import.meta.url)),
    {
      env: { DATABASE: JSON.stringify({ ...config, migrations: folder.path }) },
      conditions: ["@framework/source"],
    },
  );
  const workers = (await program.client.get("/")).json<Worker[]>();
  return {
    workers: new Set(workers.map(({ pid }) => pid)).size,
    migrated: (await program.client.get("/migrated")).json<object[]>().length,
    longestMs: Math.max(...workers.map(({ begun, migrated }) => migrated - begun)),
  };
};
