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

/** Writes the program, with the drain of production, which keeps new connections for a second: the 50 ms of development are too short on a busy machine. */
const write = (answer: string): void => {
  const text = `
    import { run } from "${own("../run.ts")}";
    import { routed } from "${own("../testing/routed.ts")}";
    const answer = () => ({ pid: process.pid, answer: ${answer} });
    await run(routed({ "/": answer }), { port: 0, reload: true, env: "production" });
  `;
  writeFileSync(join(folder, "main.ts"), text);
};

const start = async (): Promise<{ program: Program; url: string; answer: () => Promise<unknown> }> => {
  write('"first"');
  const program = startProgram(join(folder, "main.ts"), [], {}, { cwd: folder });
  const { url } = await program.listening;
  return { program, url, answer: async () => (await replyAt(url, "/"))["answer"] };
};

test("serves new code on the same port after a change, without a refused request", async () => {
  const { program, url } = await start();
  const before = await replyAt(url, "/");
  expect(before["answer"]).toBe("first");
  write('"second"');
  let after = before; // both workers accept until the old one drains
  await until(async () => (after = await replyAt(url, "/"))["answer"] === "second");
  expect(after["pid"]).not.toBe(before["pid"]);
  program.kill("SIGINT");
  expect((await program.exit).code).toBe(0);
});

test("keeps the old code when the new code is broken, and loads the next working change", async () => {
  const { program, answer } = await start();
  write("}{");
  await program.waitFor("the previous worker continues");
  expect(program.stderr()).toContain("SyntaxError");
  expect(await answer()).toBe("first");
  write('"mended"');
  await until(async () => (await answer()) === "mended");
});
