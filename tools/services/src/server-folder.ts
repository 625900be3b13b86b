import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** User and group id. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** Returns the first of these users that exists, for a server that refuses to run as root; `null` when this process is not root. @throws Error when none exists */
export const userWhenRoot = (...names: readonly string[]): SystemUser | null => {
  if (process.getuid?.() !== 0) return null;
  for (const name of names) {
    const [uid, gid] = [idOf("-u", name), idOf("-g", name)];
    if (uid !== null && gid !== null) return { uid, gid };
  }
  throw new Error(`there is no user ${names.join(" or ")}, and the server refuses to run as root`);
};

const idOf = (flag: string, name: string): number | null => {
  const { status, stdout } = spawnSync("id", [flag, name], { encoding: "utf8" });
  return status === 0 ? Number(stdout) : null;
};

/** A folder for the data and the log of one server, in the temporary folder; deleted when disposed. */
export class ServerFolder implements Disposable {
  readonly path: string;

  constructor(server: string, owner: SystemUser | null = null) {
    this.path = mkdtempSync(join(tmpdir(), `framework-${server}-`));
    if (owner !== null) chownSync(this.path, owner.uid, owner.gid);
  }

  at(name: string): string {
    return join(this.path, name);
  }

  /** Returns the last lines of the log of the server, for error messages. */
  logTail(): string {
    const file = this.at("log");
    return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n").slice(-15).join("\n") : "";
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}
