import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, rename, rm } from "node:fs/promises";
import { promisify } from "node:util";
import type { ServerFolder } from "./server-folder.ts";

/** The Java program, JVM options and jars that run the programs of Kafka. */
export interface KafkaJava {
  readonly java: string;
  readonly options: readonly string[];
  readonly jars: string;
}

/**
 * Creates the empty storage in the folder `data` of a broker.
 *
 * It copies the storage of the first broker: the program that formats it takes half a second of processor time. Storage with users is always formatted,
 * because the program writes them into it.
 */
export const makeStorage = async (
  machine: KafkaJava,
  folder: ServerFolder,
  scramUsers: readonly string[],
): Promise<void> => {
  const data = folder.at("data");
  const template = `${machine.jars}-storage`;
  if (scramUsers.length > 0) return await format(machine, folder, scramUsers);
  if (existsSync(template)) return await cp(template, data, { recursive: true });
  await format(machine, folder, []);
  const unfinished = `${template}.${process.pid}`; // renamed when complete: another broker may start now
  await cp(data, unfinished, { recursive: true });
  await rename(unfinished, template).catch(() => rm(unfinished, { recursive: true })); // another process has created it
};

const format = async (
  { java, options }: KafkaJava,
  folder: ServerFolder,
  scramUsers: readonly string[],
): Promise<void> => {
  const id = `--cluster-id=${randomBytes(16).toString("base64url")}`; // one word: an id may begin with "-"
  const users = scramUsers.flatMap((user) => ["--add-scram", user]);
  const args = ["kafka.tools.StorageTool", "format", id, ...users, "-c", folder.at("server.properties")];
  await promisify(execFile)(java, [...options, ...args], { cwd: folder.path }); // other servers start meanwhile
};
