import type { Handler } from "@framework/core";
import type { HostState } from "@framework/core/feature";
import type { CommandContext } from "../handlers/handler-types.ts";
import { orAborted } from "../time/or-aborted.ts";
import type { CommandAttempt, CommandOutcome } from "./command-run.ts";

/** Calls the handler with its dependencies. Ends when the signal aborts, whatever the handler does; what it returns later is ignored. */
export const callHandler =
  ({ invoke }: Pick<HostState, "invoke">): Handler<CommandAttempt, CommandOutcome> =>
  async ({ run, tx }) => {
    const { call, input, signal, attempts } = run;
    const { handled, invocation, tenant, idempotencyKey } = call;
    const context: CommandContext = { tx, signal, invocation, tenant, idempotencyKey, attempt: attempts };
    const work = invoke(invocation, handled.inject, (dependencies) =>
      handled.handler(input, context as never, dependencies),
    );
    return { ok: true, value: await orAborted(work, signal), isReplay: false };
  };
