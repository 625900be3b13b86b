import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { FrameworkError } from "@framework/core";

/** One migration, as read from its folder. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly up: string;
  /** `null` without a `.down.sql`. */
  readonly down: string | null;
  /** SHA-256 of `up`, hexadecimal. */
  readonly checksum: string;
}

const FILE = /^(\d{1,9})-([a-z0-9-]+)(?:\.(sqlite|postgres))?\.(up|down)\.sql$/;

/**
 * Reads `0001-create-books.up.sql`, `0001-create-books.down.sql` …; `0001-create-books.postgres.up.sql` takes precedence on PostgreSQL.
 *
 * @throws DATABASE_BAD_MIGRATIONS with all problems of the folder
 */
export const readMigrations = async (directory: string, dialect: string): Promise<readonly Migration[]> => {
  const files = (await readdir(directory)).filter((name) => name.endsWith(".sql")).sort();
  const problems: string[] = [];
  const found = new Map<number, { name: string; files: Map<string, string> }>();
  for (const file of files) {
    const [, digits = "", name = "", only, way = ""] = FILE.exec(file) ?? [];
    if (digits === "") problems.push(`${file} is not named like 0001-create-books.up.sql`);
    else {
      const number = Number(digits);
      const known = found.get(number) ?? { name, files: new Map<string, string>() };
      if (known.name !== name) problems.push(`number ${digits} belongs to ${known.name} and to ${name}`);
      found.set(number, known);
      if (only === undefined ? !known.files.has(way) : only === dialect) known.files.set(way, file);
    }
  }
  const steps = [...found].sort(([a], [b]) => a - b);
  for (const [number, step] of steps)
    if (!step.files.has("up")) problems.push(`migration ${number} (${step.name}) has no .up.sql`);
  if (problems.length > 0)
    throw new FrameworkError("DATABASE_BAD_MIGRATIONS", `${directory}: ${problems.join("; ")}`);
  return await Promise.all(steps.map(([number, step]) => readStep(directory, number, step)));
};

const readStep = async (
  directory: string,
  number: number,
  { name, files }: { name: string; files: ReadonlyMap<string, string> },
): Promise<Migration> => {
  const read = async (way: string): Promise<string | null> => {
    const file = files.get(way);
    return file === undefined ? null : await readFile(join(directory, file), "utf8");
  };
  const up = (await read("up")) ?? "";
  return {
    number,
    name,
    up,
    down: await read("down"),
    checksum: createHash("sha256").update(up).digest("hex"),
  };
};
