import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { ServerFolder, SystemUser } from "./server-folder.ts";

const run = promisify(execFile);

const options = ["-U", "framework", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"];

/** Clusters without data, one for each version: a copy takes a sixth of the processor time of a new one. */
const templates = join(dirname(dirname(dirname(import.meta.dirname))), ".cache/postgres-clusters");

/** Creates an empty cluster in the folder `data` of a server. */
export const makeCluster = async (
  initdb: string,
  folder: ServerFolder,
  user: SystemUser | null,
): Promise<void> => {
  const data = folder.at("data");
  const { stdout: version } = await run(initdb, ["--version"], { ...user, cwd: folder.path });
  const id = createHash("sha256")
    .update(JSON.stringify([version, options, user]))
    .digest("hex");
  const template = join(templates, id.slice(0, 16));
  if (existsSync(template)) return await copy(template, data);
  await run(initdb, ["-D", data, ...options], { ...user, cwd: folder.path });
  await keep(data, template);
};

/** Copies a cluster with the owner and the permissions of its files, which the server requires. */
const copy = async (from: string, to: string): Promise<void> => void (await run("cp", ["-a", from, to]));

/** Keeps a copy for later servers. It is renamed atomically. */
const keep = async (data: string, template: string): Promise<void> => {
  const unfinished = `${template}-${process.pid}`;
  await mkdir(templates, { recursive: true });
  await copy(data, unfinished);
  await rename(unfinished, template).catch(() => rm(unfinished, { recursive: true })); // another process has created it
};
