import type { Host } from "../feature/host.ts";
import type { Awaitable } from "../middleware/middleware.ts";

declare const host: Host;

const calls = host.insight.operation<{ readonly to: string }, number>({
  kind: "call",
  role: "client",
  describe: ({ to }) => ({ name: to, attributes: { "server.address": to, attempts: 1, retried: false } }),
  outcome: (bytes) => ({ bytes: bytes satisfies number }),
});
void (calls.run({ to: "a" }, ({ to }) => to.length) satisfies Awaitable<number>);
calls.begin({ to: "a" })?.within(() => "part") satisfies string | undefined;

// @ts-expect-error the input has another type
void calls.run("a", () => 1);
// @ts-expect-error the output has another type
void calls.run({ to: "a" }, () => "text");

host.insight.operation({
  kind: "call",
  // @ts-expect-error no such role
  role: "peer",
  describe: () => ({ name: "x" }),
});
host.insight.operation({
  kind: "call",
  role: "client",
  // @ts-expect-error an attribute is a primitive value or a list of strings
  describe: () => ({ name: "x", attributes: { body: { secret: 1 } } }),
});

// A listener receives the state that its own start returned.
host.insight.onOperation({
  start: ({ name }) => ({ span: name }),
  end: (_operation, { span }) => void (span satisfies string),
  store: { run: (state, work) => (void (state.span satisfies string), work()) },
}) satisfies () => void;
