// Prints the replies and start errors of apps with every feature.
import { App, Blueprint, ConfigurationError, Response } from "./index.ts";

const problemsOf = async (app: App): Promise<string[]> => {
  const error: unknown = await app.start().catch((thrown: unknown) => thrown);
  return error instanceof ConfigurationError ? error.problems.map(({ message }) => message) : [];
};

class Books extends App {}

const app = new Books()
  .enableRequestId()
  .enableCors(["https://app.example"])
  .enableSecurityHeaders()
  .enableCompression(10)
  .enableEtag()
  .enableRateLimit()
  .enableCaching({ ttl: 60 })
  .enableCircuitBreaker()
  .enableHealthChecks()
  .healthCheck("disk", () => {})
  .enableDeprecation()
  .enableOpenapi()
  .enablePrometheus()
  .enableDatabase({ url: "sqlite://:memory:" })
  .enableDurable({ migrateAtStart: true });
app.jobs.define("mail", {}, () => "sent");
let reads = 0;
app.get("/books/{id}", { cache: { tags: ["books"] } }, ({ params }) => ({
  id: params.id,
  reads: ++reads,
  text: "x".repeat(100),
}));
app.get("/count", { cache: false, rateLimit: false }, async ({ app: its }) => {
  return {
    one: await its.db.fetchValue("SELECT 1"),
    circuits: its.circuits.list().length > 0,
    dropped: await its.invalidateCache(["books"]),
  };
});
const v1 = new Blueprint("/v1", { deprecated: "2026-11-01" });
v1.get("/books", () => new Response("old"));
v1.websocket("/live", (socket) => socket.sendText("hello"));
app.registerBlueprint(v1);

const replies: unknown[] = [];
for (const path of [
  "/books/7",
  "/books/7",
  "/count",
  "/books/7",
  "/v1/books",
  "/v1/live",
  "/health/ready",
  "/openapi.json",
]) {
  const headers = { "accept-encoding": "gzip", origin: "https://app.example" };
  const reply = await app.fetch(new Request(`http://localhost${path}`, { headers }));
  const fields = [
    "x-cache",
    "content-encoding",
    "deprecation",
    "access-control-allow-origin",
    "x-content-type-options",
  ];
  replies.push([path, reply.status, ...fields.map((name) => reply.headers.get(name))]);
  if (path === "/count") replies.push(await reply.json());
}
await app.stop();

const invalidOption = new App().enableCaching();
invalidOption.get("/a", { cache: { ttl: -1 } }, () => 1);
const disabled = new App();
disabled.get("/a", { cache: { ttl: 1 }, deprecated: "2026-11-01" }, () => 1);
const enabledTwice = new App().enableEtag();
const withoutDependency = new App().enableCqrs();
const later = new App();
await later.start();
/** Uses of features whose packages the start has not loaded. */
const usesAfterStart: Readonly<Record<string, () => unknown>> = {
  room: () => later.room("a").sendText("hello"),
  cqrs: () => later.cqrs.status("7"),
  saga: () => later.saga.list(),
  grpcAddress: () => later.grpcAddress,
  websocket: () => later.websocket("/live", () => {}),
};
const codesAfterStart: Record<string, unknown> = {};
for (const [name, use] of Object.entries(usesAfterStart))
  codesAfterStart[name] = await Promise.try(use).then(
    (value) => value,
    (error: unknown) => (error as { code?: string }).code,
  );
const thrown = (work: () => unknown): string => {
  try {
    work();
    return "nothing";
  } catch (error) {
    return String((error as { code?: string }).code);
  }
};
console.log(
  JSON.stringify({
    replies,
    invalidOption: await problemsOf(invalidOption),
    disabled: await problemsOf(disabled),
    withoutDependency: await problemsOf(withoutDependency),
    enabledTwice: await problemsOf(enabledTwice.enableEtag()),
    later: thrown(() => later.enableEtag()),
    codesAfterStart,
    isSame: app instanceof Books,
  }),
);
