import { App, dependency, Depends } from "@framework/core";
import { database } from "@framework/database";
import { kernelOf } from "./feature.ts";
import { durable } from "./index.ts";

const app = new (App.with(database, durable))();

app
  .enableDatabase()
  .enableDurable()
  .enableDurable({ leaseMs: 1000, runWork: false, migrateAtStart: true })
  .get("/", () => "hello");

const migrated: Promise<void> = app.durable.migrate();
void migrated;

kernelOf(app).lanes({
  kind: "typed",
  count: 2,
  run: async ({ lane, fence, signal, check }) => {
    const numbers: number[] = [lane, fence];
    signal.throwIfAborted();
    await app.db.transaction((tx) => check(tx));
    void numbers;
  },
});

const Mailer = dependency<{ send(to: string): void }>("mailer");
const kernel = kernelOf(app);
kernel.queue<string>({ name: "a", handle: ({ payload }, mailer = Depends(Mailer)) => mailer.send(payload) });
kernel.queue<string, { mailer: typeof Mailer }>({
  name: "b",
  inject: { mailer: Mailer },
  handle: ({ payload }, { mailer }, other = Depends(Mailer)) =>
    [mailer, other].map((each) => each.send(payload)),
});
// @ts-expect-error nothing is injected
kernel.queue<string>({ name: "c", handle: (_item, { mailer }) => mailer });

// @ts-expect-error the method exists only where the feature is composed
new App().enableDurable();

// @ts-expect-error the feature needs a database
App.with(durable);

// @ts-expect-error a misspelt option
app.enableDurable({ leaseMS: 1000 });

// @ts-expect-error an app without the feature has no kernel
kernelOf(new App());
