import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { App } from "@framework/core";
import { afterAll } from "@jest/globals";
import { type StaticFiles, staticFiles, type StaticFilesInput } from "./index.ts";

/** Content of every file that must not be served. */
export const canary = "CANARY-7f3c9d";

/** Files by path below a new folder; `{ link }` is a symbolic link, `{ pipe }` a named pipe. */
export type Tree = Readonly<
  Record<string, string | Uint8Array | { readonly link: string } | { readonly pipe: true }>
>;

const createdFolders: string[] = [];

afterAll(() => {
  for (const root of createdFolders) rmSync(root, { recursive: true, force: true });
});

/** Creates a folder with these files, an hour old, and returns its real path; it is deleted after the tests of the file. */
export const makeTree = (tree: Tree): string => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "static-files-")));
  createdFolders.push(root);
  const hourAgo = new Date(Date.now() - 3_600_000);
  for (const [path, content] of Object.entries(tree)) {
    const filePath = join(root, path);
    mkdirSync(dirname(filePath), { recursive: true });
    if (typeof content === "string" || content instanceof Uint8Array) {
      writeFileSync(filePath, content);
      utimesSync(filePath, hourAgo, hourAgo);
    } else if ("link" in content) symlinkSync(content.link, filePath);
    else execFileSync("mkfifo", [filePath]);
  }
  return root;
};

/** An app that serves a new folder with these files. */
export const servedApp = (
  tree: Tree,
  config: Partial<StaticFilesInput> = {},
): { readonly app: App & StaticFiles; readonly root: string } => {
  const root = makeTree(tree);
  const app = new (App.with(staticFiles))().enableStaticFiles({ directory: root, ...config });
  return { app, root };
};

/** Open files of this process below a folder, as the system reports them. */
export const openBelow = (root: string): readonly string[] =>
  readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      return path.startsWith(`${root}/`) ? [path] : [];
    } catch {
      return []; // closed since the folder was read
    }
  });

/** The reply of `app.fetch`, with its whole body. */
export const send = async (
  app: App,
  path: string,
  init: RequestInit = {},
): Promise<{ readonly status: number; readonly text: string; readonly headers: Headers }> => {
  const reply = await app.fetch(new Request(`http://localhost${path}`, init));
  return { status: reply.status, text: await reply.text(), headers: reply.headers };
};
