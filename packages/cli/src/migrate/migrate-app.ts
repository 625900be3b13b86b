import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { FrameworkError } from "@framework/core";
import { importInstalled } from "../app/import-installed.ts";
import { withAppDatabase } from "../app/operated-app.ts";
import type { RunCommand } from "../frame/command.ts";
import { type Line, styled } from "../frame/text.ts";

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
    throw new FrameworkError("CLI_NO_APP", `there is no folder ${directory}`);
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
    const durable: unknown = Reflect.get(app, "durable");
    const isDurable = !dryRun && to === undefined && isMigratable(durable);
    if (isDurable) progress.show(SHARE_OF_FILES, "tables of durable work");
    if (isDurable) await durable.migrate();
    return {
      ok: true,
      data: { steps, dryRun, durable: isDurable },
      lines: [
        ...steps.map(({ number, name, direction }): Line => [
          styled(direction === "up" ? "green" : "yellow", dryRun ? `would go ${direction}` : direction),
          ` ${number} ${name}`,
        ]),
        ...(steps.length === 0 ? ["the database is at this version already"] : []),
        ...(isDurable ? ["the tables of durable work are current"] : []),
      ],
    };
  });
};

/** Share of the progress that the files are; the tables of durable work are the rest. */
const SHARE_OF_FILES = 0.9;

const isMigratable = (value: unknown): value is { migrate(): Promise<void> } =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, "migrate") === "function";
