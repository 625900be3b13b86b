import { App } from "@framework/core";
import { JwtAuth, JwtClaims } from "../index.ts";

/** A service with login, refresh and logout, whose replies name the worker; its short secret causes a warning. */
const auth = new JwtAuth({ secret: "a short secret" }).skipPath("/login").skipPath("/refresh");
const app = new App()
  .use(async (request, next) => {
    const reply = await next(request);
    return reply.setHeader("x-pid", String(process.pid));
  })
  .use(auth);
app.post("/login", () => auth.createTokens({ sub: "ann" }));
app.post("/refresh", async (request) => auth.refreshToken(await request.text()));
app.post("/logout", async ({ context }) => {
  await auth.revokeToken(context.get(JwtClaims) ?? "");
  return null;
});
app.get("/", () => "in");
await app.run();
