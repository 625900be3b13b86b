import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

const { NODE_OPTIONS: _flagsOfJest, ...env } = process.env;

/** Runs a program on plain Node, because jest cannot load a module within a synchronous call, and returns its output. */
const report = <Report>(program: string): Report => {
  const file = join(import.meta.dirname, `${program}.test-program.ts`);
  const args = ["--conditions=@framework/source", file];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", env, timeout: 120_000 }));
};

interface Members {
  readonly found: readonly string[];
  readonly missing: readonly string[];
  readonly eager: object;
  readonly lazy: object;
  readonly dependent: object;
}

interface Loading {
  readonly imported: readonly string[];
  readonly served: readonly string[];
  readonly uses: Readonly<Record<string, readonly string[]>>;
  readonly kafka: readonly string[];
}

test("the App has every feature of the workspace, with its members, route options and blueprint methods; a feature without the features it needs shows the correct `App.with` call", () => {
  const { found, missing, eager, lazy, dependent } = report<Members>("members");
  expect(missing).toEqual([]); // a new feature needs a line in features.ts
  expect(found.length).toBeGreaterThan(30);
  expect(lazy).toEqual(eager);
  expect(dependent).toEqual({
    asyncapi: "App.with(messaging, asyncapi)",
    cqrs: "App.with(database, durable, cqrs)",
    durable: "App.with(database, durable)",
    "event-sourcing": "App.with(database, durable, eventSourcing)",
    jobs: "App.with(database, durable, jobs)",
    kafka: "App.with(messaging, kafka)",
    rabbitmq: "App.with(messaging, rabbitmq)",
    saga: "App.with(database, durable, sagas)",
    sqs: "App.with(messaging, sqs)",
  });
}, 120_000);

test("only core is loaded until a feature is used, then its package; broker clients are loaded at their first use", () => {
  const { imported, served, uses, kafka } = report<Loading>("loading");
  expect([imported, served]).toEqual([["core", "framework"], []]);
  const own: Record<string, string> = {
    enableCaching: "cache",
    enableCircuitBreaker: "breaker",
    enableHealthChecks: "health",
    enablePrometheus: "metrics",
    enableSecurityHeaders: "security",
    enableAsyncapi: "openapi",
  };
  const { enableCsrf, ...others } = uses; // of the package security, which is loaded
  expect(enableCsrf).toEqual([]);
  const kebab = (member: string): string =>
    member
      .replace("enable", "")
      .replaceAll(/(?<!^)([A-Z])/g, "-$1")
      .toLowerCase();
  for (const [member, loaded] of Object.entries(others))
    expect([member, loaded]).toEqual([
      member,
      expect.arrayContaining([own[member] ?? kebab(member).replace("web-socket", "websocket")]),
    ]);
  expect(kafka).toContain("kafka");
  expect(kafka).not.toContain("kafkajs");
}, 120_000);

test("the App's features work together, and its errors equal the errors of an App.with class", () => {
  const {
    replies,
    invalidOption,
    disabled,
    withoutDependency,
    enabledTwice,
    later,
    codesAfterStart,
    isSame,
  } = report<Readonly<Record<string, unknown>>>("behaviour");
  const always = ["https://app.example", "nosniff"];
  expect(replies).toEqual([
    ["/books/7", 200, "MISS", "gzip", null, ...always],
    ["/books/7", 200, "HIT", "gzip", null, ...always],
    ["/count", 200, "BYPASS", null, null, ...always],
    { one: 1, circuits: true, dropped: 1 },
    ["/books/7", 200, "MISS", "gzip", null, ...always],
    ["/v1/books", 200, "MISS", null, "@1793491200", ...always],
    ["/v1/live", 426, null, null, "@1793491200", ...always],
    ["/health/ready", 200, null, null, null, ...always],
    ["/openapi.json", 200, null, "gzip", null, ...always],
  ]);
  expect(invalidOption).toEqual([expect.stringContaining("cache: ttl must be a number of seconds")]);
  expect(disabled).toEqual([
    expect.stringContaining('the option "cache" does nothing without enableCaching'),
    expect.stringContaining('the option "deprecated" does nothing without enableDeprecation'),
  ]);
  expect(withoutDependency).toEqual(["durable: cqrs needs a database; call enableDatabase()"]);
  expect(enabledTwice).toEqual(["enableEtag was called twice; call it once, with all options"]);
  expect(codesAfterStart).toEqual({
    room: "WEBSOCKET_NO_ROUTE",
    cqrs: "CQRS_NOT_ENABLED",
    saga: "SAGA_NOT_ENABLED",
    grpcAddress: null,
    websocket: "CORE_ALREADY_STARTED",
  });
  expect([later, isSame]).toEqual(["CORE_ALREADY_STARTED", true]);
}, 120_000);
