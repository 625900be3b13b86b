// oxlint-disable jest/no-standalone-expect -- the assertions run inside the tests that eachClient registers
import { eachClient, type TestClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { type Stack, stackOf } from "./stack.test-kit.ts";
import { toggleNames } from "./toggles.test-kit.ts";

const stack = (): Stack => stackOf({ installed: toggleNames, enabled: toggleNames.toReversed() });

/** Sends a request with an id, and disconnects while the handler runs. */
const disconnectDuring = async (client: TestClient, { observed }: Stack, id: string): Promise<void> => {
  const before = observed.calls.get("/waits") ?? 0;
  const controller = new AbortController();
  const request = client.get("/waits", { headers: { "x-request-id": id }, signal: controller.signal });
  const ended = request.catch((error: unknown) => error);
  await waitFor(() => (observed.calls.get("/waits") ?? 0) > before, { subject: "the handler" });
  controller.abort(new Error("disconnected"));
  expect(await ended).toMatchObject({ message: "disconnected" });
};

const linesOf = ({ observed }: Stack, id: string) =>
  observed.lines.filter((line) => line["request_id"] === id && "latency" in line);

eachClient(
  test,
  stack,
  {
    "a request whose client disconnects is logged once, ends once and opens no circuit": async (
      client,
      app,
    ) => {
      const { observed } = app;
      await disconnectDuring(client, app, "one");
      await disconnectDuring(client, app, "two");
      await waitFor(() => observed.inFlight === 0, { subject: "both requests to end" });
      expect(observed.ends).toEqual([
        ["one", "aborted"],
        ["two", "aborted"],
      ]);
      const after = await client.get("/waits?now", { headers: { "x-request-id": "after" } });
      expect([after.status, after.headers.get("x-cache")]).toEqual([200, "MISS"]);
      await waitFor(() => linesOf(app, "after").length > 0, { subject: "the last log line" });
      for (const id of ["one", "two"])
        expect(linesOf(app, id)).toEqual([
          expect.objectContaining({ status: 499, aborted: true, route: "/waits" }),
        ]);
    },

    "a second client that waits for the same reply gets its own reply after the first has disconnected":
      async (client, { observed }) => {
        const controller = new AbortController();
        const aborted = client.get("/waits?once", { signal: controller.signal }).catch(() => {});
        await waitFor(() => observed.calls.get("/waits") === 1, { subject: "the handler" });
        const waiting = client.get("/waits?once");
        await waitFor(() => observed.inFlight === 2, { subject: "the second client" });
        controller.abort(new Error("disconnected"));
        expect((await waiting).status).toBe(200);
        await aborted;
        expect(observed.calls.get("/waits")).toBe(2);
      },

    "a stream whose client disconnects has one log line with the status that the client received": async (
      client,
      app,
    ) => {
      const { observed } = app;
      const controller = new AbortController();
      const init = {
        headers: { "x-request-id": "stream", "accept-encoding": "gzip" },
        signal: controller.signal,
      };
      const { status, body } = await client.stream("GET", "/endless", init);
      const reader = body?.getReader();
      expect([status, (await reader?.read())?.done]).toEqual([200, false]);
      const rest = reader?.read().catch(() => {});
      controller.abort(new Error("disconnected"));
      await rest;
      await waitFor(() => observed.inFlight === 0 && observed.calls.has("end of /endless"), {
        subject: "the end",
      });
      expect(observed.ends).toEqual([["stream", "aborted"]]);
      await waitFor(() => linesOf(app, "stream").length > 0, { subject: "the line" });
      expect(linesOf(app, "stream")).toEqual([expect.objectContaining({ status: 200, aborted: true })]);
    },
  },
  { logs: true },
);
