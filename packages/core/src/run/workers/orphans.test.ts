import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { pidsOfAll, replyAt, startService } from "../testing/service-program.ts";
import { endPrograms, type Program } from "../testing/start-program.ts";

const folder = mkdtempSync(join(tmpdir(), "orphans-"));
afterAll(async () => {
  await endPrograms();
  rmSync(folder, { recursive: true });
});

/** A service with two workers whose primary was killed while one worker was restarting. */
const orphanedService = async (where: "program" | "handler", run: object = {}) => {
  const file = join(folder, where);
  const program = startService({
    heldBy: { file, in: where },
    failsToStop: true,
    run: { workers: 2, ...run },
  });
  const { url } = await program.listening;
  const pids = await pidsOfAll(url, 2);
  writeFileSync(file, "");
  const [victim = 0] = pids;
  process.kill(victim, "SIGKILL");
  await program.waitFor("held");
  program.kill("SIGKILL");
  return { program, url, port: Number(new URL(url).port), release: () => rmSync(file) };
};

/** Ends the orphaned workers of a killed primary. */
const endOrphans = async (program: Program): Promise<void> => {
  for (const [, pid = ""] of program.stderr().matchAll(/(?:started:|held) (\d+)/g)) {
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {} // it has ended
  }
  await program.exit;
};

test("a start waits for an orphaned worker that is still loading, and the other orphan has no shared state", async () => {
  const { program, url, port, release } = await orphanedService("program", {
    cluster: { shutdownTimeoutSecs: 2 },
  });
  const counted = replyAt(url, "/count").catch(() => ({}));
  const next = startService({ run: { workers: 2, port } });
  await next.waitFor("the start waits for workers whose primary has ended");
  release();
  expect((await next.listening).url).toBe(url);
  expect(await counted).not.toHaveProperty("value");
  await endOrphans(program);
});

test("a worker that rolls back its start because its primary was killed frees the port at once", async () => {
  const { program, port, release } = await orphanedService("handler", {
    cluster: { shutdownTimeoutSecs: 60 },
  });
  const next = startService({ run: { workers: 2, port, cluster: { shutdownTimeoutSecs: 10 } } });
  expect((await next.listening).workers).toBe(2);
  release();
  await endOrphans(program);
});
