import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** What the format tool needs. */
export interface KafkaFormat {
  readonly java: string;
  /** Options of the JVM, with the class path. */
  readonly options: readonly string[];
  /** Folder of the jars, beside which the tool's file is kept. */
  readonly jars: string;
  /** Folder for data, which is made. */
  readonly data: string;
  readonly properties: string;
  /** SCRAM users, as `--add-scram` of the format tool takes them. */
  readonly scramUsers: readonly string[];
}

const newId = (): string => randomBytes(16).toString("base64url");

/** Makes an empty data folder. The tool writes the same records for every server without users: it runs once, because its start takes a quarter of a server's. */
export const formatKafka = async (format: KafkaFormat): Promise<void> => {
  const { jars, data, scramUsers } = format;
  const records = join(data, "bootstrap.checkpoint");
  const kept = `${jars}.bootstrap.checkpoint`;
  if (scramUsers.length === 0 && existsSync(kept)) {
    await mkdir(data);
    await copyFile(kept, records);
    const ids = { version: 1, "node.id": 1, "cluster.id": newId(), "directory.id": newId() };
    const lines = Object.entries(ids).map(([name, value]) => `${name}=${value}\n`);
    return await writeFile(join(data, "meta.properties"), lines.join(""));
  }
  await runTool(format);
  if (scramUsers.length > 0) return;
  const unfinished = `${kept}.${process.pid}`; // renamed when complete: another server may start now
  await copyFile(records, unfinished);
  await rename(unfinished, kept);
};

const runTool = async ({ java, options, properties, scramUsers }: KafkaFormat): Promise<void> => {
  const id = `--cluster-id=${newId()}`; // one word: an id may begin with "-"
  const users = scramUsers.flatMap((user) => ["--add-scram", user]);
  const args = [...options, "kafka.tools.StorageTool", "format", id, ...users, "-c", properties];
  await promisify(execFile)(java, args); // other servers start meanwhile
};
