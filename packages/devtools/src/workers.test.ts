import { mkdtempSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { bundledProgram } from "@framework/bundled-sources";
import { requestEveryWorker, startProgram, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { call, open, sendToPage } from "./dev-app.test-kit.ts";

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly pid: number;
}

/** Fetches over a new connection, so any worker may handle the request. */
const fetchReply = (url: string): Promise<Reply> =>
  new Promise((resolve, reject) => {
    get(url, { agent: false }, async (reply) => {
      const pid = Number(reply.headers["x-pid"]);
      resolve({ status: reply.statusCode ?? 0, body: await text(reply), pid });
    }).on("error", reject);
  });

test("one page shows the requests of all workers, acts on each, and its faults are active in all", async () => {
  await using program = await startProgram(
    bundledProgram(new URL("./workers.test-program.ts", import.meta.url)),
    { args: ["--workers", "2"], conditions: ["@framework/source"] },
  );
  await waitFor(() => program.output().includes("#token="), { subject: "the link", timeoutMs: 60_000 });
  const links = [...program.output().matchAll(/http:\/\/127\.0\.0\.1:(\d+)\/#token=([\w-]+)/g)];
  expect(links).toHaveLength(1);
  const [, port = "", token = ""] = links[0] ?? [];
  const service = { page: { origin: `http://127.0.0.1:${port}`, port: Number(port), token } };
  await using page = await open(service);
  const pids = new Set<string>();
  const seen = () =>
    new Set(page.messages.flatMap((message) => (message.type === "request" ? [message.entry.worker] : [])));
  await waitFor(
    async () => {
      pids.add((await fetchReply(`${program.url}/pid`)).body);
      return pids.size === 2 && seen().size === 2;
    },
    { subject: "requests of both workers", timeoutMs: 60_000 },
  );
  expect(seen()).toEqual(pids);

  const texts = { on: "route", name: "*", fault: "error", probability: "1", ms: "0", status: "507" };
  const act = { do: "act", panel: "faults", row: null } as const;
  expect(await call(service, { ...act, action: "add", texts })).toMatchObject({ ok: true });
  const statuses = async (): Promise<ReadonlySet<number>> => {
    const options = {
      workers: 2,
      send: () => fetchReply(`${program.url}/pid`),
      pidOf: ({ pid }: Reply) => pid,
    };
    return new Set((await requestEveryWorker(options)).map(({ status }) => status));
  };
  await waitFor(async () => [...(await statuses())].join() === "507", { subject: "faults in both workers" });
  for (const worker of pids)
    expect(await call(service, { ...act, action: "clear", texts: {} }, worker)).toEqual({
      ok: true,
      message: "No active faults",
    });
  await waitFor(async () => [...(await statuses())].join() === "200", {
    subject: "no faults in both workers",
  });
}, 120_000);

test("an open page keeps its access when a changed source restarts the worker", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "devtools-"));
  const main = join(cwd, "main.ts");
  const source = (text: string): string => `
import { App } from ${JSON.stringify(join(import.meta.dirname, "../../core/src/index.ts"))};
import { devtools } from ${JSON.stringify(join(import.meta.dirname, "devtools.ts"))};
const app = new (App.with(devtools))().enableDevtools();
app.get("/", () => ${JSON.stringify(text)} + Object.keys(process.env).filter((name) => name.includes("DEVTOOLS")));
await app.run();
`;
  writeFileSync(main, source("one"));
  await using program = await startProgram(main, {
    args: ["--reload"],
    cwd,
    conditions: ["@framework/source"],
  });
  await waitFor(() => program.output().includes("#token="), { subject: "the link", timeoutMs: 60_000 });
  const [, port = "", token = ""] = /:(\d+)\/#token=([\w-]+)/.exec(program.output()) ?? [];
  const service = { page: { origin: `http://127.0.0.1:${port}`, port: Number(port), token } };
  const headers = { host: `127.0.0.1:${port}`, authorization: `Bearer ${token}` };
  expect((await sendToPage(service, "/live", { headers })).status).toBe(200);
  writeFileSync(main, source("two"));
  await waitFor(async () => (await program.client.get("/")).text === "two", { timeoutMs: 60_000 });
  // The page opens its port after that of the service.
  const status = await waitFor(async () => (await sendToPage(service, "/live", { headers })).status, {
    timeoutMs: 60_000,
  });
  expect(status).toBe(200);
}, 120_000);
