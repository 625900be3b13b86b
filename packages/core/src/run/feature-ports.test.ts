import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { bundledProgram } from "@framework/bundled-sources";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { RunOptions, TransportName } from "./settings/run-options.ts";
import { repliesOfAll, until } from "./testing/service-program.ts";
import { endPrograms, type Program, startProgram } from "./testing/start-program.ts";

afterAll(endPrograms);

const SEVERAL = 4; // workers

interface Scenario {
  readonly ports?: { readonly lines?: number; readonly admin?: number };
  readonly run?: RunOptions;
  readonly limit?: number;
}

const file = fileURLToPath(new URL("testing/fixtures/listeners.ts", import.meta.url));
const start = (scenario: Scenario): Program =>
  startProgram(bundledProgram(file), [], { LISTENERS: JSON.stringify(scenario) });

/** The ports in the `listening` line. */
const portsOf = async (program: Program): Promise<{ lines: number; admin: number; own: number }> => {
  const { url, listeners = [] } = await program.listening;
  const port = (wanted: string): number => listeners.find(({ name }) => name === wanted)?.port ?? -1;
  return { lines: port("lines"), admin: port("admin"), own: Number(new URL(url).port) };
};

const open = async (port: number): Promise<Socket> => {
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  await once(socket, "connect");
  return socket;
};

const exchange = async (socket: Socket, line: string): Promise<string> => {
  const reply = once(socket, "data");
  socket.write(line);
  return ((await reply) as [string])[0];
};

const adminAt = async (port: number, path: string): Promise<{ pid: number; address: unknown }> => {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: "close" } });
  return (await reply.json()) as { pid: number; address: unknown };
};

let cutPrograms: readonly { program: Program; closed: Promise<unknown> }[] = [];

// Started early, so that their deadline of 10 s passes while other tests run. A tenth of it is reserved for stop tasks, which is enough on a busy machine.
beforeAll(async () => {
  const begun = [1, SEVERAL].map(async (workers) => {
    const program = start({ run: { workers, cluster: { shutdownTimeoutSecs: 10 } } });
    const { lines } = await portsOf(program);
    const socket = await open(lines);
    const closed = new Promise((resolve) => socket.once("close", resolve)); // with or without an error
    socket.on("error", () => {});
    socket.write("wait\n");
    await program.waitFor("in flight");
    program.kill("SIGTERM");
    return { program, closed };
  });
  cutPrograms = await Promise.all(begun);
});

test.each<[number, TransportName]>([
  [1, "fast"],
  [1, "node"],
  [SEVERAL, "fast"],
])(
  "serves raw sockets and HTTP on features' ports and drains them with the service, with %d worker(s) over %s",
  async (workers, transport) => {
    const program = start({ run: { workers, transport } });
    const { lines, admin } = await portsOf(program);
    const sockets: Socket[] = [];
    const greet = async (): Promise<string> => {
      const socket = await open(lines);
      sockets.push(socket);
      return exchange(socket, "hello\n");
    };
    const greetings = await repliesOfAll(workers, greet, (greeting) => greeting);
    const replies = await repliesOfAll(
      workers,
      () => adminAt(admin, "/x"),
      ({ pid }) => pid,
    );
    expect(greetings.every((greeting) => greeting.endsWith(" hello\n"))).toBe(true);
    expect(new Set(greetings).size).toBe(workers);
    expect(new Set(replies.map(({ pid }) => pid)).size).toBe(workers);
    expect(replies[0]?.address).toEqual({ host: "127.0.0.1", port: admin });
    expect(program.stderr().match(new RegExp(`admin at ${admin}\\.`, "g"))).toHaveLength(workers);
    expect((await fetch(`http://127.0.0.1:${admin}/broken`)).status).toBe(500);

    const events = Array.from({ length: workers }, async () =>
      (await fetch(`http://127.0.0.1:${admin}/events`)).text(),
    );
    const slow = adminAt(admin, "/slow");
    await program.waitFor("in flight");
    const goodbyes = sockets.map(async (socket) => ((await once(socket, "data")) as [string])[0]);
    const begun = performance.now();
    program.kill("SIGTERM");
    expect(new Set(await Promise.all(goodbyes))).toEqual(new Set(["bye\n"]));
    expect((await slow).pid).toBeGreaterThan(0);
    expect(new Set(await Promise.all(events))).toEqual(new Set(["data: first\n\n"])); // each ended cleanly
    expect((await program.exit).code).toBe(0);
    expect(performance.now() - begun).toBeLessThan(25_000); // well below the drain timeout of 30 s
    expect(program.stderr().match(/lines closed/g)).toHaveLength(workers);
  },
);

test.each([1, SEVERAL])(
  "a port in use is a start error that names the feature, with %d worker(s)",
  async (workers) => {
    const holder = createServer().listen(0, "127.0.0.1");
    await once(holder, "listening");
    const { port } = holder.address() as AddressInfo;
    const program = start({ ports: { admin: port }, run: { workers } });
    expect((await program.exit).code).toBe(1);
    expect(program.stderr()).toContain(
      `CORE_PORT_IN_USE: administration: port ${port} is in use on 127.0.0.1`,
    );
    expect(program.stderr()).toContain("give the listener admin another address");
    expect(program.stdout()).toBe("");
    holder.close();
  },
);

test.each([1, SEVERAL])(
  "features' ports accept new connections during the readiness delay of a drain, with %d worker(s)",
  async (workers) => {
    const program = start({
      run: { workers, cluster: { readinessDelaySecs: 60, shutdownTimeoutSecs: 120 } },
    });
    const { lines, admin } = await portsOf(program);
    program.kill("SIGTERM");
    await until(async () => program.stderr().match(/readiness is 503/g)?.length === workers);
    expect((await adminAt(admin, "/x")).pid).toBeGreaterThan(0);
    expect(await exchange(await open(lines), "hello\n")).toContain("hello");
  },
);

test("closes connections above maxConnections", async () => {
  const program = start({ limit: 2 });
  const { lines } = await portsOf(program);
  const sockets = await Promise.all([open(lines), open(lines)]);
  for (const socket of sockets) await exchange(socket, "hello\n");
  const third = connect(lines, "127.0.0.1");
  third.on("error", () => {});
  third.resume();
  await once(third, "close");
  expect(await exchange(sockets[0] as Socket, "still there\n")).toContain("still there");
  for (const socket of sockets) socket.destroy();
  await program.waitFor("connections above the limit were dropped");
});

test("cuts connections that are open at the deadline, in one process and in several workers", async () => {
  for (const { program, closed } of cutPrograms) {
    expect((await program.exit).code).toBe(1);
    expect(program.stderr()).toMatch(/connections were cut.*"cut":1|"cut":1.*connections were cut/);
    await closed;
  }
});
