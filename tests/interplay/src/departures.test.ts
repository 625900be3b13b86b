// oxlint-disable jest/no-standalone-expect -- the facts run inside the tests that eachClient registers
import { eachClient, type TestClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { type Stack, stackOf } from "./stack.test-kit.ts";
import { toggleNames } from "./toggles.test-kit.ts";

const stack = (): Stack => stackOf({ installed: toggleNames, enabled: toggleNames.toReversed() });

/** Sends a request with an id, and disconnects once the handler runs. */
const leave = async (client: TestClient, { witness }: Stack, id: string): Promise<void> => {
  const before = witness.calls.get("/waits") ?? 0;
  const controller = new AbortController();
  const asked = client.get("/waits", { headers: { "x-request-id": id }, signal: controller.signal });
  const ended = asked.catch((error: unknown) => error);
  await waitFor(() => (witness.calls.get("/waits") ?? 0) > before, { what: "the handler" });
  controller.abort(new Error("left"));
  expect(await ended).toMatchObject({ message: "left" });
};

const linesOf = ({ witness }: Stack, id: string) =>
  witness.lines.filter((line) => line["request_id"] === id && "latency" in line);

eachClient(
  test,
  stack,
  {
    "a client that disconnects early has one log line and one end, and opens no circuit": async (
      client,
      app,
    ) => {
      const { witness } = app;
      await leave(client, app, "one");
      await leave(client, app, "two");
      await waitFor(() => witness.inFlight === 0, { what: "both exchanges to end" });
      expect(witness.ends).toEqual([
        ["one", "aborted"],
        ["two", "aborted"],
      ]);
      const after = await client.get("/waits?now", { headers: { "x-request-id": "after" } });
      expect([after.status, after.headers.get("x-cache")]).toEqual([200, "MISS"]);
      await waitFor(() => linesOf(app, "after").length > 0, { what: "the last line" });
      for (const id of ["one", "two"])
        expect(linesOf(app, id)).toEqual([
          expect.objectContaining({ status: 499, aborted: true, route: "/waits" }),
        ]);
    },

    "a second client that waits for the same reply receives it after the first disconnected": async (
      client,
      { witness },
    ) => {
      const controller = new AbortController();
      const left = client.get("/waits?once", { signal: controller.signal }).catch(() => {});
      await waitFor(() => witness.calls.get("/waits") === 1, { what: "the handler" });
      const waiting = client.get("/waits?once");
      await waitFor(() => witness.inFlight === 2, { what: "the second client" });
      controller.abort(new Error("left"));
      expect((await waiting).status).toBe(200);
      await left;
      expect(witness.calls.get("/waits")).toBe(2);
    },

    "a client that disconnects from a stream has one log line with the status that it received": async (
      client,
      app,
    ) => {
      const { witness } = app;
      const controller = new AbortController();
      const init = {
        headers: { "x-request-id": "stream", "accept-encoding": "gzip" },
        signal: controller.signal,
      };
      const { status, body } = await client.stream("GET", "/endless", init);
      const reader = body?.getReader();
      expect([status, (await reader?.read())?.done]).toEqual([200, false]);
      const rest = reader?.read().catch(() => {});
      controller.abort(new Error("left"));
      await rest;
      await waitFor(() => witness.inFlight === 0 && witness.calls.has("end of /endless"), {
        what: "the end",
      });
      expect(witness.ends).toEqual([["stream", "aborted"]]);
      await waitFor(() => linesOf(app, "stream").length > 0, { what: "the line" });
      expect(linesOf(app, "stream")).toEqual([expect.objectContaining({ status: 200, aborted: true })]);
    },
  },
  { logs: true },
);
