import { expect, test } from "@jest/globals";
import {
  App,
  type Guard,
  HttpError,
  type Handler,
  type HttpRequest,
  type Invocation,
  Not,
  verifyGuards,
} from "../index.ts";
import { compose, createInvocation, type EntryPoint, type Feature } from "../feature.ts";

interface Line {
  enableLine(): this;
  say(name: string, headers?: Record<string, string>): unknown;
}
/** A custom entry point: outputs are strings, and an error becomes its message. */
const line: Feature<Line> = {
  name: "line",
  install: (host) => {
    let run: Handler<Invocation, unknown> = () => "not started";
    const entry: EntryPoint = {
      kind: "line",
      names: ["hello"],
      remoteAddress: () => "::ffff:127.0.0.1",
      statusOf: (outcome) => (outcome === "hi" ? 200 : 500),
    };
    return {
      enableLine() {
        host.life.onStart(() => {
          const { limits, guards, breakers } = host.entries.protection(entry);
          const rescue = (error: unknown): unknown => `${(error as HttpError).status}`;
          const guarded = compose(breakers, () => "hi", rescue);
          run = compose(
            limits,
            (invocation) => (verifyGuards(guards, invocation, { log: { error() {} } }), guarded(invocation)),
            rescue,
          );
        });
        return this;
      },
      say: (name, headers = {}) => run(createInvocation({ kind: "line", name, headers })),
    };
  },
};

interface Watch {
  enableWatch(): this;
  readonly seen: readonly string[];
}
/** Rejects a call at the stage that its `x-refuse` names, and records the status and the client of other calls. */
const watch: Feature<Watch> = {
  name: "watch",
  install: (host) => {
    const seen: string[] = [];
    return {
      seen,
      enableWatch() {
        for (const stage of ["breaker", "rate-limit"] as const)
          host.entries.protect(stage, (entry) => (invocation, next) => {
            if (invocation.headers.get("x-refuse") === stage) throw new HttpError(429, "no");
            const outcome = next(invocation);
            seen.push(`${stage} ${invocation.name} ${entry.statusOf(outcome)} ${entry.clientIp(invocation)}`);
            return outcome;
          });
        return this;
      },
    };
  },
};

const startApp = async (guards: readonly Guard<HttpRequest>[] = []) => {
  const app = new (App.with(line, watch))().enableLine().enableWatch();
  for (const guard of guards) app.addGuard(guard);
  await app.start({ trustedProxies: ["127.0.0.0/8"], log: { info() {}, warn() {}, error() {} } });
  return app;
};

test("limits run around the guards of an entry point, breakers around its handler", async () => {
  const app = await startApp([({ headers }) => headers.get("x-anonymous") === null]);
  expect(app.say("hello")).toBe("hi");
  expect(app.seen).toEqual(["breaker hello 200 127.0.0.1", "rate-limit hello 200 127.0.0.1"]);
  expect(app.say("hello", { "x-forwarded-for": "192.0.2.1" })).toBe("hi");
  expect(app.seen.at(-1)).toBe("rate-limit hello 200 192.0.2.1");
  expect(app.say("hello", { "x-anonymous": "1" })).toBe("403");
  expect(app.say("hello", { "x-anonymous": "1", "x-refuse": "rate-limit" })).toBe("429");
  expect(app.say("hello", { "x-anonymous": "1", "x-refuse": "breaker" })).toBe("403");
  expect(app.say("hello", { "x-refuse": "breaker" })).toBe("429");
  await app.stop();
});

test.each<[string, Guard<HttpRequest>]>([
  ["as given", ({ query }) => !query.has("bot")],
  ["negated", Not<HttpRequest>(({ query }) => query.has("bot"))],
])("a guard that reads the query rejects calls of other entry points: %s", async (_, guard) => {
  const app = await startApp([guard]);
  expect(app.say("hello")).toBe("403");
  await app.stop();
});
