import { type Database, openDatabase } from "@framework/database";
import { type FragileServer, findProgram, startPostgres } from "@framework/services";
import { type Program, waitFor } from "@framework/testing";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { FaultyNetwork } from "./postgres-faults.test-kit.ts";
import { startBooks } from "./start-books.test-kit.ts";

/** Time limit of the database: a quarter of the default, to keep the test short. `BOOKS_DATABASE_SECS=6` tests the default. */
const DATABASE_SECS = Number(process.env["BOOKS_DATABASE_SECS"] ?? "1.5");
/** Maximum duration of a request during a fault: the time limit plus 2 s for slow machines. */
const MAX_REQUEST_MS = DATABASE_SECS * 1000 + 2000;
/** Maximum time from the end of a fault until requests succeed. */
const MAX_RECOVERY_MS = 10_000;
/** Delay of each packet in the mode `delays`: 12 % of the time limit. */
const PACKET_DELAY_MS = DATABASE_SECS * 120;
const CLIENTS = 24;

let server: FragileServer;
let network: FaultyNetwork;
let books: Program;
let admin: Database;

beforeAll(async () => {
  if (findProgram("postgres") === null)
    throw new Error(
      "PostgreSQL is not installed; this installs it, or prints how to: node --conditions=@framework/source tools/services/src/main.ts postgres",
    );
  server = await startPostgres({ fsync: true });
  admin = openDatabase({ url: server.url, poolSize: 2 });
  await admin.execute("CREATE ROLE books LOGIN");
  await admin.execute("GRANT ALL ON SCHEMA public TO books");
  network = new FaultyNetwork(Number(new URL(server.url).port), PACKET_DELAY_MS);
  await network.set("passes");
  const url = new URL(server.url);
  url.port = String(network.port);
  url.username = "books";
  books = await startBooks({
    DATABASE_URL: url.href,
    BOOKS_DATABASE_SECS: String(DATABASE_SECS),
    BOOKS_LOG: "error",
    BOOKS_RATE: "1000000000",
  });
});
afterAll(async () => {
  server.resume();
  await books.stop();
  await admin.close();
  await network.close();
  await server.stop();
});

/** Runs a statement as the superuser, on a direct connection. */
const runAsAdmin = (text: string) => admin.execute(text);

/** Ends the sessions of the service, so that a change of its role takes effect. */
const endSessions = () =>
  runAsAdmin("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'books'");

const alterRole = async (change: string): Promise<void> => {
  await runAsAdmin(`ALTER ROLE books ${change}`);
  await endSessions();
};

interface Fault {
  readonly begin: () => Promise<unknown> | void;
  readonly end: () => Promise<unknown> | void;
  /** Whether reads can succeed during the fault; the logged count then includes only refused writes. @default false */
  readonly readsSucceed?: boolean;
}

let unlock = async (): Promise<void> => {};

const faults: Readonly<Record<string, Fault>> = {
  "killed (kill -9)": { begin: () => server.kill(), end: () => server.start() },
  restarted: {
    begin: async () => {
      await server.shutdown();
      await server.start();
    },
    end: () => {},
    readsSucceed: true,
  },
  "paused (SIGSTOP)": { begin: () => server.pause(), end: () => server.resume() },
  "half open: the network drops every packet": {
    begin: () => network.set("drops"),
    end: () => network.set("passes"),
  },
  "refusing connections": { begin: () => network.set("refuses"), end: () => network.set("passes") },
  "slow: every packet is delayed": {
    begin: () => network.set("delays"),
    end: () => network.set("passes"),
    readsSucceed: true,
  },
  "resetting connections in the middle of statements": {
    begin: () => network.set("resets"),
    end: () => network.set("passes"),
  },
  "read-only": {
    begin: () => alterRole("SET default_transaction_read_only = on"),
    end: () => runAsAdmin("ALTER ROLE books RESET default_transaction_read_only"),
    readsSucceed: true,
  },
  "out of connections": {
    begin: () => alterRole("CONNECTION LIMIT 0"),
    end: () => runAsAdmin("ALTER ROLE books CONNECTION LIMIT -1"),
  },
  "refusing the login": {
    begin: () => alterRole("NOLOGIN"),
    end: () => runAsAdmin("ALTER ROLE books LOGIN"),
  },
  "out of disk space": {
    begin: async () => {
      await runAsAdmin(
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'disk_full'; END $$",
      );
      await runAsAdmin(
        "CREATE TRIGGER full_disk BEFORE INSERT ON books FOR EACH ROW EXECUTE FUNCTION full_disk()",
      );
    },
    end: () => runAsAdmin("DROP FUNCTION full_disk CASCADE"),
    readsSucceed: true,
  },
  "blocked by a lock on the table": {
    begin: async () => {
      const [locked, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const holder = admin.transaction(async (tx) => {
        await tx.execute("LOCK TABLE books IN ACCESS EXCLUSIVE MODE");
        locked.resolve();
        await end.promise;
      });
      unlock = async () => {
        end.resolve();
        await holder;
      };
      await locked.promise;
    },
    end: () => unlock(),
  },
};

interface Reply {
  readonly method: string;
  readonly status: number;
  readonly ms: number;
}

let requests = 0;

/** Sends a request that misses every cache, and measures its duration. */
const request = async (): Promise<Reply> => {
  const n = ++requests;
  const from = performance.now();
  const writes = n % 3 === 0;
  const path = n % 3 === 1 ? `/books/${n}` : `/books?after=${n}`;
  const body = {
    method: "POST",
    body: JSON.stringify({ title: `T${n}` }),
    headers: { "content-type": "application/json" },
  };
  const reply = await fetch(`${books.url}${writes ? "/books" : path}`, writes ? body : {});
  await reply.arrayBuffer();
  return { method: writes ? "POST" : "GET", status: reply.status, ms: performance.now() - from };
};

/** Runs many clients, each of which sends two requests in sequence. */
const sendLoad = async (): Promise<readonly Reply[]> => {
  const client = async (): Promise<Reply[]> => [await request(), await request()];
  return (await Promise.all(Array.from({ length: CLIENTS }, client))).flat();
};

const works = async (): Promise<boolean> =>
  (await Promise.all([request(), request(), request()])).every(({ status }) => status < 500);

test.each(Object.entries(faults))(
  "with PostgreSQL %s every request ends in time, and requests succeed within 10 s after the fault",
  async (_name, { begin, end, readsSucceed = false }) => {
    await waitFor(works, { subject: "the service before the fault", timeoutMs: 60_000, intervalMs: 50 });
    await begin();
    const replies = await sendLoad();
    await end();
    const from = performance.now();
    await waitFor(works, { subject: "the service after the fault", timeoutMs: 60_000, intervalMs: 50 });
    const recoveryMs = performance.now() - from;
    expect(new Set(replies.map(({ status }) => status)).difference(new Set([200, 201, 404, 503]))).toEqual(
      new Set(),
    );
    expect(Math.max(...replies.map(({ ms }) => ms))).toBeLessThan(MAX_REQUEST_MS);
    expect(recoveryMs).toBeLessThan(MAX_RECOVERY_MS);
    const refused = replies.filter(
      ({ status, method }) => status === 503 && !(readsSucceed && method === "GET"),
    );
    console.log(
      `${refused.length} of ${replies.length} refused, recovered in ${Math.round(recoveryMs)} ms, longest ${Math.round(Math.max(...replies.map(({ ms }) => ms)))} ms`,
    );
  },
  180_000,
);
