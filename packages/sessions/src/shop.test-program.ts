import { App } from "@framework/core";
import { redis } from "@framework/redis";
import { sessionOf, sessions } from "./index.ts";

/** A shop with several workers, and with Redis on several hosts. */
const app = new (App.with(sessions, redis))().enableSessions({ secure: false, storeTimeoutMs: 30_000 });
const { REDIS_URL: url, KEY_PREFIX: keyPrefix } = process.env;
if (url !== undefined)
  app.enableRedis({ url, keyPrefix, shared: true, connectionTimeoutSecs: 60, commandTimeoutMs: 30_000 });
app.get("/me", (request) => {
  const session = sessionOf(request);
  return { user: session.user, count: session.get("count") ?? 0, pid: process.pid };
});
app.post("/add/{name}", (request) => {
  const session = sessionOf(request);
  session.set(request.params.name, true);
  return { pid: process.pid };
});
app.get("/names", (request) =>
  Array.from({ length: 20 }, (_, at) => sessionOf(request).get(`n${at}`) === true),
);
app.post("/login/{user}", async (request) => {
  await sessionOf(request).login(request.params.user);
  return "in";
});
app.post("/password", async (request) => {
  const session = sessionOf(request);
  await app.sessions.destroyAll(session.user ?? "nobody", { except: session });
  return "changed";
});
await app.run();
