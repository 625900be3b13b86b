import { App, dependency, Depends, isHttpRequest, Response, type Token } from "@framework/core";
import { mapAwaitable } from "@framework/core/feature";
import { waitFor } from "@framework/testing";
import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { collect, serve } from "./socket-app.test-kit.ts";
import { websocket, WebSocketClose } from "./index.ts";

interface Clock {
  now(): number;
}
const Clock: Token<Clock> = dependency<Clock>("clock");

/** Creates a dependency of scope `invocation` that records its creation and disposal. */
const session = (events: string[]): Token<string> => {
  let created = 0;
  return dependency("session", {
    scope: "invocation",
    create: async (_, invocation) => {
      events.push(`created for ${isHttpRequest(invocation) ? invocation.path : invocation.name}`);
      return `session ${++created}`;
    },
    dispose: (value) => void events.push(`disposed of ${value}`),
  });
};

describe.each(["fast", "node"] as const)("on the %s transport", (transport) => {
  test("dependencies are the handler's third argument, after the request's parameters", async () => {
    await using s = await serve(
      (app) => {
        app.registerSingleton(Clock, { now: () => 7 }).registerSingleton("greeting", "hello");
        app.websocket(
          "/rooms/{room}",
          { inject: { clock: Clock, greeting: "greeting" } },
          async (socket, { params }, { clock, greeting }) => {
            await socket.sendJson([params.room, clock.now(), greeting]);
          },
        );
      },
      { transport },
    );
    const { texts, closed } = collect(await s.open("/rooms/a"));
    expect(await closed).toEqual([1000, ""]);
    expect(texts).toEqual(['["a",7,"hello"]']);
  });

  test("each connection has its own instance of an invocation's dependency, which lives as long as the connection", async () => {
    const events: string[] = [];
    const Session = session(events);
    await using s = await serve(
      (app) => {
        app.websocket("/{name}", { inject: { a: Session, b: Session } }, async (socket, _, { a, b }) => {
          for await (const message of socket) await socket.sendJson([a, b, message.text]);
        });
      },
      { transport },
    );
    const [one, two] = [await s.open("/one"), await s.open("/two")];
    for (const client of [one, two]) client.send("hello");
    await waitFor(() => collect(one).texts.length === 1 && collect(two).texts.length === 1);
    expect([collect(one).texts, collect(two).texts]).toEqual([
      ['["session 1","session 1","hello"]'],
      ['["session 2","session 2","hello"]'],
    ]);
    expect(events).toEqual(["created for /one", "created for /two"]);
    two.close();
    await waitFor(() => events.length === 3);
    one.send("again");
    await waitFor(() => collect(one).texts.length === 2);
    one.terminate();
    await waitFor(() => events.length === 4);
    expect(events.slice(2)).toEqual(["disposed of session 2", "disposed of session 1"]);
  });

  test("an invocation's dependency lives until the handler has settled, even after the connection's end", async () => {
    const events: string[] = [];
    const release = Promise.withResolvers<void>();
    await using s = await serve(
      (app) => {
        app.websocket("/", { inject: { session: session(events) } }, async (socket) => {
          await socket.recv();
          events.push(`closed with ${socket.closed?.code}`);
          await release.promise;
          events.push("handled");
        });
      },
      { transport },
    );
    await s.open("/");
    const stopped = s.close();
    await waitFor(() => events.length === 2);
    release.resolve();
    await stopped;
    expect(events).toEqual(["created for /", "closed with 1001", "handled", "disposed of session 1"]);
  });

  test("a handler that throws and a refused upgrade dispose of their dependencies", async () => {
    const events: string[] = [];
    const Session = session(events);
    await using s = await serve(
      (app) => {
        app.use((request, next) => {
          const reply = next(request);
          return request.path === "/replaced" ? mapAwaitable(reply, () => Response.text("no")) : reply;
        });
        app.websocket("/throws", { inject: { session: Session } }, () => {
          throw new Error("secret");
        });
        app.websocket("/replaced", { inject: { session: Session } }, () => {});
        app.websocket("/guarded", { inject: { session: Session }, guards: [() => false] }, () => {});
      },
      { transport },
    );
    expect(await collect(await s.open("/throws")).closed).toEqual([1011, "internal error"]);
    await waitFor(() => events.length === 2);
    expect((await fetch(`${s.url}/throws`)).status).toBe(426);
    await waitFor(() => events.length === 4);
    await expect(s.open("/replaced")).rejects.toThrow("200");
    await waitFor(() => events.length === 6);
    await expect(s.open("/guarded")).rejects.toThrow("403"); // the guard refuses before a dependency is created
    expect(events).toEqual([
      "created for /throws",
      "disposed of session 1",
      "created for /throws",
      "disposed of session 2",
      "created for /replaced",
      "disposed of session 3",
    ]);
  });

  test("Depends works in a handler, and its value lives as long as the connection", async () => {
    const events: string[] = [];
    const Session = dependency("session", {
      scope: "invocation",
      create: (_, { kind, name }) => `${kind} ${name}`,
      dispose: (value) => void events.push(`disposed of ${value}`),
    });
    await using s = await serve(
      (app) => {
        app.registerSingleton(Clock, { now: () => 7 });
        app.websocket(
          "/plain",
          async (socket, _request, clock = Depends(Clock), session = Depends(Session)) => {
            await socket.sendJson([clock.now(), session]);
            await socket.recv();
            events.push("handled");
          },
        );
        app.websocket("/late", async (socket) => {
          await socket.recv();
          Depends(Clock);
        });
      },
      { transport },
    );
    const client = await s.open("/plain");
    await waitFor(() => collect(client).texts.length === 1);
    expect([collect(client).texts, events]).toEqual([['[7,"http GET /plain"]'], []]);
    client.terminate();
    await waitFor(() => events.length === 2);
    expect(events).toEqual(["handled", "disposed of http GET /plain"]);
    const afterAwait = await s.open("/late");
    afterAwait.send("x");
    expect(await collect(afterAwait).closed).toEqual([1011, "internal error"]); // Depends was called after the first await
  });

  test("each message has its own dependencies, by injectEach and Depends, in addition to the dependencies of the connection", async () => {
    const events: string[] = [];
    const Session = session(events);
    const Work = dependency("work", {
      scope: "invocation",
      create: (_, { kind, name, params }) => `${kind} ${name} ${String(params["room"])}`,
      dispose: (value) => void events.push(`disposed of ${value}`),
    });
    await using s = await serve(
      (app) => {
        app.websocket(
          "/{room}",
          { inject: { session: Session }, injectEach: { work: Work } },
          async (socket, _request, values) => {
            await socket.each(async (message, { work }, same = Depends(Work)) => {
              events.push(`${message.text}: ${values.session}, ${work}, ${same === work}`);
              await socket.send(message);
            });
          },
        );
      },
      { transport },
    );
    const client = await s.open("/tea");
    for (const text of ["one", "two"]) client.send(text);
    await waitFor(() => collect(client).texts.length === 2);
    client.close();
    await waitFor(() => events.length === 6);
    expect(events).toEqual([
      "created for /tea",
      "one: session 1, websocket /{room} tea, true",
      "disposed of websocket /{room} tea",
      "two: session 1, websocket /{room} tea, true",
      "disposed of websocket /{room} tea",
      "disposed of session 1",
    ]);
  });

  test("eachJson checks each message, and a handler that fails closes the connection", async () => {
    await using s = await serve(
      (app) => {
        app.registerSingleton(Clock, { now: () => 7 });
        app.websocket("/", { message: z.number() }, async (socket) => {
          await socket.eachJson(async (number, clock = Depends(Clock)) => {
            if (number < 0) throw new WebSocketClose(4001, "negative");
            await socket.sendJson(number + clock.now());
          });
        });
      },
      { transport },
    );
    const [good, bad, negative] = [await s.open("/"), await s.open("/"), await s.open("/")];
    good.send("1");
    bad.send('"x"');
    negative.send("-1");
    await waitFor(() => collect(good).texts.length === 1);
    good.close();
    expect([collect(good).texts, await collect(good).closed]).toEqual([["8"], [1005, ""]]);
    expect((await collect(bad).closed)[0]).toBe(1008);
    expect(await collect(negative).closed).toEqual([4001, "negative"]);
  });

  test("a failing factory refuses the upgrade with an HTTP reply", async () => {
    const Down = dependency("down", { create: () => Promise.reject<number>(new Error("secret")) });
    await using s = await serve(
      (app) => {
        app.websocket("/", { inject: { down: Down } }, () => {});
      },
      { transport },
    );
    await expect(s.open("/")).rejects.toThrow("500");
  });
});

test("an unregistered name is a start error", async () => {
  const app = new (App.with(websocket))().registerSingleton("clock", 1);
  app.websocket("/ws", { inject: { clock: "clok" } }, () => {});
  app.websocket("/each", { injectEach: { clock: "clokk" } }, () => {});
  const failure = app.start();
  await expect(failure).rejects.toThrow(/GET \/ws → clok: [\s\S]*"clock"/);
  await expect(failure).rejects.toThrow(/messages of \/each → clokk: [\s\S]*"clock"/);
});
