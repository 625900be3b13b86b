import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { bundledProgram } from "@framework/bundled-sources";
import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { same } from "../../contract/store-fixture.ts";
import { openEventStore } from "../../index.ts";
import { loanTypes } from "../../loan.test-kit.ts";
import { appendLoans, foldedRows, shelfRows } from "../shelf.test-kit.ts";

/** Starts a host that runs versions of the projection, and waits until it is up. */
const startHost = async (url: string, host: string, versions: string): Promise<ChildProcess> => {
  const program = bundledProgram(new URL("./host.test-program.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=@framework/source", program], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, NODE_OPTIONS: "", DATABASE: url, HOST: host, VERSIONS: versions },
  });
  await once(child.stdout ?? child, "data");
  return child;
};

const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
};

withServer("postgres", (server) => {
  test("no event is skipped or applied twice while hosts are killed and replaced by a release with a new version of the view", async () => {
    await using schema = await databaseInSchema(server);
    await using store = await openEventStore({ connectionUrl: schema.url, events: loanTypes });
    const { db } = store;
    const owners = async (): Promise<number> =>
      (await db.fetchValue<number>(
        "SELECT count(DISTINCT owner) FROM framework_leases WHERE kind LIKE 'projection shelf%' AND owner IS NOT NULL",
      )) ?? 0;
    let hasEnded = false;
    const appending = (async () => {
      for (let at = 0; !hasEnded; at += 3, await delay(20)) await appendLoans(store, 3, 7, at); // paced, because the test must read all events at the end
    })();
    const hosts: ChildProcess[] = [];
    const start = async (host: string, versions: string): Promise<ChildProcess> => {
      const child = await startHost(schema.url, host, versions);
      hosts.push(child);
      return child;
    };
    try {
      const [a, b] = [await start("host a", "1"), await start("host b", "1")];
      await waitFor(async () => (await owners()) === 2, {
        subject: "both hosts to own shards",
        timeoutMs: 60_000,
      });
      await end(b, "SIGKILL"); // its leases expire
      const c = await start("host c", "1,2"); // the next release, while the previous one still runs
      await end(a, "SIGTERM");
      await start("host d", "1,2");
      await end(c, "SIGKILL");
      hasEnded = true;
      await appending;
      const isLive = async (): Promise<boolean> =>
        (await store.projections.status()).some(({ version, status }) => version === 2 && status === "live");
      await waitFor(isLive, { subject: "version 2 to be live", timeoutMs: 150_000 });
      const last = await store.position();
      const hasCaughtUp = async (): Promise<boolean> =>
        (await store.projections.status()).some(({ version, position }) => version === 2 && position >= last);
      await waitFor(hasCaughtUp, { subject: "the view to catch up", timeoutMs: 150_000 });
      const folded = await foldedRows(store);
      same(await shelfRows(db), folded);
      expect(folded.reduce((sum, { applied }) => sum + applied, 0)).toBeGreaterThan(10);
    } finally {
      hasEnded = true;
      await appending;
      await Promise.all(hosts.map((each) => end(each, "SIGKILL")));
    }
  }, 420_000);
});
