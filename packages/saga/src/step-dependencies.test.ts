import { dependency, Depends } from "@framework/core";
import { databaseInFile } from "@framework/database/testing";
import { expect, test } from "@jest/globals";
import { saga, SagaReject } from "./index.ts";
import { waitForStatus, sagaApp, withStarted } from "./saga.test-kit.ts";
import { timeMachine } from "./testing.ts";

/** Creates a dependency with one instance per call, and the events of its instances. */
const sessions = () => {
  const events: string[] = [];
  const Session = dependency("session", {
    scope: "invocation",
    create: (_needs, { kind, name, params }) => {
      const label = `${kind} ${name} ${String(params["attempt"])}`;
      events.push(`open ${label}`);
      return { label, note: (event: string) => void events.push(event) };
    },
    dispose: ({ label }) => void events.push(`close ${label}`),
  });
  return { Session, events };
};

test("each call of a step's function, its undo and its check is an invocation with the dependencies of the step", async () => {
  await using storage = databaseInFile();
  const app = sagaApp(storage);
  const { Session, events } = sessions();
  let isLost = true;
  const order = saga("order", 1)
    .tx("reserve", (_context, _tx, { session }) => session.note("reserve"), {
      inject: { session: Session },
      undo: (_context, _output, _tx, { session }) => session.note("release"),
    })
    .call(
      "charge",
      async (_context, { session }) => {
        await Promise.resolve();
        session.note("charge");
        if (!isLost) return "receipt";
        isLost = false;
        throw Object.assign(new Error("the lease is lost"), { code: "DURABLE_LOST" });
      },
      {
        inject: { session: Session },
        undo: (_context, output, { session }) => session.note(`refund ${output}`),
        check: (_context, { session }) => (session.note("check"), null),
      },
    )
    .call("ship", () => {
      throw new SagaReject("no carrier delivers there");
    })
    .build();
  app.saga.define(order);
  await withStarted(app, async () => {
    const { id } = await app.saga.start(order, null, { key: "1" });
    await waitForStatus(app, id, "compensated");
  });
  const around = (name: string, ...calls: string[]): string[] => [`open ${name}`, ...calls, `close ${name}`];
  expect(events).toEqual([
    ...around("saga order reserve 1", "reserve"),
    ...around("saga order charge 1", "charge"),
    ...around("saga order charge 1", "check"),
    ...around("saga order charge 1", "charge"),
    ...around("saga order charge 1", "refund receipt"),
    ...around("saga order reserve 1", "release"),
  ]);
});

test("default arguments resolve dependencies in every function of a step, including branches and messages", async () => {
  await using storage = databaseInFile();
  const app = sagaApp(storage);
  const { Session, events } = sessions();
  const steps = saga("defaults", 1)
    .tx("first", (_context, _tx, session = Depends(Session)) => session.label, {
      undo: (_context, output, _tx, session = Depends(Session)) => session.note(`undo ${output}`),
    })
    .parallel("both", (branch) => ({
      left: branch((_context, session = Depends(Session)) => session.label, {
        undo: (_context, output, session = Depends(Session)) => session.note(`undo ${output}`),
      }),
      right: branch((_context, { session }, other = Depends(Session)) => session === other, {
        inject: { session: Session },
      }),
    }))
    .send("tell", (_context, session = Depends(Session)) => {
      session.note("tell");
      throw new SagaReject("nobody listens");
    })
    .build();
  app.enableMessaging();
  app.saga.define(steps);
  await withStarted(app, async () => {
    const { id } = await app.saga.start(steps, null, { key: "1" });
    const info = await waitForStatus(app, id, "compensated");
    expect(info.steps.map(({ output }) => output)).toEqual([
      "saga defaults first 1",
      "saga defaults both/left 1",
      true,
      undefined,
    ]);
  });
  expect(events.filter((event) => event.startsWith("undo") || event === "tell")).toEqual([
    "tell",
    "undo saga defaults both/left 1",
    "undo saga defaults first 1",
  ]);
});

test("unregistered dependencies are reported at start, with the step that needs them", async () => {
  await using storage = databaseInFile();
  const app = sagaApp(storage);
  const Mailer = dependency<{ send(): void }>("mailer");
  const mail = saga("mail", 3)
    .parallel("both", (branch) => ({
      left: branch((_context, { mailer }) => mailer.send(), { inject: { mailer: Mailer } }),
    }))
    .build();
  app.saga.define(mail);
  await expect(app.start()).rejects.toThrow(/saga mail version 3 step both\/left[^]*mailer/);
  await expect(timeMachine(mail)).rejects.toThrow("mailer");
});

test("a default argument with a missing dependency pauses the saga: nothing is undone", async () => {
  await using storage = databaseInFile();
  const app = sagaApp(storage);
  const undone: string[] = [];
  const mail = saga("mail", 1)
    .call("charge", () => "receipt", { undo: () => void undone.push("charge") })
    .call("write", (_context, mailer = Depends<{ send(): void }>("mailer")) => mailer.send())
    .build();
  app.saga.define(mail);
  await withStarted(app, async () => {
    const { id } = await app.saga.start(mail, null, { key: "1" });
    expect((await waitForStatus(app, id, "paused")).error?.code).toBe("CORE_DEPENDENCY_MISSING");
  });
  expect(undone).toEqual([]);
});

test("a time machine provides steps with the registered dependencies, and disposes of them", async () => {
  const { Session, events } = sessions();
  const Mailer = dependency<{ send(to: string): void }>("mailer");
  const mail = saga("mail", 1)
    .call("write", ({ key }, { mailer, session }) => mailer.send(`${key} in ${session.label}`), {
      inject: { mailer: Mailer, session: Session },
    })
    .build();
  const sent: string[] = [];
  await using machine = await timeMachine(mail, {
    provide: (app) => app.registerSingleton(Mailer, { send: (to) => void sent.push(to) }),
  });
  await machine.start(null, "ada");
  await machine.run({ crashAfter: 1 });
  await machine.run();
  expect(sent).toEqual(["ada in saga mail write 1", "ada in saga mail write 1"]);
  expect(events).toHaveLength(4);
  expect((await machine.info()).status).toBe("completed");
});
