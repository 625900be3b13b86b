import { App, type HttpRequest } from "@framework/core";
import { type Session, sessionOf, sessions } from "./index.ts";

const app = new (App.with(sessions))();

app
  .enableSessions()
  .enableSessions({ idleSecs: 600 })
  .get("/", (request) => sessionOf(request).user);
void (app.sessions.destroyAll("ann", { except: sessionOf({} as HttpRequest) }) satisfies Promise<void>);
sessionOf({} as HttpRequest) satisfies Session;

// @ts-expect-error the method exists only where the feature is composed
new App().enableSessions();

// @ts-expect-error the compiler rejects a misspelt option
app.enableSessions({ idelSecs: 600 });

// @ts-expect-error a value of a session is JSON
sessionOf({} as HttpRequest).set("at", new Date());
