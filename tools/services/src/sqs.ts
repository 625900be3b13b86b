import { startFauxqs } from "fauxqs";
import type { RunningServer } from "./running-server.ts";

/** An emulator of Amazon SQS inside this process; `url` is its endpoint. */
export const startSqs = async (): Promise<RunningServer> => {
  const server = await startFauxqs({ port: 0, logger: false });
  const stop = async (): Promise<void> => {
    await server.stop();
  };
  return { url: `http://127.0.0.1:${server.port}`, stop, [Symbol.asyncDispose]: stop };
};

/** Lists the queues; rejects unless the endpoint behaves like SQS. */
export const askSqs = async (endpoint: string): Promise<void> => {
  const response = await fetch(endpoint, {
    method: "POST",
    headers: { "content-type": "application/x-amz-json-1.0", "x-amz-target": "AmazonSQS.ListQueues" },
    body: "{}",
    signal: AbortSignal.timeout(5000),
  });
  if (!response.ok) throw new Error(`SQS answered ${response.status}: ${await response.text()}`);
};
