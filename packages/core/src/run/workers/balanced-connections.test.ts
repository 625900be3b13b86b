import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, get, type IncomingMessage } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { afterEach, expect, test } from "@jest/globals";
import { pidAt, pidsAt, pidsOfAll, startService, until } from "../testing/service-program.ts";
import { endPrograms, type Program } from "../testing/start-program.ts";

afterEach(endPrograms);

const WORKERS = 3;

/** A client with one keep-alive connection, which it reopens when the service closes it cleanly. */
class Client {
  pid = 0;
  private readonly url: string;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(url: string) {
    this.url = url;
  }

  /** @throws when the connection is refused or reset */
  async get(path = "/pid"): Promise<void> {
    const request = get(this.url + path, { agent: this.agent });
    const [reply] = (await once(request, "response")) as [IncomingMessage];
    ({ pid: this.pid } = (await json(reply)) as { pid: number });
  }
}

const open = async (url: string, count: number): Promise<Client[]> => {
  const clients: Client[] = [];
  for (let index = 0; index < count; index++) {
    const client = new Client(url);
    clients.push(client);
    await client.get();
  }
  return clients;
};

const isEven = (clients: readonly Client[]): boolean => {
  const counts = [...Map.groupBy(clients, ({ pid }) => pid).values()].map(({ length }) => length);
  const mean = clients.length / WORKERS;
  return counts.length === WORKERS && counts.every((count) => Math.abs(count - mean) <= mean / 5);
};

const start = (accept: "workers" | "primary"): Program =>
  startService({ run: { workers: WORKERS, env: "production", cluster: { accept } } });

test.each(["workers", "primary"] as const)(
  "balances 60 long-lived connections within 20 % of the mean when the %s accept",
  async (accept) => {
    const { url } = await start(accept).listening;
    const clients = await open(url, 60);
    await until(async () => {
      if (!isEven(clients)) await Promise.all(clients.map((client) => client.get()));
      return isEven(clients);
    });
    expect(isEven(clients)).toBe(true);
  },
);

test("balances 15 connections of a proxy that opens them at once, without a failed request", async () => {
  const { url } = await start("workers").listening;
  const clients = Array.from({ length: 15 }, () => new Client(url));
  await until(async () => {
    await Promise.all(clients.map((client) => client.get()));
    return isEven(clients);
  });
  expect(isEven(clients)).toBe(true);
});

test("moves used connections to a worker that replaces a killed one", async () => {
  const { url } = await start("workers").listening;
  const clients = await open(url, 15);
  const [victim = 0] = new Set(clients.map(({ pid }) => pid));
  const living = clients.filter(({ pid }) => pid !== victim);
  process.kill(victim, "SIGKILL");
  const all = [...living, ...(await open(url, 15 - living.length))];
  await until(async () => {
    await Promise.all(all.map((client) => client.get()));
    return isEven(all);
  });
  expect(all.some(({ pid }) => pid === victim)).toBe(false);
});

test("gives a worker whose loop is blocked no new connections", async () => {
  const folder = mkdtempSync(join(tmpdir(), "blocked-"));
  const blocksUntil = join(folder, "unblocked");
  const run = { workers: WORKERS, env: "production" } as const;
  const program = startService({ run, blocksUntil });
  const { url } = await program.listening;
  const [client] = await open(url, 1);
  const blocked = client?.get("/block");
  await program.waitFor("blocked");
  const others = await open(url, 12);
  expect(others.some(({ pid }) => pid === client?.pid)).toBe(false);
  writeFileSync(blocksUntil, "");
  await blocked;
  rmSync(folder, { recursive: true });
});

test.each(["workers", "primary"] as const)(
  "keeps connections that arrive while every worker is dead when the %s accept",
  async (accept) => {
    const { url } = await start(accept).listening;
    const dead = await pidsOfAll(url, WORKERS);
    for (const pid of dead) process.kill(pid, "SIGKILL");
    const pids = await pidsAt(url, 30);
    expect(pids.intersection(dead).size).toBe(0);
  },
);

test.each(["workers", "primary"] as const)(
  "listens on the same port again right after a stop when the %s accept",
  async (accept) => {
    const holder = createServer().listen(0, "127.0.0.1");
    await once(holder, "listening");
    const { port } = holder.address() as { port: number };
    holder.close();
    for (let round = 0; round < 2; round++) {
      const program = startService({ run: { port, workers: 2, cluster: { accept } } });
      const { url } = await program.listening;
      expect(await pidAt(url)).toBeGreaterThan(0);
      program.kill("SIGTERM");
      expect((await program.exit).code).toBe(0);
    }
  },
);
