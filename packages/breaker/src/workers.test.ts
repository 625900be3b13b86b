import { Agent, get } from "node:http";
import { text } from "node:stream/consumers";
import { bundledProgram } from "@framework/bundled-sources";
import { startProgram, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";

interface Reply {
  readonly status: number;
  readonly body: string;
}

/** A keep-alive connection to one worker. It is reopened, perhaps to another worker, if the worker closes it to balance connections. */
class Connection {
  pid = 0;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });
  private readonly url: string;
  constructor(url: string) {
    this.url = url;
  }

  send(path: string, act = "answer"): Promise<Reply | null> {
    return new Promise((resolve) => {
      const options = { agent: this.agent, headers: { "x-do": act } };
      get(new URL(path, this.url), options, async (message) => {
        const body = await text(message).catch(() => "");
        resolve({ status: message.statusCode ?? 0, body });
      }).on("error", () => resolve(null));
    });
  }

  /** Sets `pid` to the process that it is connected to. */
  async find(): Promise<void> {
    this.pid = Number((await this.send("/pid"))?.body);
  }

  close(): void {
    this.agent.destroy();
  }
}

const PER_WORKER = 4;
/** The `resetTimeout` of the program. */
const RESET_MS = 4000;

/** Opens the same number of connections to each of `workers` processes, so that none closes one to balance them. */
const connect = async (url: string, workers: number): Promise<Connection[]> => {
  let connections: Connection[] = [];
  await waitFor(async () => {
    while (connections.length < workers * PER_WORKER) connections.push(new Connection(url));
    await Promise.all(connections.map((one) => one.find()));
    const groups = [...Map.groupBy(connections, ({ pid }) => pid).values()];
    connections = groups.flatMap((group) => group.slice(0, PER_WORKER));
    for (const surplus of groups.flatMap((group) => group.slice(PER_WORKER))) surplus.close();
    return connections.length === workers * PER_WORKER;
  });
  return connections;
};

test("four workers agree: all open, three trials in total, all close, and a killed worker's slots are freed", async () => {
  await using program = await startProgram(
    bundledProgram(new URL("./flaky.test-program.ts", import.meta.url)),
    {
      args: ["--workers", "4"],
      conditions: ["@framework/source"],
    },
  );
  const connections = await connect(program.url, 4);
  const oneEach = [...new Map(connections.map((connection) => [connection.pid, connection])).values()];
  const [first] = oneEach as [Connection];
  const everywhere = async (path: string) =>
    (await Promise.all(oneEach.map((one) => one.send(path)))).map((reply) => reply?.status);
  const open = async (): Promise<void> => {
    for (let time = 0; time < 5; time++) await first.send("/", "fail");
  };

  await open();
  let openedAt = performance.now();
  await waitFor(async () => (await everywhere("/")).every((status) => status === 503));
  expect(performance.now() - openedAt).toBeLessThan(20_000); // within a second on an idle machine

  await waitFor(() => performance.now() - openedAt > RESET_MS + 50);
  const refused: unknown[] = [];
  const concurrent = connections
    .filter((connection) => !oneEach.includes(connection))
    .map(async (connection) => {
      const reply = await connection.send("/", "hold");
      if (reply?.status === 503) refused.push(reply);
      return reply?.status;
    });
  const held = async (): Promise<number> => {
    const replies = await Promise.all(oneEach.map((one) => one.send("/held")));
    return replies.reduce((sum, reply) => sum + Number(reply?.body), 0);
  };
  // A trial is admitted before its handler begins, and can be released only after that.
  await waitFor(async () => refused.length >= concurrent.length - 3 && (await held()) === 3);
  await everywhere("/release");
  expect((await Promise.all(concurrent)).filter((status) => status === 200)).toHaveLength(3);
  await waitFor(async () => (await everywhere("/")).every((status) => status === 200));

  await open();
  openedAt = performance.now();
  await waitFor(() => performance.now() - openedAt > RESET_MS + 50);
  const toFirst = connections.filter((connection) => connection.pid === first.pid && connection !== first);
  const pending = toFirst.slice(0, 3).map((connection) => connection.send("/", "hold"));
  await waitFor(async () => (await first.send("/held"))?.body === "3");
  const [, ...others] = oneEach;
  expect((await others[0]?.send("/"))?.status).toBe(503);
  process.kill(first.pid, "SIGKILL");
  expect(await Promise.all(pending)).toEqual([null, null, null]);
  const recovered = await waitFor(async () => {
    const replies = await Promise.all(others.map((one) => one.send("/")));
    return replies.every((reply) => reply?.status === 200) && replies;
  });
  expect(recovered).toHaveLength(3);
  for (const connection of connections) connection.close();
});
