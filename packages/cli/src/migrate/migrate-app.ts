import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { importInstalled } from "../app/import-installed.ts";
import { withAppDatabase } from "../app/operated-app.ts";
import type { RunCommand } from "../frame/command.ts";
import type { Progress } from "../frame/progress.ts";
import { type Line, styled } from "../frame/text.ts";
import { UsageError } from "../frame/usage-error.ts";

/** `migrate` of `@framework/database`. */
type Migrate = (db: unknown, options: object) => Promise<readonly Step[]>;

interface Step {
  readonly number: number;
  readonly name: string;
  readonly direction: "up" | "down";
}

export const migrateApp: RunCommand = async (given, { cwd, progress }) => {
  const directory = resolve(cwd, given.argument("directory") ?? "migrations");
  const hasFiles = existsSync(directory);
  if (!hasFiles && given.argument("directory") !== undefined)
    throw new UsageError(`there is no folder ${directory}`);
  const { migrate } = (await importInstalled("@framework/database", cwd)) as unknown as { migrate: Migrate };
  const dryRun = given.flag("dry-run");
  const to = given.number("to");
  return withAppDatabase(given.text("app"), cwd, async (app, db) => {
    progress.show(0, "migrations of the folder");
    const onStep = ({ number, name }: Step, { done, total }: { done: number; total: number }): void =>
      progress.show((done / total) * SHARE_OF_FILES, `${done + 1} of ${total}: ${number} ${name}`);
    const limits = { dryRun, timeoutSecs: given.number("timeout") ?? 3600, onStep };
    const steps = hasFiles
      ? await migrate(db, { directory, ...limits, ...(to !== undefined && { to }) })
      : [];
    const durable: unknown = to !== undefined ? null : Reflect.get(app, "durable");
    const tables = isMigratable(durable) ? await migrateTables(durable, dryRun, progress) : null;
    return {
      ok: true,
      data: { steps, dryRun, durable: tables !== null && !dryRun, tables: tables ?? [] },
      lines: [
        ...steps.map(({ number, name, direction }): Line => [
          styled(direction === "up" ? "green" : "yellow", dryRun ? `would run ${direction}` : direction),
          ` ${number} ${name}`,
        ]),
        ...(steps.length === 0 && (tables ?? []).length === 0 ? ["the database is up to date"] : []),
        ...(tables ?? []).map(({ set, number, name }): Line => [
          styled("green", dryRun ? "would run up" : "up"),
          ` ${set} ${number} ${name}`,
        ]),
        ...(tables !== null && (tables.length === 0 || !dryRun)
          ? ["the tables of durable work are current"]
          : []),
      ],
    };
  });
};

/** Share of the progress bar for the files; the rest is for the tables of durable work. */
const SHARE_OF_FILES = 0.9;

/** `app.durable`: the members that this command uses. Earlier releases have no `pending`. */
interface DurableTables {
  migrate(): Promise<void>;
  pending?(): Promise<readonly TableStep[]>;
}

interface TableStep {
  readonly set: string;
  readonly number: number;
  readonly name: string;
}

const isMigratable = (value: unknown): value is DurableTables =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, "migrate") === "function";

/** Migrates the tables and returns the steps; a dry run only returns them, or `null` if they are unknown. */
const migrateTables = async (
  durable: DurableTables,
  dryRun: boolean,
  progress: Progress,
): Promise<readonly TableStep[] | null> => {
  progress.show(SHARE_OF_FILES, "tables of durable work");
  const pending = (await durable.pending?.()) ?? null;
  if (dryRun) return pending;
  await durable.migrate();
  return pending ?? [];
};
