// Above 250 lines because the tests share a PostgreSQL server that they may damage, and starting one takes longer than the tests.
import { connect, createServer, type Socket } from "node:net";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { App } from "@framework/core";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type FragileServer, findProgram, startPostgres } from "@framework/services";
import { waitFor } from "@framework/testing";
import {
  CommitUnknownError,
  type Database,
  DatabaseUnavailableError,
  database,
  openDatabase,
  sql,
} from "./index.ts";

let server: FragileServer;
const opened: Database[] = [];

beforeAll(async () => {
  if (findProgram("postgres") === null)
    throw new Error(
      "PostgreSQL is not installed; this installs it, or prints how to: node --conditions=@framework/source tools/services/src/main.ts postgres",
    );
  server = await startPostgres({ fsync: true });
});
afterAll(async () => {
  server.resume();
  await Promise.allSettled(opened.map((db) => db.close()));
  await server.stop();
});

const open = (config: Parameters<typeof openDatabase>[0] = {}): Database => {
  const db = openDatabase({ url: server.url, connectionTimeoutSecs: 1, answerTimeoutSecs: 1, ...config });
  opened.push(db);
  return db;
};

const unavailable = { status: 503, headers: { "retry-after": "1" } };

test("an exhausted pool fails with 503 after its bounded wait, and recovers", async () => {
  const db = open({ poolSize: 2, connectionTimeoutSecs: 2 }); // a busy machine connects slowly
  const hold = Promise.withResolvers<void>();
  const holders = [1, 2].map(() =>
    db.transaction(async (tx) => {
      await tx.query("SELECT 1");
      await hold.promise;
    }),
  );
  await waitFor(
    async () =>
      (await open().fetchValue<number>(
        "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'",
      )) === 2,
  );
  const refused = await Promise.allSettled([1, 2, 3].map(() => db.query("SELECT 1")));
  for (const each of refused) expect(each).toMatchObject({ status: "rejected", reason: unavailable });
  hold.resolve();
  await Promise.all(holders);
  for (let round = 0; round < 25; round++) await Promise.all([1, 2].map(() => db.query("SELECT 1")));
});

test("a transaction with timeoutSecs waits for a connection beyond connectionTimeoutSecs", async () => {
  const db = open({ poolSize: 1, connectionTimeoutSecs: 0.5 });
  const hold = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const holder = db.transaction(async (tx) => {
    await tx.query("SELECT 1");
    begun.resolve();
    await hold.promise;
  });
  await begun.promise;
  const patient = db.transaction((tx) => tx.fetchValue("SELECT 2"), { timeoutSecs: 60 });
  await expect(db.query("SELECT 1")).rejects.toMatchObject(unavailable); // queued after the patient transaction, this statement timed out
  hold.resolve();
  await holder;
  expect(await patient).toBe(2);
});

test("a killed server causes 503s, never an exit; after its restart it is used again and every acknowledged write is stored", async () => {
  const db = open();
  await db.execute("CREATE TABLE acknowledged (id INTEGER PRIMARY KEY)");
  const acknowledged: number[] = [];
  const unknown = new Set<number>();
  const statuses = new Set<number | undefined>();
  let next = 0;
  let stop = false;
  const write = async (): Promise<void> => {
    while (!stop) {
      const id = ++next;
      try {
        await db.transaction((tx) => tx.execute`INSERT INTO acknowledged VALUES (${id})`);
        acknowledged.push(id);
      } catch (error) {
        statuses.add((error as { status?: number }).status);
        if (error instanceof CommitUnknownError) unknown.add(id);
        await pause(10); // without a server every attempt fails at once
      }
    }
  };
  const writers = [1, 2, 3, 4].map(write);
  for (let round = 0; round < 2; round++) {
    const before = acknowledged.length;
    await waitFor(() => acknowledged.length > before + 50, { subject: "writes", timeoutMs: 60_000 });
    await server.kill();
    await server.start();
  }
  const before = acknowledged.length;
  await waitFor(() => acknowledged.length > before + 50, {
    subject: "writes after the last restart",
    timeoutMs: 60_000,
  });
  stop = true;
  await Promise.all(writers);
  expect([...statuses]).toEqual([503]);
  const stored = new Set((await db.query<{ id: number }>("SELECT id FROM acknowledged")).map(({ id }) => id));
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  const unexpected = [...stored].filter((id) => !acknowledged.includes(id) && !unknown.has(id));
  expect(unexpected).toEqual([]);
});

test("a frozen server delays no request beyond the reply timeout, and is used again once it continues", async () => {
  const db = open();
  await db.query("SELECT 1");
  server.pause();
  const from = performance.now();
  const outcomes = await Promise.allSettled([
    db.query("SELECT 1"),
    db.transaction((tx) => tx.query("SELECT 1")),
    db.execute("SELECT 1"),
  ]);
  expect(performance.now() - from).toBeLessThan(30_000); // the default timeout is 60 s
  for (const each of outcomes) expect(each).toMatchObject({ status: "rejected", reason: unavailable });
  server.resume();
  await waitFor(
    () =>
      db.query("SELECT 1").then(
        () => true,
        () => false,
      ),
    { timeoutMs: 60_000 },
  );
});

test("an aborted signal cancels the statement on the server, and its reply reaches no other caller", async () => {
  const db = open({ poolSize: 1, answerTimeoutSecs: 10 });
  await db.query("SELECT 1");
  const stop = new AbortController();
  const slow = db.until(stop.signal).query("SELECT pg_sleep(8), 'slow' AS tag");
  const running =
    "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(8)%' AND state = 'active'";
  const other = open();
  await waitFor(async () => (await other.fetchValue<number>(running)) === 1);
  stop.abort(new Error("gone"));
  await expect(slow).rejects.toThrow("gone");
  await waitFor(async () => (await other.fetchValue<number>(running)) === 0);
  for (let n = 0; n < 20; n++) expect(await db.fetchValue`SELECT ${String(n)}::text`).toBe(String(n));
});

test("an aborted signal cancels the statement of a nested transaction on the server", async () => {
  const db = open({ answerTimeoutSecs: 600 });
  const stop = new AbortController();
  const nested = db.transaction(
    (tx) => tx.transaction((inner) => inner.query("SELECT pg_sleep(600) AS deep")),
    {
      signal: stop.signal,
    },
  );
  const other = open({ answerTimeoutSecs: 60 });
  await waitFor(() => runs(other, "deep"), { timeoutMs: 30_000 });
  stop.abort(new Error("gone"));
  await expect(nested).rejects.toThrow("gone");
  await waitFor(async () => !(await runs(other, "deep")), { timeoutMs: 30_000 });
});

test("a stream that waits for its next rows is not idle", async () => {
  const db = open({ answerTimeoutSecs: 60, idleInTransactionSecs: 3 });
  const slow = sql`SELECT n, pg_sleep(5) FROM generate_series(1, 1) AS n`;
  const seen = await db.transaction(async (tx) => {
    const numbers: number[] = [];
    for await (const { n } of tx.stream<{ n: number }>(slow, { batchSize: 1 })) numbers.push(n);
    return numbers;
  });
  expect(seen).toEqual([1]);
});

test("session settings of one caller do not reach the next", async () => {
  const db = open({ poolSize: 1 });
  await db.execute("SET search_path TO nowhere");
  await db.transaction(async (tx) => {
    await tx.execute("SET LOCAL statement_timeout TO 77");
  });
  await db.execute("CREATE TEMP TABLE mine (n int)");
  expect(await db.fetchValue("SHOW search_path")).not.toBe("nowhere");
  expect(await db.fetchValue("SHOW statement_timeout")).toBe("0");
  expect(await db.fetchValue("SELECT to_regclass('pg_temp.mine')")).toBe(null);
});

test("a connection is reused after a statement without session state, and replaced after one with it", async () => {
  const db = open({ poolSize: 1 });
  const backendPid = () => db.fetchValue<number>("SELECT pg_backend_pid()");
  let before = await backendPid();
  await db.query("SELECT 1 AS temp");
  await db.transaction(async (tx) => {
    await tx.script("SET LOCAL search_path TO nowhere; SELECT 'SET x'");
  });
  expect(await backendPid()).toBe(before);
  for (const lasting of [
    "CREATE TEMP TABLE mine (n int)",
    "SELECT 1 AS n INTO TEMP mine",
    "SELECT pg_advisory_lock(7)",
    "SELECT $q$don't$q$, pg_advisory_lock(7)",
    "SELECT $$it's$$ || set_config('search_path', 'nowhere', false)",
    "UPDATE pg_settings SET setting = 'nowhere' WHERE name = 'search_path'",
  ]) {
    await db.execute(lasting);
    const after = await backendPid();
    expect(after).not.toBe(before);
    before = after;
  }
  await db.transaction((tx) => tx.script("SELECT 1; SET search_path TO nowhere"));
  expect(await backendPid()).not.toBe(before);
  expect(await db.fetchValue("SHOW search_path")).not.toBe("nowhere");
});

/** Whether a statement with this mark runs on the server. */
const runs = async (db: Database, mark: string): Promise<boolean> =>
  (await db.fetchValue<number>`SELECT count(*) FROM pg_stat_activity
    WHERE state = 'active' AND query LIKE ${`%${mark}%`} AND query NOT LIKE '%pg_stat_activity%'`) === 1;

test("a statement that exceeds the reply timeout is cancelled on the server", async () => {
  const other = open({ answerTimeoutSecs: 60 });
  const sleep = "SELECT pg_sleep(60) AS lonely";
  const acts = [
    () => open().query(sleep),
    () => open().transaction((tx) => tx.query(sleep)),
    () => open().transaction((tx) => tx.query(sleep), { timeoutSecs: 2 }),
  ];
  for (const act of acts) {
    await expect(act()).rejects.toMatchObject(unavailable);
    await waitFor(async () => !(await runs(other, "lonely")), { timeoutMs: 60_000 });
  }
});

test("an app that stops at its deadline cancels running statements on the server", async () => {
  const other = open({ answerTimeoutSecs: 60 });
  const app = new (App.with(database))().enableDatabase({ url: server.url });
  app.get("/", ({ app: { db } }) => db.query("SELECT pg_sleep(60) AS straggler"));
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  const reply = app.fetch(new Request("http://localhost/")).catch(() => null);
  await waitFor(() => runs(other, "straggler"), { timeoutMs: 60_000 });
  await app.stop({ timeoutSecs: 0.1 });
  await waitFor(async () => !(await runs(other, "straggler")), { timeoutMs: 60_000 });
  expect(await reply).toMatchObject({ status: 500 });
});

test("a caller that waits for a connection leaves the queue when its signal aborts", async () => {
  const db = open({ poolSize: 1, connectionTimeoutSecs: 60 });
  const stop = new AbortController();
  const reason = new Error("the client has gone");
  await db.transaction(async (tx) => {
    const waiting = db.until(stop.signal).query("SELECT 1");
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await tx.query("SELECT 1");
  });
  expect(await db.fetchValue("SELECT 2")).toBe(2);
});

test("after a server stopped replying, older idle connections are not tried one by one", async () => {
  const db = open({ poolSize: 5, minIdle: 5, answerTimeoutSecs: 1, connectionTimeoutSecs: 10 });
  const pid = () => db.fetchValue<number>("SELECT pg_backend_pid() FROM pg_sleep(0.1)");
  const before = await Promise.all(Array.from({ length: 5 }, pid));
  await expect(db.query("SELECT pg_sleep(30)")).rejects.toMatchObject(unavailable);
  expect(before).not.toContain(await pid());
});

test("after the early abort of a statement the other idle connections are still used", async () => {
  const db = open({ poolSize: 5, minIdle: 5, answerTimeoutSecs: 60, connectionTimeoutSecs: 60 });
  const pid = () => db.fetchValue<number>("SELECT pg_backend_pid() FROM pg_sleep(0.1)");
  const before = await Promise.all(Array.from({ length: 5 }, pid));
  const stop = new AbortController();
  const aborted = db.transaction(
    async (tx) => {
      const slow = tx.query("SELECT pg_sleep(60)");
      stop.abort(new Error("gone"));
      await slow;
    },
    { signal: stop.signal },
  );
  await expect(aborted).rejects.toThrow("gone");
  expect(before).toContain(await pid());
});

test("a listener reconnects after a restart of the server, and calls onGap", async () => {
  const db = open();
  const seen: string[] = [];
  let gaps = 0;
  await db.listen("news", (payload) => seen.push(payload), { onGap: () => gaps++ });
  await server.shutdown();
  await server.start();
  await waitFor(() => gaps === 1, { timeoutMs: 60_000 });
  await waitFor(async () => {
    await db.notify("news", "back").catch(() => {});
    return seen.includes("back");
  });
  expect(gaps).toBe(1);
});

/** A proxy between client and server; `cut` inspects the client's bytes and decides whether to break the connection. */
const startProxy = async (target: number, cut: (chunk: Buffer) => "before" | "after" | null) => {
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) sockets.add(socket.on("error", end).on("close", end));
    upstream.on("data", (chunk) => client.write(chunk));
    client.on("data", (chunk: Buffer) => {
      const when = cut(chunk);
      if (when === "before") return end();
      upstream.write(chunk);
      if (when === "after") {
        client.destroy();
        upstream.end();
      }
    });
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port } = proxy.address() as { port: number };
  return {
    port,
    close: (): void => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
};

test.each(["before", "after"] as const)(
  "a connection cut %s COMMIT reached the server has an unknown outcome",
  async (when) => {
    const direct = open();
    await direct.execute`CREATE TABLE ${sql.identifier(`cut_${when}`)} (id INTEGER)`;
    const port = Number(new URL(server.url).port);
    const proxy = await startProxy(port, (chunk) => (chunk.includes("COMMIT\0") ? when : null));
    const db = open({ url: server.url.replace(String(port), String(proxy.port)) });
    let called = 0;
    const change = db.transaction(async (tx) => {
      tx.onCommit(() => void called++);
      await tx.execute`INSERT INTO ${sql.identifier(`cut_${when}`)} VALUES (1)`;
    });
    await expect(change).rejects.toThrow(CommitUnknownError);
    expect(called).toBe(1); // callbacks run, because the change may have been committed
    const count = () => direct.fetchValue<number>`SELECT count(*) FROM ${sql.identifier(`cut_${when}`)}`;
    if (when === "after") await waitFor(async () => (await count()) === 1);
    expect(await count()).toBe(when === "after" ? 1 : 0);
    proxy.close();
  },
);

test("a listener that the server refuses, as a standby does, leaves no open connection", async () => {
  const port = Number(new URL(server.url).port);
  const proxy = await startProxy(port, (chunk) => {
    const at = chunk.indexOf("LISTEN");
    if (at >= 0) chunk.write("REFUSE", at); // a syntax error
    return null;
  });
  const url = server.url.replace(String(port), String(proxy.port));
  const db = open({ url, applicationName: "refused" });
  for (let turn = 0; turn < 2; turn++)
    await expect(db.listen("news", () => {})).rejects.toMatchObject({ kind: "syntax" });
  const left = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'refused'";
  const other = open();
  await waitFor(async () => (await other.fetchValue(left)) === 0, { timeoutMs: 20_000 });
  await db.close();
  proxy.close();
});

test("if its connection breaks, a transaction is rolled back and rejects with DatabaseUnavailableError", async () => {
  const direct = open();
  await direct.execute("CREATE TABLE half (id INTEGER)");
  const port = Number(new URL(server.url).port);
  const proxy = await startProxy(port, (chunk) => (chunk.includes("VALUES (2)") ? "after" : null));
  const db = open({ url: server.url.replace(String(port), String(proxy.port)) });
  let called = 0;
  const change = db.transaction(async (tx) => {
    tx.onCommit(() => void called++);
    await tx.execute("INSERT INTO half VALUES (1)");
    await tx.execute("INSERT INTO half VALUES (2)");
  });
  await expect(change).rejects.toThrow(DatabaseUnavailableError);
  expect(called).toBe(0);
  expect(await direct.fetchValue("SELECT count(*) FROM half")).toBe(0);
  proxy.close();
});
