import { expect, test } from "@jest/globals";
import { App } from "../app.ts";
import { bodyWait } from "./body-wait.ts";

/** An app that measures, with a virtual clock, how long each request waits for its body. */
const waitingApp = () => {
  const clock = { now: 0 };
  const seen: number[] = [];
  const app = new App();
  app.use(async (request, next) => {
    const wait = bodyWait(request, () => clock.now);
    const response = await next(request);
    seen.push(wait.ms);
    return response;
  });
  app.post("/text", async (request) => {
    const text = await request.text();
    clock.now += 30;
    return text;
  });
  app.post("/stream", async (request) => {
    for await (const _chunk of request.stream()) clock.now += 30;
    return "read";
  });
  app.post("/first", async (request) => {
    for await (const chunk of request.stream()) return new TextDecoder().decode(chunk);
    return "none";
  });
  app.post("/unread", () => "unread");
  app.post("/early", async (request) => {
    void request.body();
    clock.now += 7;
    return "early";
  });
  const post = async (path: string, body: string | ReadableStream<Uint8Array>) => {
    const given = { method: "POST", body, duplex: "half", headers: { "content-type": "text/plain" } };
    const response = await app.fetch(new Request(`http://localhost${path}`, given as RequestInit));
    return [response.status, await response.text()];
  };
  /** A body that receives one character every 100 ms. */
  const slow = (letters: string) => {
    const rest = letters.split("");
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      await new Promise(setImmediate);
      clock.now += 100;
      const letter = rest.shift();
      if (letter === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(letter));
    };
    return new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
  };
  return { post, seen, slow };
};

test("the wait for a body counts the client's time, not the handler's", async () => {
  const { post, seen, slow } = waitingApp();
  expect(await post("/text", slow("ab"))).toEqual([200, "ab"]);
  expect(await post("/stream", slow("abc"))).toEqual([200, "read"]);
  expect(seen).toEqual([300, 400]);
});

test("an empty body and an unread body have a wait of 0", async () => {
  const { post, seen, slow } = waitingApp();
  expect(await post("/text", "")).toEqual([200, ""]);
  expect(await post("/unread", slow("ab"))).toEqual([200, "unread"]);
  expect(seen).toEqual([0, 0]);
});

test("a handler may stop reading a body early", async () => {
  const { post, slow } = waitingApp();
  expect(await post("/first", slow("ab"))).toEqual([200, "a"]);
});

test("a wait in progress counts the time so far", async () => {
  const { post, seen } = waitingApp();
  const never = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
  expect(await post("/early", never)).toEqual([200, "early"]);
  expect(seen).toEqual([7]);
});
