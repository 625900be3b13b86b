import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { replyAt, until } from "../testing/service-program.ts";
import { endPrograms, type Program, startProgram } from "../testing/start-program.ts";

let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "reload-service-")));
});
afterEach(async () => {
  await endPrograms();
  rmSync(folder, { recursive: true, force: true });
});

const own = (path: string): string => new URL(path, import.meta.url).href;

/**
 * Writes the program. It uses the drain of production, which keeps idle connections open for a second: the 50 ms of development are too short on a busy
 * machine.
 */
const write = (version: string): void => {
  const text = `
    import { run } from "${own("../run.ts")}";
    import { routed } from "${own("../testing/routed.ts")}";
    const version = () => ({ pid: process.pid, version: ${version} });
    await run(routed({ "/": version }), { port: 0, reload: true, env: "production" });
  `;
  writeFileSync(join(folder, "main.ts"), text);
};

const start = async (): Promise<{ program: Program; url: string; version: () => Promise<unknown> }> => {
  write('"first"');
  const program = startProgram(join(folder, "main.ts"), [], {}, { cwd: folder });
  const { url } = await program.listening;
  return { program, url, version: async () => (await replyAt(url, "/"))["version"] };
};

test("serves new code on the same port after a change, without a refused request", async () => {
  const { program, url } = await start();
  const before = await replyAt(url, "/");
  expect(before["version"]).toBe("first");
  write('"second"');
  let after = before; // both workers accept until the old worker drains
  await until(async () => (after = await replyAt(url, "/"))["version"] === "second");
  expect(after["pid"]).not.toBe(before["pid"]);
  program.kill("SIGINT");
  expect((await program.exit).code).toBe(0);
});

test("keeps the old code when the new code is broken, and loads the next working change", async () => {
  const { program, version } = await start();
  write("}{");
  await program.waitFor("the previous worker continues");
  expect(program.stderr()).toContain("SyntaxError");
  expect(await version()).toBe("first");
  write('"fixed"');
  await until(async () => (await version()) === "fixed");
});
