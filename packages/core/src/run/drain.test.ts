import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { TransportName } from "./settings/run-options.ts";
import { linesOf, type LifeScenario, startLife, tallyOf } from "./testing/life-program.ts";
import { endPrograms, type Program } from "./testing/start-program.ts";

afterAll(endPrograms);

/** Number of workers in the tests with more than one. */
const SEVERAL = 4;

/** Ends a program with SIGTERM. Returns its exit code and the seconds until it exited. */
const terminate = async (program: Program): Promise<{ code: number | null; secs: number }> => {
  const begun = performance.now();
  program.kill("SIGTERM");
  const { code } = await program.exit;
  return { code, secs: (performance.now() - begun) / 1000 };
};

test.each<[number, LifeScenario["drain"]]>([
  [1, "throws"],
  [1, "rejects"],
  [SEVERAL, "rejects"],
])(
  "with %d worker(s), a drain listener that %s does not stop the rest of the shutdown",
  async (workers, drain) => {
    const program = startLife({ drain, run: { workers } });
    const { url } = await program.listening;
    const reply = fetch(`${url}/slow`);
    await program.waitFor("in flight");
    const { code, secs } = await terminate(program);
    expect((await reply).status).toBe(200);
    expect(code).toBe(0);
    expect(secs).toBeLessThan(25); // well below the drain timeout of 30 s
    expect(program.stderr()).toContain("cannot leave the group");
    expect(tallyOf(program)["stop db"]).toBe(workers);
  },
);

// Without requests, because open connections would also delay the stop tasks.
test.each([1, SEVERAL])("with %d worker(s), stop tasks wait for drain listeners", async (workers) => {
  const program = startLife({ drain: "waits", run: { workers } });
  await program.listening;
  expect((await terminate(program)).code).toBe(0);
  const lines = linesOf(program);
  expect(lines.indexOf("drained consumer")).toBeLessThan(lines.indexOf("shutdown"));
  expect(tallyOf(program)).toMatchObject({ "drained consumer": workers, "stop db": workers });
});

let hangingPrograms: readonly (readonly [Program, number])[] = [];

// Started early, so that their deadline of 10 s passes while other tests run. A tenth of it is reserved for stop tasks, which is enough on a busy machine.
beforeAll(async () => {
  const begun = [1, SEVERAL].map(async (workers) => {
    const program = startLife({ drain: "hangs", run: { workers, cluster: { shutdownTimeoutSecs: 10 } } });
    await program.listening;
    program.kill("SIGTERM");
    return [program, workers] as const;
  });
  hangingPrograms = await Promise.all(begun);
});

test.each<[number, TransportName]>([
  [1, "fast"],
  [1, "node"],
  [SEVERAL, "fast"],
])(
  "with %d worker(s) over %s, endless streams end cleanly when the drain begins",
  async (workers, transport) => {
    const program = startLife({ run: { workers, transport } });
    const { url } = await program.listening;
    const paths = ["/events", "/numbers", "/middleware", "/missing"].flatMap((path) =>
      Array.from({ length: workers }, () => path),
    );
    const replies = await Promise.all(paths.map((path) => fetch(url + path)));
    const bodies = replies.map((reply) => reply.text()); // rejects unless the last chunk arrives
    const { code, secs } = await terminate(program);
    expect((await Promise.all(bodies)).every((body) => /first|0\n/.test(body))).toBe(true);
    expect(program.stderr()).toContain("source closed");
    expect(code).toBe(0);
    expect(secs).toBeLessThan(25);
  },
);

test.each([1, SEVERAL])(
  "with %d worker(s), a drain waits for an event stream with untilDrain: false, and request.draining ends a long poll",
  async (workers) => {
    const program = startLife({ run: { workers } });
    const { url } = await program.listening;
    const poll = fetch(`${url}/poll`);
    await program.waitFor("polling");
    const body = (await fetch(`${url}/words`)).text();
    await program.waitFor("in flight");
    const { code, secs } = await terminate(program);
    expect(await body).toBe("data: word\n\ndata: last word\n\n");
    expect(await (await poll).json()).toEqual({ news: [] });
    expect(code).toBe(0);
    expect(secs).toBeLessThan(25);
  },
);

test("a half-closed connection does not let the process exit before its stop tasks", async () => {
  const program = startLife();
  const client = connect({ port: Number(new URL((await program.listening).url).port), allowHalfOpen: true });
  client.on("error", () => {}); // the drain closes the connection
  client.write("GET /silent HTTP/1.1\r\nHost: a\r\n\r\n");
  await once(client, "data");
  client.end(); // from here on no timer and no socket keeps the server's event loop alive
  const { code, secs } = await terminate(program);
  client.destroy();
  expect(tallyOf(program)).toMatchObject({ shutdown: 1, "stop db": 1, "stop consumer": 1 });
  expect(code).toBe(0);
  expect(secs).toBeLessThan(25);
});

test("a drain listener that hangs is abandoned at the deadline, in one process and in several workers", async () => {
  for (const [program, workers] of hangingPrograms) {
    expect((await program.exit).code).toBe(1);
    expect(program.stderr()).toContain("drain listeners were still running");
    expect(tallyOf(program)["stop db"]).toBe(workers);
  }
});
