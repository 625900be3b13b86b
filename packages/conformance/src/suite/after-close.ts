import assert from "node:assert/strict";
import { Response } from "@framework/core";
import type { Serve } from "@framework/core/testing";
import type { Test } from "../harness/test.ts";
import { eventually, type MakeTransport, turn, withServer } from "../harness/test-server.ts";

const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;
const closing = { headers: { connection: "close" } };

/** Requests that wait for a reply with `Connection: close` (RFC 9112 9.6). */
export const afterCloseConformance = (test: Test, make: MakeTransport): void => {
  test("runs no queued request after a reply with connection: close", () => {
    const { promise: first, resolve } = Promise.withResolvers<Response>();
    const others = Promise.withResolvers<Response>();
    const serve: Serve = ({ target }) => (target === "/0" ? first : others.promise);
    return withServer(make, { serve }, async (server) => {
      const client = await server.connect();
      await client.send(Array.from({ length: 40 }, (_, n) => get(`/${n}`)).join(""));
      await eventually(() => server.served.length === 16, "the pipeline is full");
      resolve(new Response("bye", closing));
      assert.match(await client.untilClosed(), /\r\n\r\nbye$/);
      await eventually(() => server.transport.inFlight === 0, "all exchanges have ended");
      assert.equal(server.served.length, 16);
      others.resolve(new Response("late"));
    });
  });

  test("runs no request whose body is complete only after the head of a reply with connection: close", () => {
    const { promise: rest, resolve: finish } = Promise.withResolvers<void>();
    const bye = async function* () {
      yield new TextEncoder().encode("by");
      await rest;
      yield new TextEncoder().encode("e");
    };
    const serve: Serve = async () => {
      await turn(5); // the next head is read
      return Response.stream(bye(), closing);
    };
    return withServer(make, { serve }, async (server) => {
      const client = await server.connect();
      await client.send(`${get("/0")}POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n`);
      await eventually(() => client.received.includes("by"), "the reply has begun");
      const servedBefore = server.served.length; // 2 if the reply began only after the transport's wait for a short body
      await client.send("hello");
      await turn(20);
      finish();
      await client.untilClosed();
      assert.equal(server.served.length, servedBefore);
    });
  });
};
