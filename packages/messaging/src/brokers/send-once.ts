import { keepAlive, messageOf } from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import { messagingError } from "../errors/messaging-error.ts";
import type { BrokerAdapter, BrokerContext } from "../port/broker-adapter.ts";
import type { OutgoingMessage } from "../port/delivery.ts";

/**
 * Sends a message on a separate connection, for an app that has not started; in the transaction if the broker supports that.
 * @throws MESSAGING_NOT_ENABLED for an in-memory broker; the error of the send
 */
export const sendOnce = async (
  adapter: BrokerAdapter,
  context: BrokerContext,
  {
    tx,
    message,
    timeoutMs,
  }: { readonly tx: Transaction; readonly message: OutgoingMessage; readonly timeoutMs: number },
): Promise<void> => {
  if (adapter.capabilities.isInProcess)
    throw messagingError(
      "MESSAGING_NOT_ENABLED",
      `the broker "${context.name}" is in-memory, so only the serving processes have its messages; replay there, for example through the HTTP API of enableDurable({ admin })`,
    );
  const broker = adapter.open(context);
  const release = keepAlive(); // an unavailable broker may have no socket
  const limit = new AbortController();
  const timeout = new Error(`not confirmed within ${timeoutMs} ms`);
  const cancel = context.clock.after(timeoutMs, () => limit.abort(timeout));
  try {
    if (broker.producer.sendIn !== undefined) return await broker.producer.sendIn(tx, [message]);
    const [result] = await broker.producer.send([message], { signal: limit.signal });
    if (result?.ok !== true) throw result?.error ?? new Error("the broker returned no result");
  } finally {
    cancel();
    release();
    await broker.close().catch((error: unknown) => warnOfClose(context.name, error));
  }
};

/** Warns instead of throwing: an error would repeat a send that succeeded, or hide the error of the send. An app that has not started has no log. */
const warnOfClose = (broker: string, error: unknown): void =>
  process.emitWarning(`messaging: the broker "${broker}" did not close after a send`, {
    detail: messageOf(error),
  });
