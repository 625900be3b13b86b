import { App } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import { virtualClock, type VirtualClock } from "@framework/core/testing";
import { type AppClientOptions, testClient, type TestClient, type TestReply } from "@framework/testing";
import { sessionOf, type Sessions, sessions, type SessionsConfig } from "./index.ts";

export const secret: string = "0123456789abcdef0123456789abcdef";

/** A shop with a cart in the session, and a login. */
export interface Shop {
  readonly app: App & Sessions;
  readonly clock: VirtualClock;
  /** Creates a browser with its own cookies. */
  browser(options?: AppClientOptions): TestClient;
}

/** Opens a shop on this clock. */
export const openShop = (
  config: ConfigInput<SessionsConfig> = {},
  clock: VirtualClock = virtualClock({ start: 1_800_000_000_000 }),
): Shop => {
  const app = new (App.with(sessions))().enableSessions({ clock, ...config });
  app.get("/", () => "page");
  app.get("/me", (request) => {
    const session = sessionOf(request);
    return { user: session.user, cart: session.get("cart") ?? null };
  });
  app.post("/cart/{item}", (request) => {
    sessionOf(request).set("cart", request.params.item);
    return "added";
  });
  app.post("/login/{user}", async (request) => {
    await sessionOf(request).login(request.params.user);
    return "in";
  });
  app.post("/promote", (request) => {
    sessionOf(request).regenerate();
    return "promoted";
  });
  app.post("/logout", (request) => {
    sessionOf(request).destroy();
    return "out";
  });
  return {
    app,
    clock,
    browser: (options) => testClient(app, { cookies: true, now: clock.date, ...options }),
  };
};

/** Value of the session's cookie that a reply sets. */
export const cookieOf = (reply: TestReply): string => reply.cookies.get("session_id")?.value ?? "";

/** Header fields with a session's cookie. */
export const withCookie = (id: string): { readonly headers: Readonly<Record<string, string>> } => ({
  headers: { cookie: `session_id=${id}` },
});
