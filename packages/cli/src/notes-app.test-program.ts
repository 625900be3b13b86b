import { App, Blueprint, NotFoundError, Response } from "@framework/core";

/** Creates a small app for tests of commands: a guard, tags, control characters, all kinds of bodies. */
export const createApp = (): App => {
  const app = new App();
  app.get("/notes/{id}", { tags: ["notes"], summary: "one note" }, (request) => {
    if (request.params.id === "9") throw new NotFoundError("There is no note 9");
    return { id: request.params.id, started: app.state["started"] === true };
  });
  app.post("/notes", async (request) => Response.created(await request.json(), "/notes/1"));
  app.get("/bytes", () => Response.binary(new Uint8Array([255, 254, 0])));
  app.get("/hostile", () => "\u001b]0;owned\u0007\u009b31m\u202e\nsecond line");
  app.get("/table", () => "a,b\r\n1,2\r\n\ttab\n");
  app.get("/endless", () =>
    Response.stream(
      (async function* () {
        for (;;) yield "x".repeat(65_536);
      })(),
    ),
  );
  app.get("/umlauts", () => `x${"ü".repeat(600_000)}`); // an odd number of bytes, above the limit of a reply
  app.get("/silent", () =>
    Response.stream(
      (async function* () {
        yield "first\n";
        await new Promise<never>(() => {});
      })(),
    ),
  );
  app.get("/never", () => new Promise<never>(() => {}));
  app.get("/echo", (request) => ({ header: request.getHeader("x-note"), query: request.query.get("q") }));
  const secret = new Blueprint("/secret", {
    guards: [
      function onlyFriends() {
        return false;
      },
    ],
  });
  secret.get("/plan", () => "plan");
  app.registerBlueprint(secret);
  app.use(function stamp(request, next) {
    return request.path === "/stamped" ? Response.text("stamped") : next(request);
  });
  app.get("/stamped", () => "never");
  app.get("/broken", () => {
    throw new RangeError("too far");
  });
  app.post("/quoted", async (request) => {
    throw new RangeError(`no user ${await request.text()} with ${request.getHeader("cookie")}`);
  });
  app.onEvent("startup", () => void (app.state["started"] = true));
  return app;
};

/** An exported app. */
export const other: App = new App();

/** Fails instead of creating an app. */
export const createBrokenApp = (): never => {
  throw new Error("DATABASE_URL is missing");
};

/** An export that is not an app. */
export const version = "1.0.0";
