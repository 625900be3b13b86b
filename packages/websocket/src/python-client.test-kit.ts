import { execFile, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** A Python that has the module `websockets`: the system's, which Debian's package is for, or the one in use; `null` without. */
export const findPython = (): string | null =>
  ["/usr/bin/python3", "python3"].find(
    (python) => spawnSync(python, ["-c", "import websockets"], { stdio: "ignore" }).status === 0,
  ) ?? null;

/** What the client does, in order; each gives a result. */
export type Step =
  | readonly ["text" | "binary" | "ping", string]
  | readonly ["fragments", readonly string[]]
  | readonly ["receive" | "closed"]
  | readonly ["echo", kind: "text" | "binary", size: number]
  | readonly ["close", code: number, reason: string];

/** How a client connects. */
export interface Connecting {
  readonly deflate?: boolean;
  readonly protocols?: readonly string[];
}

/** What a client that connected saw, or the status with which it was refused. */
export type Seen =
  | {
      readonly protocol: string | null;
      readonly extensions: string | null;
      readonly results: readonly unknown[];
    }
  | { readonly refused: number };

const script = fileURLToPath(new URL("./python-client.py", import.meta.url));

/** Runs one client to its end. */
export const runPython = (
  python: string,
  url: string,
  steps: readonly Step[],
  { deflate = false, protocols = [] }: Connecting = {},
): Promise<Seen> =>
  new Promise((resolve, reject) => {
    const env = { ...process.env, NO_PROXY: "*" };
    const child = execFile(python, [script], { env, timeout: 20_000 }, (error, output, errors) => {
      if (error === null) resolve(JSON.parse(output) as Seen);
      else reject(new Error(`the client failed\n${errors}`, { cause: error }));
    });
    child.stdin?.end(JSON.stringify({ url: url.replace("http", "ws"), steps, deflate, protocols }));
  });
