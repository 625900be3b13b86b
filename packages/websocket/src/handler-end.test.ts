import { dependency, FrameworkError } from "@framework/core";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { collect, serve } from "./socket-app.test-kit.ts";

/** An error of a program with members like those of `WebSocketClose`. */
class UpstreamClosed extends FrameworkError {
  readonly closeCode: unknown;
  readonly reason: unknown;

  constructor(closeCode: unknown, reason: unknown) {
    super("UPSTREAM_CLOSED", "the upstream has closed");
    this.closeCode = closeCode;
    this.reason = reason;
  }
}

test.each([
  ["a code that a close frame cannot have", 1006, ""],
  ["a code that is not a number", "4000", ""],
  ["a reason that is not a string", 4000, { text: "gone" }],
])("an error with %s closes with 1011 like any error", async (_name, closeCode, reason) => {
  await using s = await serve((app) => {
    app.websocket("/", () => {
      throw new UpstreamClosed(closeCode, reason);
    });
  });
  expect(await collect(await s.open("/")).closed).toEqual([1011, "internal error"]);
});

test("a dependency outlives its connection, even if the handler ends with the error of a send while the connection closes", async () => {
  const disposedAt: unknown[] = [];
  let codeOf = (): number | undefined => undefined;
  const Session = dependency("session", {
    scope: "invocation",
    create: () => "session",
    dispose: () => void disposedAt.push(codeOf()),
  });
  await using s = await serve((app) => {
    app.enableWebSocket({ maxSendQueueBytes: 100_000, closeWaitSecs: 0.1 });
    app.websocket("/", { inject: { session: Session } }, async (socket) => {
      codeOf = () => socket.closed?.code;
      const sends = Array.from({ length: 200 }, () => socket.sendText("x".repeat(90_000)));
      await sends.at(-1); // refused, because the client does not read
    });
  });
  const client = await s.open("/");
  client.pause();
  await waitFor(() => disposedAt.length === 1);
  expect(disposedAt).toEqual([1006]);
});
