import { createHash } from "node:crypto";
import { existsSync, globSync, realpathSync } from "node:fs";
import { mkdir, rename, rm, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { needProgram } from "./programs.ts";

const folders = join(dirname(dirname(dirname(import.meta.dirname))), ".cache/erlang-modules");

/**
 * Returns a folder with links to all modules of RabbitMQ and of Erlang, created once per version.
 *
 * As the first entry of the code path it halves the processor time of a start: otherwise Erlang searches about fifty folders for each of a thousand modules.
 */
export const erlangModules = async (rabbitMq: string): Promise<string> => {
  const plugins = join(realpathSync(rabbitMq), "../../plugins");
  const erlang = join(realpathSync(needProgram("erl")), "../../lib");
  const sources = [plugins, erlang].flatMap((from) => globSync(join(from, "*/ebin"))); // the folder names contain versions
  const id = createHash("sha256").update(JSON.stringify(sources)).digest("hex");
  const folder = join(folders, id.slice(0, 16));
  if (!existsSync(folder)) await link(sources, folder);
  return folder;
};

/** Creates the folder atomically. */
const link = async (sources: readonly string[], folder: string): Promise<void> => {
  const unfinished = `${folder}-${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  const files = sources.flatMap((source) => globSync(join(source, "*.beam")));
  const first = new Map(files.toReversed().map((file) => [basename(file), file])); // the first of two with the same name, like Erlang
  for (const [name, file] of first) await symlink(file, join(unfinished, name));
  await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true })); // another process has created it
};
