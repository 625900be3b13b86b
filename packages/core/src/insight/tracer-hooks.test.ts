import { expect, test } from "@jest/globals";
import { App } from "../app.ts";
import type { Feature } from "../feature/feature.ts";
import type { Host } from "../feature/host.ts";
import { FailedWith } from "../invocation/trace-keys.ts";

const feature = (name: string, install: (host: Host) => void): Feature => ({
  name,
  install: (host) => (install(host), {}),
});

test("a listener that excludes a kind receives all others", async () => {
  const kinds: string[] = [];
  const listening = feature("listening", (host) => {
    host.insight.onOperation({ except: ["http"], start: ({ kind }) => void kinds.push(kind) });
    const mail = host.insight.operation<string>({
      kind: "mail",
      role: "client",
      describe: (name) => ({ name }),
    });
    host.http.route("GET", "/", () => mail.run("send", () => "sent"));
  });
  const app = new (App.with(listening))();
  expect(await (await app.fetch(new Request("http://localhost/"))).text()).toBe("sent");
  expect(kinds).toEqual(["mail"]);
});

test("every feature can read the current trace of a tracer; it is null without a tracer", async () => {
  const trace = {
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: "b7ad6b7169203331",
    headers: () => ({}),
  };
  const reading = feature("reading", (host) => {
    host.http.route("GET", "/", () => ({ id: host.insight.currentTrace()?.traceId ?? null }));
  });
  const tracing = feature("tracing", (host) => void host.insight.provideTrace(() => trace));
  const getJson = async (app: App): Promise<unknown> =>
    (await app.fetch(new Request("http://localhost/"))).json();
  expect(await getJson(new (App.with(reading))())).toEqual({ id: null });
  expect(await getJson(new (App.with(reading, tracing))())).toEqual({ id: trace.traceId });
});

test("the context has the error that caused a 500, and null for a 404", async () => {
  const failures: (Error | null)[] = [];
  const app = new App().use(async (request, next) => {
    const reply = await next(request);
    failures.push(request.context.get(FailedWith));
    return reply;
  });
  app.get("/bug", () => {
    throw new TypeError("a bug");
  });
  await app.fetch(new Request("http://localhost/bug"));
  await app.fetch(new Request("http://localhost/nowhere"));
  expect(failures).toEqual([new TypeError("a bug"), null]);
});
