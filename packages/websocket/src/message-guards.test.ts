import { UnauthorizedError, verifyGuards } from "@framework/core";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { collect, serve } from "./socket-app.test-kit.ts";

test("guards of a route run at the upgrade, and not for each message", async () => {
  let decisions = 0;
  const guard = () => ++decisions > 0;
  await using s = await serve((app) => {
    app.websocket("/", { guards: [guard] }, (socket) => socket.each((message) => socket.send(message)));
  });
  const client = await s.open("/");
  const { texts } = collect(client);
  for (const text of ["a", "b", "c"]) client.send(text);
  await waitFor(() => texts.length === 3);
  expect([texts, decisions]).toEqual([["a", "b", "c"], 1]);
});

test("a refusal by guards in the handler closes the connection with 1008 and the guard's text", async () => {
  await using s = await serve((app) => {
    app.websocket("/{name}", async (socket, request) => {
      let left = 1;
      const mayWrite = () => left-- > 0 || `${request.params.name} is banned`;
      await socket.each(async (message) => {
        await verifyGuards([mayWrite], request);
        await socket.send(message);
      });
    });
  });
  const client = await s.open("/ada");
  const { texts, closed } = collect(client);
  client.send("one");
  client.send("two");
  expect(await closed).toEqual([1008, "ada is banned"]);
  expect(texts).toEqual(["one"]);
});

test("a thrown UnauthorizedError closes the connection with 1008 and its message", async () => {
  await using s = await serve((app) => {
    app.websocket("/", () => {
      throw new UnauthorizedError("The session has expired");
    });
  });
  expect(await collect(await s.open("/")).closed).toEqual([1008, "The session has expired"]);
});
