import { App, ConfigurationError } from "@framework/core";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { cors } from "./cors.ts";
import { CorsConfig } from "./cors-config.ts";

const listed = ["https://app.example", "http://localhost:5173", "https://xn--bcher-kva.example:8443", "null"];

const isAllowed = async (app: App, origin: string): Promise<boolean> => {
  await using client = testClient(app);
  const reply = await client.get("/", { headers: { origin } });
  return reply.headers.has("access-control-allow-origin");
};

const makeApp = () => {
  const app = new (App.with(cors))().enableCors(listed);
  app.get("/", () => 1);
  return app;
};

test.each(listed)("the origin %s is allowed", async (origin) => {
  expect(await isAllowed(makeApp(), origin)).toBe(true);
});

test.each([
  "https://app.example.evil.test",
  "https://evilapp.example",
  "https://app.example:443",
  "https://app.example/",
  "https://app.example.",
  "http://app.example",
  "HTTPS://app.example",
  "https://APP.example",
  "https://user@app.example",
  "https://app.example, https://app.example",
  "https://app.example https://evil.test",
  "http://localhost",
  "http://localhost:51730",
  "http://localhost:5173@evil.test",
  "https://bücher.example:8443",
  "NULL",
  "undefined",
  "*",
  "file://",
])("the origin %s is not allowed", async (origin) => {
  expect(await isAllowed(makeApp(), Buffer.from(origin, "utf8").toString("latin1"))).toBe(false);
});

/** A listed origin with one edit: a character inserted, removed or replaced, or a prefix or suffix added. */
const alteredOrigin = fc
  .record({
    origin: fc.constantFrom(...listed),
    at: fc.nat(40),
    cut: fc.nat(2),
    put: fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCodePoint(code)),
      maxLength: 3,
    }),
  })
  .map(({ origin, at, cut, put }) => origin.slice(0, at) + put + origin.slice(at + cut));

test("no altered form of a listed origin is allowed", async () => {
  const app = makeApp();
  await app.start();
  await fc.assert(
    fc.asyncProperty(alteredOrigin, async (origin) => {
      fc.pre(!listed.includes(origin) && origin !== "");
      const reply = await app.fetch(new Request("http://host.test/", { headers: { origin } }));
      expect(reply.headers.get("access-control-allow-origin")).toBeNull();
    }),
    { numRuns: 2000 },
  );
});

test.each([
  [[]],
  [["*", "https://app.example"]],
  [["https://app.example/"]],
  [["https://app.example/path"]],
  [["https://App.example"]],
  [["https://app.example:443"]],
  [["app.example"]],
  [["https://bücher.example"]],
  [["https://user@app.example"]],
  [["https://*.example"]],
  [["https://"]],
  [[""]],
  [[7 as unknown as string]],
])("the origins %j are rejected", (origins) => {
  expect(CorsConfig.read({ origins }).problems).toEqual([
    expect.stringContaining("CorsConfig.origins must be a list"),
  ]);
});

test.each([[["http://[::1]:3000"]], [["chrome-extension://abcdefghijklmnop"]], [["https://127.0.0.1:8443"]]])(
  "the origins %j are accepted",
  (origins) => {
    expect(CorsConfig.read({ origins }).problems).toEqual([]);
  },
);

test("all invalid options are reported together at start", async () => {
  const app = new (App.with(cors))().enableCors({
    origins: ["*"],
    methods: ["GET", "*"],
    headers: ["*"],
    maxAge: -1,
    credentials: true,
    exposed: [],
  } as object);
  const error: unknown = await app.start().catch((thrown: unknown) => thrown);
  expect((error as ConfigurationError).problems.map(({ message }) => message)).toEqual([
    'CorsConfig has no field "exposed"',
    "CorsConfig.maxAge must be a whole number from 0 to 31536000, but is -1",
    "CorsConfig.origins must list each value when credentials is true, but has *",
    "CorsConfig.methods must list each value when credentials is true, but has *",
    "CorsConfig.headers must list each value when credentials is true, but has *",
  ]);
});

test("options in addition to a whole configuration are a start error", async () => {
  const app = new (App.with(cors))();
  const enableCors = app.enableCors as (...parts: object[]) => App;
  enableCors({ origins: ["https://app.example"] }, { credentials: true });
  await expect(app.start()).rejects.toThrow("move the options of the second argument into the first");
});

test.each([
  [{ methods: ["GET, POST"] }, "CorsConfig.methods must be a list of at most 100 methods"],
  [{ headers: ["X Y"] }, "CorsConfig.headers must be a list of at most 100 field names"],
  [{ exposeHeaders: ["a\r\nb"] }, "CorsConfig.exposeHeaders must be a list of at most 100 field names"],
  [{ headers: Array.from({ length: 101 }, (_, index) => `x-${index}`) }, "must have at most 100 field names"],
])("%j is rejected", (input, message) => {
  expect(CorsConfig.read(input).problems).toEqual([expect.stringContaining(message)]);
});
