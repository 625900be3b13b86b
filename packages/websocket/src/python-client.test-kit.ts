import { execFile, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Returns a Python with the module `websockets`: Debian's, which has the package python3-websockets, or the one on PATH; `null` without one. */
export const findPython = (): string | null =>
  ["/usr/bin/python3", "python3"].find(
    (python) => spawnSync(python, ["-c", "import websockets"], { stdio: "ignore" }).status === 0,
  ) ?? null;

/** A step of the client; each has a result. */
export type Step =
  | readonly ["text" | "binary" | "ping", string]
  | readonly ["fragments", readonly string[]]
  | readonly ["receive" | "closed"]
  | readonly ["echo", kind: "text" | "binary", size: number]
  | readonly ["close", code: number, reason: string];

/** Connection options of a client. */
export interface Connecting {
  readonly deflate?: boolean;
  readonly protocols?: readonly string[];
}

/** Results of a connected client, or the status of its refusal. */
export type Seen =
  | {
      readonly protocol: string | null;
      readonly extensions: string | null;
      readonly results: readonly unknown[];
    }
  | { readonly refused: number };

const script = fileURLToPath(new URL("./python-client.py", import.meta.url));

/** Runs one client until it exits. */
export const runPython = (
  python: string,
  url: string,
  steps: readonly Step[],
  { deflate = false, protocols = [] }: Connecting = {},
): Promise<Seen> =>
  new Promise((resolve, reject) => {
    const env = { ...process.env, NO_PROXY: "*" };
    const child = execFile(python, [script], { env, timeout: 60_000 }, (error, output, errors) => {
      if (error === null) resolve(JSON.parse(output) as Seen);
      else reject(new Error(`the client failed\n${errors}`, { cause: error }));
    });
    child.stdin?.end(JSON.stringify({ url: url.replace("http", "ws"), steps, deflate, protocols }));
  });
